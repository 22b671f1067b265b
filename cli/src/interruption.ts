import { constants } from "node:os";

const SIGNALS: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Thrown where a signal ended the work. */
export class Interrupted extends Error {
  /** As shells have it: 128 and the number of the signal. */
  readonly exitCode: number;

  constructor(name: NodeJS.Signals) {
    super(`Stopped by ${name}.`);
    this.name = "Interrupted";
    this.exitCode = 128 + constants.signals[name];
  }
}

/**
 * Turns the signals that end a process into an abort, so that `work` can clean up. Whoever cannot wait for that sends a
 * second one.
 */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const interrupt = (name: NodeJS.Signals): void => {
    if (controller.signal.aborted) process.exit(new Interrupted(name).exitCode);
    controller.abort(new Interrupted(name));
  };
  for (const name of SIGNALS) process.on(name, interrupt);
  try {
    return await work(controller.signal);
  } finally {
    for (const name of SIGNALS) process.off(name, interrupt);
  }
}
