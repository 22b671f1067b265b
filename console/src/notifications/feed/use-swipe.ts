import { useRef, useState, type PointerEvent, type SyntheticEvent } from "react";

/** Distance after which a swipe takes effect. */
const DONE_PX = 96;
/** Distance before which a finger may still begin to scroll. */
const BEGIN_PX = 12;

/** Side to which a row is swiped, as the screen shows it. */
export type SwipeSide = "left" | "right";

export interface SwipeOptions {
  readonly onSwipe: (side: SwipeSide) => void;
}

interface Touch {
  readonly pointerId: number;
  readonly x: number;
}

/**
 * Returns the side to which a finger swipes a row, and the handlers that follow it. The row must leave vertical moves
 * to the browser (`touch-action: pan-y`); mouse and keyboard have buttons for the same.
 */
export function useSwipe({ onSwipe }: SwipeOptions) {
  const touch = useRef<Touch | null>(null);
  const hasMoved = useRef(false);
  const [side, setSide] = useState<SwipeSide | null>(null);
  const follow = (row: HTMLElement, distance: number) => {
    hasMoved.current ||= Math.abs(distance) >= BEGIN_PX;
    if (!hasMoved.current) return;
    row.style.translate = `${distance}px`;
    setSide(distance < 0 ? "left" : "right");
  };
  const end = (row: HTMLElement) => {
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
      follow(currentTarget, clientX - touch.current.x);
    },
    onPointerUp: ({ pointerId, clientX, currentTarget }: PointerEvent<HTMLElement>) => {
      if (touch.current?.pointerId !== pointerId) return;
      const distance = clientX - touch.current.x;
      end(currentTarget);
      if (Math.abs(distance) >= DONE_PX) onSwipe(distance < 0 ? "left" : "right");
    },
    onPointerCancel: ({ currentTarget }: PointerEvent<HTMLElement>) => end(currentTarget),
    // A swipe must not open the row.
    onClickCapture: (event: SyntheticEvent) => {
      if (!hasMoved.current) return;
      event.preventDefault();
      event.stopPropagation();
    },
  };
  return { side, handlers };
}
