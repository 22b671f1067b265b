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
    `This was not known after ${Math.ceil(limitMs / 1_000)} seconds.`,
    "Run tocsin doctor once more; if it stays so, look at the load of this machine.",
  );
}

/** The words of the error are left out: they may quote what must not be printed. */
function brokenOff(error: unknown) {
  const name = error instanceof Error ? error.name : typeof error;
  const code = error instanceof Error && "code" in error ? ` ${String(error.code)}` : "";
  return fail(
    `The look at it broke off: ${name}${code}.`,
    "This is a fault of Tocsin: please report it, with this line.",
  );
}
