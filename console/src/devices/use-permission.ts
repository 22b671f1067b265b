import { useEffect } from "react";

/** Tells `onChange` that the person allowed or blocked notifications in the browser's own settings. */
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
    // A browser that does not tell is asked again by the person.
  }
}
