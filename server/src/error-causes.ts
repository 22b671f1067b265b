const CAUSES_MAX = 8;

/** Returns an error and what caused it, the deepest first, since that is the most exact; empty for what is no error. */
export function causesOf(error: unknown): readonly Error[] {
  const causes: Error[] = [];
  for (let cause = error; cause instanceof Error && causes.length < CAUSES_MAX;) {
    causes.unshift(cause);
    cause = cause.cause;
  }
  return causes;
}
