import { client } from "../client.ts";
import { isNotFound } from "../errors.ts";

/** Removes a device of the account. Safe to repeat. */
export async function removeDevice(deviceId: string): Promise<void> {
  try {
    await client.devices.remove(deviceId);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
