import { useRef, useState } from "react";
import { showError } from "./toasts.ts";

/** An action that runs once at a time. */
export interface Action {
  readonly isRunning: boolean;
  readonly start: () => void;
}

/** Returns the action. `onError` gets its errors; by default, a toast shows them. */
export function useAction(
  run: () => Promise<void>,
  onError: (error: unknown) => void = showError,
): Action {
  const [isRunning, setRunning] = useState(false);
  // Two clicks can arrive before the next render.
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
