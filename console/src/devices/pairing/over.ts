import { TocsinError } from "@tocsin/sdk";

/** Returns whether a pairing was used, has expired, or never existed. */
export function isOver(error: unknown): boolean {
  return error instanceof TocsinError && error.code === "expired";
}
