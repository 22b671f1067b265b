import { useRef, useState, type PointerEvent, type SyntheticEvent } from "react";

/** Distance at which a swipe takes effect. */
const SWIPE_MIN_PX = 96;
/** Distance at which a touch becomes a swipe. Before it, the touch can still scroll. */
const DRAG_MIN_PX = 12;

/** The side of the screen that a row is swiped to. */
export type SwipeSide = "left" | "right";

interface SwipeOptions {
  readonly onSwipe: (side: SwipeSide) => void;
}

interface Touch {
  readonly pointerId: number;
  readonly x: number;
}

/**
 * Returns the side that a touch swipes a row to, and the event handlers of the row. The row must leave vertical moves
 * to the browser (`touch-action: pan-y`). Mouse and keyboard use buttons instead.
 */
export function useSwipe({ onSwipe }: SwipeOptions) {
  const touch = useRef<Touch | null>(null);
  const hasMoved = useRef(false);
  const [side, setSide] = useState<SwipeSide | null>(null);
  const drag = (row: HTMLElement, distance: number) => {
    hasMoved.current ||= Math.abs(distance) >= DRAG_MIN_PX;
    if (!hasMoved.current) return;
    row.style.translate = `${distance}px`;
    setSide(distance < 0 ? "left" : "right");
  };
  const endDrag = (row: HTMLElement) => {
    touch.current = null;
    row.style.translate = "";
    setSide(null);
  };
  const handlers = {
    onPointerDown: ({ pointerType, isPrimary, pointerId, clientX }: PointerEvent) => {
      hasMoved.current = false;
      if (pointerType !== "touch" || !isPrimary) return;
      touch.current = { pointerId, x: clientX };
    },
    onPointerMove: ({ pointerId, clientX, currentTarget }: PointerEvent<HTMLElement>) => {
      if (touch.current?.pointerId !== pointerId) return;
      drag(currentTarget, clientX - touch.current.x);
    },
    onPointerUp: ({ pointerId, clientX, currentTarget }: PointerEvent<HTMLElement>) => {
      if (touch.current?.pointerId !== pointerId) return;
      const distance = clientX - touch.current.x;
      endDrag(currentTarget);
      if (Math.abs(distance) >= SWIPE_MIN_PX) onSwipe(distance < 0 ? "left" : "right");
    },
    onPointerCancel: ({ currentTarget }: PointerEvent<HTMLElement>) => endDrag(currentTarget),
    // A swipe must not open the row.
    onClickCapture: (event: SyntheticEvent) => {
      if (!hasMoved.current) return;
      event.preventDefault();
      event.stopPropagation();
    },
  };
  return { side, handlers };
}
