import { useCallback, useState } from "react";
import type { FeedRun } from "./feed-rows.ts";

/**
 * Returns the ids whose runs are expanded, and a function that expands or folds a run. Opening one of a run expands it.
 */
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
