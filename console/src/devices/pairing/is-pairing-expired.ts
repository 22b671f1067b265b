import { TocsinError } from "@tocsin/sdk";

/** Returns whether the server rejected a pairing because it was used, has expired or never existed. */
export function isPairingExpired(error: unknown): boolean {
  return error instanceof TocsinError && error.code === "expired";
}
