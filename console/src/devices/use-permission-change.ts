import { useEffect } from "react";

/** Calls `onChange` when notifications are allowed or blocked in the browser's settings. */
export function usePermissionChange(onChange: () => void): void {
  useEffect(() => {
    const controller = new AbortController();
    void watchPermission(onChange, controller.signal);
    return () => controller.abort();
  }, [onChange]);
}

async function watchPermission(onChange: () => void, signal: AbortSignal): Promise<void> {
  try {
    const status = await navigator.permissions.query({ name: "notifications" });
    status.addEventListener("change", onChange, { signal });
  } catch {
    // Browsers without this event need the button that checks again.
  }
}
