import { fail, type Finding } from "./finding.ts";

/** A check of one subject of `tocsin doctor`. */
export interface Check {
  readonly subject: string;
  /** The time after which the check is aborted. */
  readonly timeoutMs: number;
  /** Runs the check. An exception becomes a finding. */
  readonly run: (signal: AbortSignal) => Promise<readonly Finding[]>;
}

/** Runs a check, and returns its findings. Never rejects, and resolves within the timeout. */
export async function runCheck({ subject, timeoutMs, run }: Check): Promise<readonly Finding[]> {
  const controller = new AbortController();
  const timedOut = Promise.withResolvers<readonly Finding[]>();
  // The timer of AbortSignal.timeout would not keep the process alive.
  const timer = setTimeout(() => {
    timedOut.resolve([{ subject, ...describeTimeout(timeoutMs) }]);
    controller.abort();
  }, timeoutMs);
  try {
    return await Promise.race([run(controller.signal), timedOut.promise]);
  } catch (error) {
    return [{ subject, ...describeException(error) }];
  } finally {
    clearTimeout(timer);
  }
}

function describeTimeout(timeoutMs: number) {
  return fail(
    `The check did not finish within ${Math.ceil(timeoutMs / 1_000)} seconds.`,
    "Run tocsin doctor again; if that does not help, check the load of this machine.",
  );
}

/** Describes an unexpected error, without its message, which may contain secrets. */
function describeException(error: unknown) {
  const name = error instanceof Error ? error.name : typeof error;
  const code = error instanceof Error && "code" in error ? ` ${String(error.code)}` : "";
  return fail(
    `The check failed: ${name}${code}.`,
    "This is a bug in Tocsin: please report it, with this line.",
  );
}
