import type { ProviderCheckResult } from "#providers/check.ts";

/** One line of `tocsin doctor`: the subject, the result, and the remedy, which the API calls `mend`. */
export interface Finding extends ProviderCheckResult {
  /** All details, for programs. */
  readonly facts?: Readonly<Record<string, unknown>>;
}

/** A finding without its subject. */
export type Verdict = Omit<Finding, "subject">;

/** Returns the verdict on a subject without problems. */
export function ok(message: string): Verdict {
  return { status: "ok", message, mend: null };
}

/** Returns the verdict on a subject that works only in part or for a while, or that could not be checked. */
export function warn(message: string, remedy: string): Verdict {
  return { status: "warn", message, mend: remedy };
}

/** Returns the verdict on a subject that does not work. */
export function fail(message: string, remedy: string): Verdict {
  return { status: "fail", message, mend: remedy };
}
