import { useEffect, useState } from "react";
import type { FeedItem } from "@tocsin/sdk";
import { focusTitle } from "../../page/focus-title.ts";

/** Who is this far down reads older ones: what comes must not push them away. */
const TOP_PX = 80;

/** What of a list is shown, and what came since its reader scrolled down. */
export interface HeldBack {
  readonly shown: readonly FeedItem[];
  readonly count: number;
  /** Shows all, from the top. */
  readonly release: () => void;
}

/** Keeps what comes out of the list while its reader is not at its top. */
export function useHeldBack(items: readonly FeedItem[]): HeldBack {
  const newest = items[0]?.id ?? "";
  const [upTo, setUpTo] = useState<string | null>(null);
  useEffect(() => {
    const view = new AbortController();
    const look = () => setUpTo((before) => (scrollY < TOP_PX ? null : (before ?? newest)));
    look();
    addEventListener("scroll", look, { signal: view.signal, passive: true });
    return () => view.abort();
  }, [newest]);
  // Where none is left of those that were there, all are shown.
  const count =
    upTo === null
      ? 0
      : Math.max(
          0,
          items.findIndex(({ id }) => id <= upTo),
        );
  return { shown: count === 0 ? items : items.slice(count), count, release };
}

/** The scroll that follows shows the rest: not before, since the list takes its place from what it last heard. */
function release(): void {
  scrollTo({ top: 0 });
  focusTitle();
}
