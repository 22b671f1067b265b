import { useSyncExternalStore } from "react";
import type { PageMessage } from "./message.ts";

/** A page that stays open looks for a new version so often, whenever somebody comes back to it. */
const LOOK_EVERY_MS = 60 * 60_000;

let offered: (() => void) | null = null;
const listeners = new Set<() => void>();

/** Watches for a new version of the console; it waits until the person wants it, or no page is open any more. */
export async function watchUpdates(): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  const registration = await navigator.serviceWorker.ready;
  const look = () => {
    // The first worker of a browser updates nothing.
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

/** Has the page say that a new version is ready; `load` brings it. */
export function offerUpdate(load: () => void): void {
  offered = load;
  for (const listener of listeners) listener();
}

/** Returns what loads the new version, null where there is none. */
export function useUpdate(): (() => void) | null {
  return useSyncExternalStore(subscribe, () => offered);
}

/** Another page may have brought the new version in already. */
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
    // Without the server there is nothing new.
    registration.update().catch(() => {});
  });
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
