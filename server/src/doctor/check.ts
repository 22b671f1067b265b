import { fail, type Finding } from "./finding.ts";

/** A check of one subject. */
export interface Check {
  readonly subject: string;
  /** After this time, the check is given up. */
  readonly limitMs: number;
  /** Runs the check; an exception becomes a finding. */
  readonly look: (signal: AbortSignal) => Promise<readonly Finding[]>;
}

/** Runs a check and returns its findings; always resolves, at the latest after its limit. */
export async function perform({ subject, limitMs, look }: Check): Promise<readonly Finding[]> {
  const controller = new AbortController();
  const late = Promise.withResolvers<readonly Finding[]>();
  // Not AbortSignal.timeout, whose timer would not keep the process alive.
  const timer = setTimeout(() => {
    late.resolve([{ subject, ...tooLate(limitMs) }]);
    controller.abort();
  }, limitMs);
  try {
    return await Promise.race([look(controller.signal), late.promise]);
  } catch (error) {
    return [{ subject, ...brokenOff(error) }];
  } finally {
    clearTimeout(timer);
  }
}

function tooLate(limitMs: number) {
  return fail(
    `The check did not finish within ${Math.ceil(limitMs / 1_000)} seconds.`,
    "Run tocsin doctor again; if that does not help, check the load of this machine.",
  );
}

/** Omits the error's message, which may contain secrets. */
function brokenOff(error: unknown) {
  const name = error instanceof Error ? error.name : typeof error;
  const code = error instanceof Error && "code" in error ? ` ${String(error.code)}` : "";
  return fail(
    `The check failed: ${name}${code}.`,
    "This is a bug in Tocsin: please report it, with this line.",
  );
}
