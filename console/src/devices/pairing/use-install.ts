import { useSyncExternalStore } from "react";

/** Chromium's event for an installable page (W3C, "beforeinstallprompt"). TypeScript has no type for it. */
interface InstallEvent extends Event {
  prompt(): Promise<unknown>;
}

let installEvent: InstallEvent | null = null;
const listeners = new Set<() => void>();

/** Keeps the browser's install prompt for later. Called once at the start, before the browser can fire the event. */
export function watchInstall(): void {
  addEventListener("beforeinstallprompt", (event) => {
    event.preventDefault();
    if (isInstallEvent(event)) setInstallEvent(event);
  });
  addEventListener("appinstalled", () => setInstallEvent(null));
}

/** Returns a function that shows the browser's install prompt; null if there is none. */
export function useInstall(): (() => Promise<void>) | null {
  const event = useSyncExternalStore(subscribe, () => installEvent);
  if (event === null) return null;
  return async () => {
    // A prompt can be shown only once.
    setInstallEvent(null);
    await event.prompt();
  };
}

function setInstallEvent(event: InstallEvent | null): void {
  installEvent = event;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function isInstallEvent(event: Event): event is InstallEvent {
  return "prompt" in event && typeof event.prompt === "function";
}
