import { useSyncExternalStore } from "react";

let areShown = false;
const listeners = new Set<() => void>();

/** Shows which keys the console knows. */
export function showKeys(): void {
  change(true);
}

/** Puts the list of the keys away. */
export function hideKeys(): void {
  change(false);
}

/** Returns whether the list of the keys is shown. */
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
