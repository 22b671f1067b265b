import { useRef, useState } from "react";
import { fail } from "./toasts.ts";

/** An action that runs once at a time. */
export interface Action {
  readonly isRunning: boolean;
  readonly start: () => void;
}

/** Returns the action; its errors go to `onError`, by default into a toast. */
export function useAction(
  run: () => Promise<void>,
  onError: (error: unknown) => void = fail,
): Action {
  const [isRunning, setRunning] = useState(false);
  // Two presses may come before the next render.
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
