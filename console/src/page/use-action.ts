import { useRef, useState } from "react";
import { showError } from "./toasts.ts";

/** An action that cannot run twice at the same time. */
export interface Action {
  readonly isRunning: boolean;
  readonly start: () => void;
}

/** Returns an action that runs `run`. `onError` gets its errors; by default, a toast shows them. */
export function useAction(
  run: () => Promise<void>,
  onError: (error: unknown) => void = showError,
): Action {
  const [isRunning, setIsRunning] = useState(false);
  // Two clicks can arrive before the next render.
  const isRunningRef = useRef(false);
  const perform = async () => {
    if (isRunningRef.current) return;
    isRunningRef.current = true;
    setIsRunning(true);
    try {
      await run();
    } catch (error) {
      onError(error);
    } finally {
      isRunningRef.current = false;
      setIsRunning(false);
    }
  };
  return { isRunning, start: () => void perform() };
}
