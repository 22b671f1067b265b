import { useRef, useState } from "react";
import { fail } from "./toasts.ts";

/** An action that runs once at a time. */
export interface Action {
  readonly isRunning: boolean;
  readonly start: () => void;
}

/** Returns the action; `onError` is told what it throws, and without one a toast tells it. */
export function useAction(
  run: () => Promise<void>,
  onError: (error: unknown) => void = fail,
): Action {
  const [isRunning, setRunning] = useState(false);
  // Two presses may come before the page is drawn anew.
  const running = useRef(false);
  const perform = async () => {
    if (running.current) return;
    running.current = true;
    setRunning(true);
    try {
      await run();
    } catch (error) {
      onError(error);
    } finally {
      running.current = false;
      setRunning(false);
    }
  };
  return { isRunning, start: () => void perform() };
}
