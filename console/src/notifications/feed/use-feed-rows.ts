import { useWindowVirtualizer, type VirtualItem } from "@tanstack/react-virtual";
import type { FeedItem } from "@tocsin/sdk";
import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from "react";
import type { FeedFilter } from "./feed-filter.ts";

/** What a row measures before it is measured. */
const ROW_ESTIMATE_PX = 104;
/** Rows above and below the screen, so that none is missing while one scrolls. */
const OVERSCAN = 6;
/** What the bars of a phone and the edge of a screen cover. */
const SCROLL_PADDING_PX = 96;
const KEPT_MAX = 10;

interface FeedRowsInput {
  readonly list: RefObject<HTMLElement | null>;
  readonly filter: FeedFilter;
  readonly items: readonly FeedItem[];
  readonly openedId: string | null;
}

/** The rows near the screen, and where they stand. */
export interface FeedRows {
  readonly rows: readonly VirtualItem[];
  /** Of all rows, in pixels. */
  readonly height: number;
  /** How far the list begins below the top of the page, in pixels. */
  readonly margin: number;
  /** Measures a row. */
  readonly measure: (row: Element | null) => void;
}

/** Returns the rows that the page holds; whoever comes back finds them measured as they were left. */
export function useFeedRows({ list, filter, items, openedId }: FeedRowsInput): FeedRows {
  const margin = useTop(list);
  const place = JSON.stringify(filter);
  const virtualizer = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => ROW_ESTIMATE_PX,
    getItemKey: (index) => items[index]?.id ?? index,
    overscan: OVERSCAN,
    scrollMargin: margin,
    scrollPaddingStart: SCROLL_PADDING_PX,
    scrollPaddingEnd: SCROLL_PADDING_PX,
    initialMeasurementsCache: kept.get(place) ?? [],
  });
  useEffect(() => () => keep(place, virtualizer.takeSnapshot()), [place, virtualizer]);
  useOpenedInView(
    items.findIndex(({ id }) => id === openedId),
    virtualizer.scrollToIndex,
  );
  return {
    rows: virtualizer.getVirtualItems(),
    height: virtualizer.getTotalSize(),
    margin,
    measure: virtualizer.measureElement,
  };
}

/** The keyboard opens rows that are not on the screen. */
function useOpenedInView(index: number, scrollToIndex: (index: number) => void): void {
  const before = useRef(index);
  useEffect(() => {
    if (index >= 0 && before.current >= 0 && index !== before.current) scrollToIndex(index);
    before.current = index;
  }, [index, scrollToIndex]);
}

/** Returns how far an element begins below the top of the page. */
function useTop(element: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const look = () => {
      const { top: onScreen = 0 } = element.current?.getBoundingClientRect() ?? {};
      setTop(Math.round(onScreen + scrollY));
    };
    look();
    // What stands above the list may come, go or wrap, which changes the height of the page.
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
