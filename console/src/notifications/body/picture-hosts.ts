import { useSyncExternalStore } from "react";

const STORAGE_KEY = "tocsin.pictures";
/** Maximum number of stored hosts. The oldest are dropped. */
const HOSTS_MAX = 100;

const listeners = new Set<() => void>();

/** Returns whether the person has allowed this browser to show pictures of a host. */
export function useArePicturesAllowed(host: string): boolean {
  return useSyncExternalStore(subscribe, () =>
    parseHosts(localStorage.getItem(STORAGE_KEY)).includes(host),
  );
}

/** Allows the pictures of a host in this browser. */
export function allowPictures(host: string): void {
  const otherHosts = parseHosts(localStorage.getItem(STORAGE_KEY)).filter(
    (storedHost) => storedHost !== host,
  );
  storeHosts([...otherHosts, host].slice(-HOSTS_MAX));
}

/** Stops showing the pictures of a host in this browser. */
export function disallowPictures(host: string): void {
  storeHosts(
    parseHosts(localStorage.getItem(STORAGE_KEY)).filter((storedHost) => storedHost !== host),
  );
}

/** Returns the hosts in a stored string; empty if it is invalid. */
export function parseHosts(text: string | null): readonly string[] {
  try {
    const value: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(value) ? value.filter((entry) => typeof entry === "string") : [];
  } catch {
    return [];
  }
}

function storeHosts(hosts: readonly string[]): void {
  if (hosts.length === 0) localStorage.removeItem(STORAGE_KEY);
  else localStorage.setItem(STORAGE_KEY, JSON.stringify(hosts));
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // Another page of the console can change the hosts.
  addEventListener("storage", listener);
  return () => {
    listeners.delete(listener);
    removeEventListener("storage", listener);
  };
}
