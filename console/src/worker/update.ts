import { useSyncExternalStore } from "react";
import type { PageMessage } from "./message.ts";

/** Shortest interval between checks for a new version, which run when a person comes back to an open page. */
const LOOK_EVERY_MS = 60 * 60_000;

let offered: (() => void) | null = null;
const listeners = new Set<() => void>();

/** Watches for a new version of the console, which waits until the person wants it or no page is open any more. */
export async function watchUpdates(): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  const registration = await navigator.serviceWorker.ready;
  const look = () => {
    // The first worker of a browser is not an update.
    const { controller } = navigator.serviceWorker;
    if (registration.waiting !== null && controller !== null) {
      offerUpdate(() => takeOver(registration));
    }
  };
  look();
  registration.addEventListener("updatefound", () => {
    registration.installing?.addEventListener("statechange", look);
  });
  lookAgain(registration);
}

/** Shows that a new version is ready; `load` loads it. */
export function offerUpdate(load: () => void): void {
  offered = load;
  for (const listener of listeners) listener();
}

/** Returns a function that loads the new version; null if there is none. */
export function useUpdate(): (() => void) | null {
  return useSyncExternalStore(subscribe, () => offered);
}

/** Another page may already have activated the new version. */
function takeOver({ waiting }: ServiceWorkerRegistration): void {
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

function lookAgain(registration: ServiceWorkerRegistration): void {
  let lookedAt = performance.now();
  document.addEventListener("visibilitychange", () => {
    const isDue = performance.now() - lookedAt >= LOOK_EVERY_MS;
    if (document.visibilityState !== "visible" || !isDue) return;
    lookedAt = performance.now();
    // Without the server there is no new version.
    registration.update().catch(() => {});
  });
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
