import type { ProviderCheck } from "#providers/check.ts";

/** One line of `tocsin doctor`: what was looked at, what was found, and what to do about it. */
export interface Finding extends ProviderCheck {
  /** The same for programs, in full. */
  readonly facts?: Readonly<Record<string, unknown>>;
}

/** A finding that does not say yet what it is about. */
export type Verdict = Omit<Finding, "subject">;

/** Returns the verdict on what is as it should be. */
export function ok(message: string): Verdict {
  return { status: "ok", message, mend: null };
}

/** Returns the verdict on what works, but not for everybody or not for long. */
export function warn(message: string, mend: string): Verdict {
  return { status: "warn", message, mend };
}

/** Returns the verdict on what does not work. */
export function fail(message: string, mend: string): Verdict {
  return { status: "fail", message, mend };
}
