import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";

/** A request was not sent because this process or its machine had no free file descriptor. */
export class NoDescriptorError extends Error {
  constructor(cause: unknown) {
    super("There is no free file descriptor.", { cause });
    this.name = "NoDescriptorError";
  }
}

/** Added to the name of a host that was never asked. */
export const NO_DESCRIPTOR = "this server has no free file descriptor";

/**
 * Returns the error of a request that failed before it was sent; a `NoDescriptorError` if that was for want of a file
 * descriptor. Name lookups without a descriptor report that the server refuses or that the name does not exist, so this
 * function tries whether a file can be opened.
 */
export function unsentError(error: Error): Error {
  return error instanceof NoDescriptorError || !(isLack(error) || isLacking())
    ? error
    : new NoDescriptorError(error);
}

function isLacking(): boolean {
  try {
    closeSync(openSync(devNull, "r"));
    return false;
  } catch (error) {
    return isLack(error);
  }
}

/** Too many files are open, in this process or on this machine (errno(3)). */
const LACKS: ReadonlySet<unknown> = new Set(["EMFILE", "ENFILE"]);

/** The error of a name with several addresses contains the error of each. */
function isLack(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("code" in error && LACKS.has(error.code)) return true;
  if (error instanceof AggregateError && error.errors.some(isLack)) return true;
  return isLack(error.cause);
}
