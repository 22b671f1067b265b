import { useEffect, useState } from "react";
import type { FeedItem } from "@tocsin/sdk";
import { focusPageTitle } from "../../page/focus-page-title.ts";

/** Distance from the top of the page within which new notifications appear immediately. */
const TOP_PX = 80;

/** The visible part of a list and the number of new notifications that are held back. */
export interface VisibleItems {
  readonly visibleItems: readonly FeedItem[];
  readonly heldBackCount: number;
  /** Scrolls to the top, which shows all notifications. */
  readonly showAll: () => void;
}

/** Holds back new notifications while the reader has scrolled down, so that the rows do not move. */
export function useHeldBackItems(items: readonly FeedItem[]): VisibleItems {
  const newestId = items[0]?.id ?? "";
  // Null while nothing is held back.
  const [newestVisibleId, setNewestVisibleId] = useState<string | null>(null);
  useEffect(() => {
    const controller = new AbortController();
    const update = () =>
      setNewestVisibleId((previous) => (scrollY < TOP_PX ? null : (previous ?? newestId)));
    update();
    addEventListener("scroll", update, { signal: controller.signal, passive: true });
    return () => controller.abort();
  }, [newestId]);
  // If all earlier notifications are gone, the index is -1 and nothing is held back.
  const heldBackCount =
    newestVisibleId === null
      ? 0
      : Math.max(
          0,
          items.findIndex(({ id }) => id <= newestVisibleId),
        );
  return {
    visibleItems: heldBackCount === 0 ? items : items.slice(heldBackCount),
    heldBackCount,
    showAll: scrollToTop,
  };
}

/**
 * Only scrolls. The new rows appear with the scroll event, because the list must know the new position before it
 * renders them.
 */
function scrollToTop(): void {
  scrollTo({ top: 0 });
  focusPageTitle();
}
