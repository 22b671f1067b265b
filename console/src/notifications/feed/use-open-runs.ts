import { useCallback, useState } from "react";
import type { FeedRun } from "./feed-rows.ts";

/** Returns the ids in expanded runs, and a function that toggles a run. Opening a notification expands its run. */
export function useOpenRuns(openedId: string | null) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [previousId, setPreviousId] = useState<string | null>(null);
  if (openedId !== previousId) {
    setPreviousId(openedId);
    if (openedId !== null) setOpened(new Set([...opened, openedId]));
  }
  const onToggle = useCallback(({ all, isOpen }: FeedRun) => {
    const ids = all.map(({ id }) => id);
    setOpened((previous) =>
      isOpen
        ? new Set([...previous].filter((id) => !ids.includes(id)))
        : new Set([...previous, ...ids]),
    );
  }, []);
  return { opened, onToggle };
}
