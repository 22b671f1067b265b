import { useSyncExternalStore } from "react";

/** Chromium's event for an installable page (WICG, "Manifest Incubations"). TypeScript has no type for it. */
interface InstallPromptEvent extends Event {
  prompt(): Promise<unknown>;
}

let promptEvent: InstallPromptEvent | null = null;
const listeners = new Set<() => void>();

/** Stores the browser's install prompt for later. Called once at the start, before the browser can fire the event. */
export function captureInstallPrompt(): void {
  addEventListener("beforeinstallprompt", (event) => {
    event.preventDefault();
    if (isInstallPromptEvent(event)) setPromptEvent(event);
  });
  addEventListener("appinstalled", () => setPromptEvent(null));
}

/** Returns a function that shows the browser's install prompt; null if there is none. */
export function useInstallPrompt(): (() => Promise<void>) | null {
  const event = useSyncExternalStore(subscribe, () => promptEvent);
  if (event === null) return null;
  return async () => {
    // A prompt can be shown only once.
    setPromptEvent(null);
    await event.prompt();
  };
}

function setPromptEvent(event: InstallPromptEvent | null): void {
  promptEvent = event;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function isInstallPromptEvent(event: Event): event is InstallPromptEvent {
  return "prompt" in event && typeof event.prompt === "function";
}
