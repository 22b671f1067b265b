import { useEffect } from "react";

/** Calls `onChange` when the person allows or blocks notifications in the browser's own settings. */
export function usePermissionChange(onChange: () => void): void {
  useEffect(() => {
    const view = new AbortController();
    void watch(onChange, view.signal);
    return () => view.abort();
  }, [onChange]);
}

async function watch(onChange: () => void, signal: AbortSignal): Promise<void> {
  try {
    const status = await navigator.permissions.query({ name: "notifications" });
    status.addEventListener("change", onChange, { signal });
  } catch {
    // Without this event, the person can have the page check again.
  }
}
