import { useSyncExternalStore } from "react";
import type { PageMessage } from "./message.ts";

/** Minimum interval between checks for a new version. They run when the page becomes visible. */
const CHECK_INTERVAL_MIN_MS = 60 * 60_000;

let activateOfferedUpdate: (() => void) | null = null;
const listeners = new Set<() => void>();

/**
 * Watches for a new version of the console. The person activates it, or the browser does after all pages have closed.
 */
export async function watchUpdates(): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  const registration = await navigator.serviceWorker.ready;
  const offerWaitingVersion = () => {
    // Without a controller, this is the browser's first worker, not an update.
    const { controller } = navigator.serviceWorker;
    if (registration.waiting !== null && controller !== null) {
      offerUpdate(() => activateUpdate(registration));
    }
  };
  offerWaitingVersion();
  registration.addEventListener("updatefound", () => {
    registration.installing?.addEventListener("statechange", offerWaitingVersion);
  });
  checkWhenVisible(registration);
}

/** Shows that a new version is ready, with a button that calls `load`. */
export function offerUpdate(load: () => void): void {
  activateOfferedUpdate = load;
  for (const listener of listeners) listener();
}

/** Returns a function that loads the new version; null if there is none. */
export function useActivateUpdate(): (() => void) | null {
  return useSyncExternalStore(subscribe, () => activateOfferedUpdate);
}

/** Activates the new version and reloads the page. Another page may already have activated it. */
function activateUpdate({ waiting }: ServiceWorkerRegistration): void {
  if (waiting === null) {
    reload();
    return;
  }
  navigator.serviceWorker.addEventListener("controllerchange", reload, { once: true });
  waiting.postMessage({ kind: "take-over" } satisfies PageMessage);
}

function reload(): void {
  location.reload();
}

function checkWhenVisible(registration: ServiceWorkerRegistration): void {
  let checkedAt = performance.now();
  document.addEventListener("visibilitychange", () => {
    const isDue = performance.now() - checkedAt >= CHECK_INTERVAL_MIN_MS;
    if (document.visibilityState !== "visible" || !isDue) return;
    checkedAt = performance.now();
    // A failure is ignored: without the server, there is no new version.
    registration.update().catch(() => {});
  });
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
