import { client } from "../client.ts";
import { isNotFound } from "../errors.ts";
import { deleteActionKey } from "./action-key.ts";

/** Removes a device of the account, and its key if this browser is that device. Safe to repeat. */
export async function removeDevice(deviceId: string): Promise<void> {
  try {
    await client.devices.remove(deviceId);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  await deleteActionKey(deviceId);
}
