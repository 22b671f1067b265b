import { useEffect, useState } from "react";
import type { FeedItem } from "@tocsin/sdk";
import { focusTitle } from "../../page/focus-title.ts";

/** Distance from the top beyond which the reader reads older ones: new ones must not push them away. */
const TOP_PX = 80;

/** The shown part of a list, and the number of new ones since its reader scrolled down. */
export interface HeldBack {
  readonly shown: readonly FeedItem[];
  readonly count: number;
  /** Scrolls to the top, which shows all. */
  readonly release: () => void;
}

/** Keeps new notifications out of the list while its reader is not at its top. */
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
  // If none of the earlier ones are left, all are shown.
  const count =
    upTo === null
      ? 0
      : Math.max(
          0,
          items.findIndex(({ id }) => id <= upTo),
        );
  return { shown: count === 0 ? items : items.slice(count), count, release };
}

/** Only the scroll event that follows shows the rest, since the list places itself by the last position it got. */
function release(): void {
  scrollTo({ top: 0 });
  focusTitle();
}
