import { useWindowVirtualizer, type VirtualItem } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from "react";
import type { Density } from "./density.ts";
import type { FeedFilter } from "./feed-filter.ts";
import type { FeedRowContent } from "./feed-rows.ts";

/** Estimated height of a row before its measurement. */
const ROW_ESTIMATE_PX = { compact: 51, comfortable: 104 } as const;
/** Number of rendered rows above and below the screen, so that none is missing during a scroll. */
const OVERSCAN_ROWS = 6;
/** Height that a phone's bars and the edge of the screen cover. */
const SCROLL_PADDING_PX = 96;
/** Maximum number of lists whose row heights are cached. */
const CACHED_LISTS_MAX = 10;

interface VisibleRowsInput {
  readonly list: RefObject<HTMLElement | null>;
  readonly filter: FeedFilter;
  readonly density: Density;
  readonly rowContents: readonly FeedRowContent[];
  /** Index of the opened row; -1 for none. */
  readonly openedIndex: number;
}

/** The rows near the screen and their positions. */
export interface VisibleRows {
  readonly rows: readonly VirtualItem[];
  /** Height of all rows, in pixels. */
  readonly height: number;
  /** Distance of the list from the top of the page, in pixels. */
  readonly margin: number;
  /** Measures a row. */
  readonly measure: (row: Element | null) => void;
}

/** Returns the rows to render. Measured heights are cached, so that a list looks the same when the reader returns. */
export function useVisibleRows(input: VisibleRowsInput): VisibleRows {
  const { list, filter, density, rowContents, openedIndex } = input;
  const margin = useOffsetTop(list);
  const cacheKey = JSON.stringify([filter, density]);
  const virtualizer = useWindowVirtualizer({
    count: rowContents.length,
    estimateSize: () => ROW_ESTIMATE_PX[density],
    getItemKey: (index) => rowContents[index]?.key ?? index,
    overscan: OVERSCAN_ROWS,
    scrollMargin: margin,
    scrollPaddingStart: SCROLL_PADDING_PX,
    scrollPaddingEnd: SCROLL_PADDING_PX,
    initialMeasurementsCache: heightCache.get(cacheKey) ?? [],
  });
  useEffect(
    () => () => cacheHeights(cacheKey, virtualizer.takeSnapshot()),
    [cacheKey, virtualizer],
  );
  useScrollToOpened(openedIndex, virtualizer.scrollToIndex);
  return {
    rows: virtualizer.getVirtualItems(),
    height: virtualizer.getTotalSize(),
    margin,
    measure: virtualizer.measureElement,
  };
}

/** Scrolls to the open row, because the keyboard can open rows that are not on the screen. */
function useScrollToOpened(index: number, scrollToIndex: (index: number) => void): void {
  const previousIndex = useRef(index);
  useEffect(() => {
    if (index >= 0 && previousIndex.current >= 0 && index !== previousIndex.current)
      scrollToIndex(index);
    previousIndex.current = index;
  }, [index, scrollToIndex]);
}

/** Returns the distance of an element from the top of the page, in pixels. */
function useOffsetTop(element: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measure = () => {
      const { top: viewportTop = 0 } = element.current?.getBoundingClientRect() ?? {};
      setTop(Math.round(viewportTop + scrollY));
    };
    measure();
    // Elements above the list can appear, disappear or wrap, which changes the height of the page.
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [element]);
  return top;
}

const heightCache = new Map<string, VirtualItem[]>();

function cacheHeights(cacheKey: string, rows: VirtualItem[]): void {
  heightCache.delete(cacheKey);
  heightCache.set(cacheKey, rows);
  const [oldestKey] = heightCache.keys();
  if (heightCache.size > CACHED_LISTS_MAX && oldestKey !== undefined) heightCache.delete(oldestKey);
}
