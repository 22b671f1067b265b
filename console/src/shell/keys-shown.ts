import { useSyncExternalStore } from "react";

let areShown = false;
const listeners = new Set<() => void>();

/** Shows the list of keyboard shortcuts. */
export function showKeys(): void {
  change(true);
}

/** Hides the list of keyboard shortcuts. */
export function hideKeys(): void {
  change(false);
}

/** Returns whether the list of keyboard shortcuts is shown. */
export function useKeysShown(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => areShown,
  );
}

function change(shown: boolean): void {
  areShown = shown;
  for (const listener of listeners) listener();
}
