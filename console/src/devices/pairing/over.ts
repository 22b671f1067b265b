import { TocsinError } from "@tocsin/sdk";

/** Returns whether a pairing was used, is too old, or never was. */
export function isOver(error: unknown): boolean {
  return error instanceof TocsinError && error.code === "expired";
}
