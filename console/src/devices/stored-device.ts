/** This browser's last registration as a device. */
export interface StoredDevice {
  readonly accountId: string;
  readonly deviceId: string;
  readonly endpoint: string;
}

const STORAGE_KEY = "tocsin.device";

/** Returns the stored device of this account; null if there is none, or if another account's device is stored. */
export function readStoredDevice(accountId: string): StoredDevice | null {
  const storedDevice = parseStoredDevice(localStorage.getItem(STORAGE_KEY));
  return storedDevice?.accountId === accountId ? storedDevice : null;
}

/** Returns whether another account registered this browser last and did not remove it. */
export function belongsToOtherAccount(accountId: string): boolean {
  const storedDevice = parseStoredDevice(localStorage.getItem(STORAGE_KEY));
  return storedDevice !== null && storedDevice.accountId !== accountId;
}

/** Stores which device this browser is, so that an account that signs in later does not take it over by accident. */
export function storeDevice(device: StoredDevice): void {
  localStorage.setItem(STORAGE_KEY, JSON.stringify(device));
}

/** Deletes the stored device. */
export function deleteStoredDevice(): void {
  localStorage.removeItem(STORAGE_KEY);
}

/** Returns the device in a stored string; null for any other value. */
export function parseStoredDevice(text: string | null): StoredDevice | null {
  const value = parseJson(text);
  if (typeof value !== "object" || value === null) return null;
  if (!("accountId" in value && "deviceId" in value && "endpoint" in value)) return null;
  const { accountId, deviceId, endpoint } = value;
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
