import { useEffect } from "react";

/** Calls `onPress` when a key is pressed with Ctrl or ⌘. */
export function useShortcut(key: string, onPress: () => void): void {
  useEffect(() => {
    const controller = new AbortController();
    const handleKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== key || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      onPress();
    };
    addEventListener("keydown", handleKeyDown, { signal: controller.signal });
    return () => controller.abort();
  }, [key, onPress]);
}
