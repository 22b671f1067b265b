import { useSyncExternalStore } from "react";

const STORAGE_KEY = "tocsin.pictures";
/** Hosts that are remembered; beyond that, the oldest are forgotten. */
const HOSTS_MAX = 100;

const listeners = new Set<() => void>();

/** Returns whether this browser shows pictures of a host, because a person asked for one. */
export function usePicturesOf(host: string): boolean {
  return useSyncExternalStore(subscribe, () =>
    hostsIn(localStorage.getItem(STORAGE_KEY)).includes(host),
  );
}

/** Shows the pictures of a host from now on. */
export function showPicturesOf(host: string): void {
  const others = hostsIn(localStorage.getItem(STORAGE_KEY)).filter((one) => one !== host);
  keep([...others, host].slice(-HOSTS_MAX));
}

/** Stops showing the pictures of a host. */
export function hidePicturesOf(host: string): void {
  keep(hostsIn(localStorage.getItem(STORAGE_KEY)).filter((one) => one !== host));
}

/** Returns the hosts in a stored text; none if it is malformed. */
export function hostsIn(text: string | null): readonly string[] {
  try {
    const kept: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(kept) ? kept.filter((one) => typeof one === "string") : [];
  } catch {
    return [];
  }
}

function keep(hosts: readonly string[]): void {
  if (hosts.length === 0) localStorage.removeItem(STORAGE_KEY);
  else localStorage.setItem(STORAGE_KEY, JSON.stringify(hosts));
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // Another page of the console may have changed it.
  addEventListener("storage", listener);
  return () => {
    listeners.delete(listener);
    removeEventListener("storage", listener);
  };
}
