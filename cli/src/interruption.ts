import { constants } from "node:os";

const SIGNALS: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** The reason of an abort by a signal. */
export class InterruptedError extends Error {
  /** 128 plus the signal's number, as in shells. */
  readonly exitCode: number;

  constructor(name: NodeJS.Signals) {
    super(`Stopped by ${name}.`);
    this.name = "Interrupted";
    this.exitCode = 128 + constants.signals[name];
  }
}

/**
 * Runs `work`, and aborts it on a termination signal, so that it can clean up. A second signal ends the process
 * immediately.
 */
export async function runInterruptibly<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const interrupt = (name: NodeJS.Signals): void => {
    if (controller.signal.aborted) process.exit(new InterruptedError(name).exitCode);
    controller.abort(new InterruptedError(name));
  };
  for (const name of SIGNALS) process.on(name, interrupt);
  try {
    return await work(controller.signal);
  } finally {
    for (const name of SIGNALS) process.off(name, interrupt);
  }
}
