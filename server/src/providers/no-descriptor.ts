import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";

/** A request did not leave us because this process, or its machine, had no free file descriptor. */
export class NoDescriptorError extends Error {
  constructor(cause: unknown) {
    super("There is no free file descriptor.", { cause });
    this.name = "NoDescriptorError";
  }
}

/** What is added to a host's name where it was never asked. */
export const NO_DESCRIPTOR = "this server has no free file descriptor";

/**
 * Returns the error for a request that came to nothing before it was sent: a `NoDescriptorError` where that is our own trouble. Name
 * servers that could not be asked for want of a descriptor are said to refuse, or to know no such name, so it is tried whether there is one.
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

/** Of a name with several addresses, each one's error stands in the error of all. */
function isLack(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("code" in error && LACKS.has(error.code)) return true;
  if (error instanceof AggregateError && error.errors.some(isLack)) return true;
  return isLack(error.cause);
}
