import { constants } from "node:os";

const SIGNALS: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Thrown if a signal ended the work. */
export class Interrupted extends Error {
  /** As in shells: 128 plus the number of the signal. */
  readonly exitCode: number;

  constructor(name: NodeJS.Signals) {
    super(`Stopped by ${name}.`);
    this.name = "Interrupted";
    this.exitCode = 128 + constants.signals[name];
  }
}

/**
 * Turns the signals that end a process into an abort, so that `work` can clean up. A second signal ends the process at
 * once.
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
