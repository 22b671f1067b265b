import { Worker } from "node:worker_threads";
import type { Provider, ProviderName } from "#providers/provider.ts";
import type { Attempt, Order, Word } from "./messages.ts";

export interface ServeOptions {
  /** Makes the providers of what the process is told at its start. */
  readonly createProviders: (settings: unknown, now: () => number) => readonly Provider[];
  /** This machine's, in milliseconds since the epoch. */
  readonly clock: () => number;
}

/** Makes this process one that makes attempts, one at a time, for the process that forked it; it ends with that one. */
export function serveAttempts(options: ServeOptions): void {
  endWithParent();
  const attempts = new Attempts(options);
  process.on("uncaughtException", (error) => {
    tell({ kind: "dying", where: framesOf(error) }, () => process.exit(CRASHED));
  });
  // Orders are written by the process that forked this one, and by no other.
  process.on("message", (order) => attempts.take(order as Order));
}

/** The exit code after an error that nobody caught. */
const CRASHED = 70;

class Attempts {
  readonly #options: ServeOptions;
  #providers: ReadonlyMap<ProviderName, Provider> = new Map();
  #underWay = new AbortController();
  /** How far the clock that rules is ahead of this machine's. */
  #aheadMs = 0;

  constructor(options: ServeOptions) {
    this.#options = options;
  }

  take(order: Order): void {
    switch (order.kind) {
      case "start":
        return this.#start(order.settings);
      case "send":
        void this.#send(order.attempt);
        return;
      case "abort":
        this.#underWay.abort();
    }
  }

  #start(settings: unknown): void {
    const { createProviders, clock } = this.#options;
    const providers = createProviders(settings, () => clock() + this.#aheadMs);
    this.#providers = new Map(providers.map((provider) => [provider.name, provider]));
    tell({ kind: "ready" });
  }

  async #send({ provider: name, message, address, now }: Attempt): Promise<void> {
    this.#aheadMs = now - this.#options.clock();
    this.#underWay = new AbortController();
    try {
      const provider = this.#providers.get(name);
      if (provider === undefined) throw new Error(`There is no provider ${name} here.`);
      const outcome = await provider.send(message, address, this.#underWay.signal);
      tell({ kind: "done", outcome });
    } catch (error) {
      tell({ kind: "failed", error });
    }
  }
}

function tell(word: Word, onTold: () => void = () => {}): void {
  process.send?.(word, undefined, undefined, onTold);
}

/** The message of an error may hold an address. */
function framesOf(error: Error): string {
  const lines = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return [error.name, ...lines.slice(0, FRAMES_MAX).map((line) => line.trim())].join(" ");
}

const FRAMES_MAX = 4;
const LOOK_EVERY_MS = 1_000;

function endWithParent(): void {
  // A terminal or supervisor signals the whole group; the parent lets attempts finish, and then ends this process.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
  process.on("disconnect", () => process.exit());
  // An attempt that never gives the thread back would outlive a parent that was killed.
  const look = `process.report.excludeEnv = true;
    const parent = ${process.ppid};
    setInterval(() => {
      if (process.ppid !== parent) process.kill(process.pid, "SIGKILL");
    }, ${LOOK_EVERY_MS});`;
  new Worker(look, { eval: true }).unref();
}
