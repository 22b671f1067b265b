import { useSyncExternalStore } from "react";

/** Chromium's event for a page that can be installed (W3C, "beforeinstallprompt"); TypeScript does not know it. */
interface InstallEvent extends Event {
  prompt(): Promise<unknown>;
}

let offered: InstallEvent | null = null;
const listeners = new Set<() => void>();

/** Keeps the browser's offer to install the page until the person wants it; called once, before it may come. */
export function watchInstall(): void {
  addEventListener("beforeinstallprompt", (event) => {
    event.preventDefault();
    if (isInstallEvent(event)) offer(event);
  });
  addEventListener("appinstalled", () => offer(null));
}

/** Returns a function that asks the browser to install the page; null if it cannot. */
export function useInstall(): (() => Promise<void>) | null {
  const event = useSyncExternalStore(subscribe, () => offered);
  if (event === null) return null;
  return async () => {
    // An offer can be used only once.
    offer(null);
    await event.prompt();
  };
}

function offer(event: InstallEvent | null): void {
  offered = event;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function isInstallEvent(event: Event): event is InstallEvent {
  return "prompt" in event && typeof event.prompt === "function";
}
