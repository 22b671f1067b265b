import { appendFileSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { serveAttempts } from "#delivery/solo/serve.ts";
import type { Address, Message, Outcome, Provider } from "#providers/provider.ts";
import { ACCEPTED } from "./scripted-provider.ts";

/** The settings of a scripted process. */
export interface ScriptedSettings {
  /** A file that gets a line for every attempt: the process, and the endpoint. */
  readonly arrivals: string;
  /** The process does not even come up. */
  readonly isBroken?: boolean;
}

/** The result of an attempt, by the first word of its endpoint; others are accepted. */
const SCRIPTS: Readonly<Record<string, (now: () => number, time: number) => Promise<Outcome>>> = {
  abort: async () => process.abort(),
  once: async (_now, time) => (time === 1 ? process.abort() : ACCEPTED),
  exit: async () => process.exit(0),
  uncaught: async () => {
    setImmediate(() => {
      throw new TypeError("https://push.example/secret-address");
    });
    return untilEnd();
  },
  spin: async () => {
    for (;;);
  },
  deaf: () => untilEnd(),
  throws: () => Promise.reject(new Error("a fault of ours")),
  slow: async () => {
    await wait(100);
    return ACCEPTED;
  },
  late: async () => {
    setTimeout(() => process.abort(), 100);
    return ACCEPTED;
  },
  clock: async (now) => ({ kind: "accepted", receipt: new Date(now()).toISOString() }),
};

/** Longer than any test. */
function untilEnd(): Promise<Outcome> {
  return wait(600_000, ACCEPTED);
}

class ScriptedHere implements Provider {
  readonly name = "webpush";
  readonly #settings: ScriptedSettings;
  readonly #now: () => number;

  constructor(settings: ScriptedSettings, now: () => number) {
    this.#settings = settings;
    this.#now = now;
  }

  serviceOf(): string {
    return "";
  }

  async send(_message: Message, address: Address): Promise<Outcome> {
    const endpoint = address.provider === "webpush" ? address.endpoint : "";
    appendFileSync(this.#settings.arrivals, `${process.pid} ${endpoint}\n`);
    const script = SCRIPTS[endpoint.split("/")[0] ?? ""];
    return (await script?.(this.#now, this.#timesOf(endpoint))) ?? ACCEPTED;
  }

  async close(): Promise<void> {}

  /** Counts the attempts so far, this one and those of other processes included. */
  #timesOf(endpoint: string): number {
    return readFileSync(this.#settings.arrivals, "utf8").split(` ${endpoint}\n`).length - 1;
  }
}

serveAttempts({
  createProviders: (given, now) => {
    // Given by tests alone.
    const settings = given as ScriptedSettings;
    if (settings.isBroken === true) throw new Error("broken");
    return [new ScriptedHere(settings, now)];
  },
  clock: Date.now,
});
