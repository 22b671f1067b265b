import { useSyncExternalStore } from "react";

let isVisible = false;
const listeners = new Set<() => void>();

/** Shows the list of keyboard shortcuts. */
export function showKeyboardHelp(): void {
  setVisible(true);
}

/** Hides the list of keyboard shortcuts. */
export function hideKeyboardHelp(): void {
  setVisible(false);
}

/** Returns whether the list of keyboard shortcuts is visible. */
export function useIsKeyboardHelpVisible(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => isVisible,
  );
}

function setVisible(visible: boolean): void {
  isVisible = visible;
  for (const listener of listeners) listener();
}
