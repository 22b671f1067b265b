/** This browser's device, as it was registered last. */
export interface Registered {
  readonly accountId: string;
  readonly deviceId: string;
  readonly endpoint: string;
}

const STORAGE_KEY = "tocsin.device";

/** Returns the device that `remember` stored for this account; null for another account or none. */
export function recall(accountId: string): Registered | null {
  const kept = parseRegistered(localStorage.getItem(STORAGE_KEY));
  return kept?.accountId === accountId ? kept : null;
}

/** Returns whether this browser is the device of another account that did not give it up. */
export function isElsewhere(accountId: string): boolean {
  const kept = parseRegistered(localStorage.getItem(STORAGE_KEY));
  return kept !== null && kept.accountId !== accountId;
}

/** Stores which device this browser is: an account that signs in here later must not take it over unasked. */
export function remember(registered: Registered): void {
  localStorage.setItem(STORAGE_KEY, JSON.stringify(registered));
}

/** Forgets which device this browser is. */
export function forget(): void {
  localStorage.removeItem(STORAGE_KEY);
}

/** Returns the device in a stored text; null for anything else. */
export function parseRegistered(text: string | null): Registered | null {
  const kept = parseJson(text);
  if (typeof kept !== "object" || kept === null) return null;
  if (!("accountId" in kept && "deviceId" in kept && "endpoint" in kept)) return null;
  const { accountId, deviceId, endpoint } = kept;
  if (typeof accountId !== "string" || typeof deviceId !== "string") return null;
  return typeof endpoint === "string" ? { accountId, deviceId, endpoint } : null;
}

function parseJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null;
  }
}
