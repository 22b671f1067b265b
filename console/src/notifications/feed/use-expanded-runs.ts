import { useCallback, useState } from "react";
import type { FeedRun } from "./feed-rows.ts";

/**
 * Returns the ids of the notifications in expanded runs, and a function that toggles a run. Opening a notification
 * expands its run.
 */
export function useExpandedRuns(openedId: string | null) {
  const [expandedIds, setExpandedIds] = useState<ReadonlySet<string>>(new Set());
  const [previousOpenedId, setPreviousOpenedId] = useState<string | null>(null);
  if (openedId !== previousOpenedId) {
    setPreviousOpenedId(openedId);
    if (openedId !== null) setExpandedIds(new Set([...expandedIds, openedId]));
  }
  const toggleRun = useCallback(({ items, isExpanded }: FeedRun) => {
    const ids = items.map(({ id }) => id);
    setExpandedIds((previous) =>
      isExpanded
        ? new Set([...previous].filter((id) => !ids.includes(id)))
        : new Set([...previous, ...ids]),
    );
  }, []);
  return { expandedIds, toggleRun };
}
