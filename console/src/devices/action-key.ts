import type { RegisteredDevice } from "@tocsin/sdk";
import { client } from "../client.ts";
import { getCurrentLanguage } from "../language/language.ts";
import { deleteRecord, readRecord, writeRecord } from "../worker/worker-records.ts";

/** Tabs take turns. Otherwise, one could store a key that another one has already replaced. */
const LOCK_NAME = "tocsin.action-key";

/**
 * Stores the action key of this browser's device and the language of the console for the worker. Gets a new key if
 * this browser has none for the device. Never rejects: without a key, notifications still arrive, and the next visit
 * tries again.
 */
export async function storeActionKey(device: RegisteredDevice): Promise<void> {
  await navigator.locks.request(LOCK_NAME, () => storeOrRenew(device)).catch(() => {});
}

async function storeOrRenew({ id: deviceId, actionKey }: RegisteredDevice): Promise<void> {
  await writeRecord("language", getCurrentLanguage());
  if (actionKey === undefined && (await readRecord("deviceKey"))?.deviceId === deviceId) return;
  const key = actionKey ?? (await client.devices.renewActionKey(deviceId)).actionKey;
  await writeRecord("deviceKey", { deviceId, actionKey: key });
}

/** Deletes the stored action key if it belongs to this device, which was removed from the server. Never rejects. */
export async function deleteActionKey(deviceId: string): Promise<void> {
  const storedKey = await readRecord("deviceKey").catch(() => null);
  if (storedKey?.deviceId === deviceId) await deleteRecord("deviceKey").catch(() => {});
}
