import { fail, type Finding } from "./finding.ts";

/** One look at one thing. */
export interface Check {
  readonly subject: string;
  /** After it, the check is given up. */
  readonly limitMs: number;
  /** Looks; what it throws becomes a finding. */
  readonly look: (signal: AbortSignal) => Promise<readonly Finding[]>;
}

/** Performs a check and returns what it found; always resolves, at the latest when its time is up. */
export async function perform({ subject, limitMs, look }: Check): Promise<readonly Finding[]> {
  const controller = new AbortController();
  const late = Promise.withResolvers<readonly Finding[]>();
  // Not AbortSignal.timeout: its timer would not keep the process alive.
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

/** The words of the error are left out: they may quote what must not be printed. */
function brokenOff(error: unknown) {
  const name = error instanceof Error ? error.name : typeof error;
  const code = error instanceof Error && "code" in error ? ` ${String(error.code)}` : "";
  return fail(
    `The check failed: ${name}${code}.`,
    "This is a bug in Tocsin: please report it, with this line.",
  );
}
