import { useCallback, useState } from "react";
import type { FeedRun } from "./feed-rows.ts";

/** Which runs of repeats are shown whole, by ids of theirs, and what changes that. Opening one of a run shows it whole. */
export function useOpenRuns(openedId: string | null) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [before, setBefore] = useState<string | null>(null);
  if (openedId !== before) {
    setBefore(openedId);
    if (openedId !== null) setOpened(new Set([...opened, openedId]));
  }
  const onToggle = useCallback(({ all, isOpen }: FeedRun) => {
    const ids = all.map(({ id }) => id);
    setOpened((known) =>
      isOpen ? new Set([...known].filter((id) => !ids.includes(id))) : new Set([...known, ...ids]),
    );
  }, []);
  return { opened, onToggle };
}
