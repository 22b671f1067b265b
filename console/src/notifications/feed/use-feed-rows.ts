import { useWindowVirtualizer, type VirtualItem } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from "react";
import type { Density } from "./density.ts";
import type { FeedFilter } from "./feed-filter.ts";
import type { FeedRowEntry } from "./feed-rows.ts";

/** Estimated height of a row before it is measured. */
const ROW_ESTIMATE_PX = { compact: 51, comfortable: 104 } as const;
/** Rows above and below the screen, so that none is missing during a scroll. */
const OVERSCAN = 6;
/** Height that the bars of a phone and the edge of a screen cover. */
const SCROLL_PADDING_PX = 96;
const KEPT_MAX = 10;

interface FeedRowsInput {
  readonly list: RefObject<HTMLElement | null>;
  readonly filter: FeedFilter;
  readonly density: Density;
  readonly entries: readonly FeedRowEntry[];
  /** Index of the opened row; -1 for none. */
  readonly openedAt: number;
}

/** Rows near the screen, and their positions. */
export interface FeedRows {
  readonly rows: readonly VirtualItem[];
  /** Height of all rows, in pixels. */
  readonly height: number;
  /** Distance of the list from the top of the page, in pixels. */
  readonly margin: number;
  /** Measures a row. */
  readonly measure: (row: Element | null) => void;
}

/** Returns the rows that the page holds; after a return to the list they keep their measured heights. */
export function useFeedRows(input: FeedRowsInput): FeedRows {
  const { list, filter, density, entries, openedAt } = input;
  const margin = useTop(list);
  const place = JSON.stringify([filter, density]);
  const virtualizer = useWindowVirtualizer({
    count: entries.length,
    estimateSize: () => ROW_ESTIMATE_PX[density],
    getItemKey: (index) => entries[index]?.key ?? index,
    overscan: OVERSCAN,
    scrollMargin: margin,
    scrollPaddingStart: SCROLL_PADDING_PX,
    scrollPaddingEnd: SCROLL_PADDING_PX,
    initialMeasurementsCache: kept.get(place) ?? [],
  });
  useEffect(() => () => keep(place, virtualizer.takeSnapshot()), [place, virtualizer]);
  useOpenedInView(openedAt, virtualizer.scrollToIndex);
  return {
    rows: virtualizer.getVirtualItems(),
    height: virtualizer.getTotalSize(),
    margin,
    measure: virtualizer.measureElement,
  };
}

/** Scrolls to the opened row: the keyboard opens rows that are not on the screen. */
function useOpenedInView(index: number, scrollToIndex: (index: number) => void): void {
  const before = useRef(index);
  useEffect(() => {
    if (index >= 0 && before.current >= 0 && index !== before.current) scrollToIndex(index);
    before.current = index;
  }, [index, scrollToIndex]);
}

/** Returns the distance of an element from the top of the page, in pixels. */
function useTop(element: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const look = () => {
      const { top: onScreen = 0 } = element.current?.getBoundingClientRect() ?? {};
      setTop(Math.round(onScreen + scrollY));
    };
    look();
    // Elements above the list may come, go or wrap, which changes the height of the page.
    const observer = new ResizeObserver(look);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [element]);
  return top;
}

const kept = new Map<string, VirtualItem[]>();

function keep(place: string, rows: VirtualItem[]): void {
  kept.delete(place);
  kept.set(place, rows);
  const [oldest] = kept.keys();
  if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest);
}
