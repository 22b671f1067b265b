import { useEffect, useState } from "react";
import type { FeedItem } from "@tocsin/sdk";
import { focusTitle } from "../../page/focus-title.ts";

/** Distance from the top of the page within which new notifications appear immediately. */
const TOP_PX = 80;

/** The visible part of a list and the number of new notifications that are held back. */
export interface HeldBack {
  readonly visible: readonly FeedItem[];
  readonly count: number;
  /** Scrolls to the top, which shows all notifications. */
  readonly release: () => void;
}

/** Holds back new notifications while the reader has scrolled down, so that the rows do not move. */
export function useHeldBack(items: readonly FeedItem[]): HeldBack {
  const newest = items[0]?.id ?? "";
  const [upTo, setUpTo] = useState<string | null>(null);
  useEffect(() => {
    const controller = new AbortController();
    const update = () => setUpTo((previous) => (scrollY < TOP_PX ? null : (previous ?? newest)));
    update();
    addEventListener("scroll", update, { signal: controller.signal, passive: true });
    return () => controller.abort();
  }, [newest]);
  // If all earlier notifications are gone, the index is -1 and nothing is held back.
  const count =
    upTo === null
      ? 0
      : Math.max(
          0,
          items.findIndex(({ id }) => id <= upTo),
        );
  return { visible: count === 0 ? items : items.slice(count), count, release };
}

/** Scrolls to the top. The scroll event then shows all notifications: the list needs the new position first. */
function release(): void {
  scrollTo({ top: 0 });
  focusTitle();
}
