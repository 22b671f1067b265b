import { useWindowVirtualizer, type VirtualItem } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from "react";
import type { Density } from "./density.ts";
import type { FeedFilter } from "./feed-filter.ts";
import type { FeedRowEntry } from "./feed-rows.ts";

/** What a row measures before it is measured. */
const ROW_ESTIMATE_PX = { compact: 51, comfortable: 104 } as const;
/** Rows above and below the screen, so that none is missing while one scrolls. */
const OVERSCAN = 6;
/** What the bars of a phone and the edge of a screen cover. */
const SCROLL_PADDING_PX = 96;
const KEPT_MAX = 10;

interface FeedRowsInput {
  readonly list: RefObject<HTMLElement | null>;
  readonly filter: FeedFilter;
  readonly density: Density;
  readonly entries: readonly FeedRowEntry[];
  /** The place of the row that is opened; -1 for none. */
  readonly openedAt: number;
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
