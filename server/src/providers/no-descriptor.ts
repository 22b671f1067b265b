import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";

/** The error of a request that was not sent because this process or its machine had no free file descriptor. */
export class NoDescriptorError extends Error {
  constructor(cause: unknown) {
    super("There is no free file descriptor.", { cause });
    this.name = "NoDescriptorError";
  }
}

/** The part of an outcome's detail that follows the name of the host. */
export const NO_DESCRIPTOR_DETAIL = "this server has no free file descriptor";

/**
 * Returns the error of a request that failed before it was sent, as a `NoDescriptorError` if no file descriptor was
 * free. A name lookup without a descriptor reports that the name server refused or that the name does not exist, so
 * this function tries to open a file.
 */
export function toUnsentError(error: Error): Error {
  if (error instanceof NoDescriptorError) return error;
  return isDescriptorError(error) || hasNoFreeDescriptor() ? new NoDescriptorError(error) : error;
}

function hasNoFreeDescriptor(): boolean {
  try {
    closeSync(openSync(devNull, "r"));
    return false;
  } catch (error) {
    return isDescriptorError(error);
  }
}

/** The codes for too many open files, in this process and on this machine (errno(3)). */
const DESCRIPTOR_ERROR_CODES: ReadonlySet<unknown> = new Set(["EMFILE", "ENFILE"]);

function isDescriptorError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("code" in error && DESCRIPTOR_ERROR_CODES.has(error.code)) return true;
  // The error for a host with several addresses contains the error of each address.
  if (error instanceof AggregateError && error.errors.some(isDescriptorError)) return true;
  return isDescriptorError(error.cause);
}
