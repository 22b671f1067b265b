import { useEffect } from "react";

/** Calls `onPress` when a key is pressed together with Ctrl, or ⌘ on a Mac. */
export function useShortcut(key: string, onPress: () => void): void {
  useEffect(() => {
    const view = new AbortController();
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== key || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      onPress();
    };
    addEventListener("keydown", listen, { signal: view.signal });
    return () => view.abort();
  }, [key, onPress]);
}
