import { setTimeout as wait } from "node:timers/promises";
import { once } from "node:events";
import type { Scope } from "../support/scope.ts";
import { startServerProcess, type ServerProcess } from "../support/server-process.ts";

/** A load balancer looks this often. */
const READY_LOOK_MS = 250;

/** As a supervisor does. */
const STARTS_MAX = 5;

export interface SiteNodeOptions {
  readonly port: number;
  readonly flags: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** How a process is started that is not like this version. */
export type Otherwise = Pick<SiteNodeOptions, "flags" | "environment">;

/** One server process after another under the same address. */
export class SiteNode {
  readonly url: string;
  readonly #scope: Scope;
  readonly #options: SiteNodeOptions;
  #process: ServerProcess | null = null;
  #otherwise: Otherwise = { flags: [], environment: {} };
  /** True while it can be asked: a frozen node counts, as nobody knows of it. */
  isServing = false;

  constructor(scope: Scope, options: SiteNodeOptions) {
    this.#scope = scope;
    this.#options = options;
    this.url = `http://127.0.0.1:${options.port}`;
  }

  /** Resolves once it listens: a start that fails, as where the database is not there yet, is tried again. */
  async start(): Promise<void> {
    for (let tries = 1; this.#process === null; tries += 1) {
      try {
        await this.#startOnce();
      } catch (error) {
        if (tries >= STARTS_MAX) throw error;
      }
    }
  }

  /** From the next start on, it is another version; without flags it is this one. */
  runAs(otherwise: Otherwise): void {
    this.#otherwise = otherwise;
  }

  async #startOnce(): Promise<void> {
    const flags = [...this.#options.flags, ...this.#otherwise.flags];
    const environment = { ...this.#options.environment, ...this.#otherwise.environment };
    this.#process = await startServerProcess(this.#scope, { environment, flags });
    this.isServing = true;
  }

  /** Ends it as a power failure of the machine would, but for the disk; resolves with whether there was anything to end. */
  async kill(): Promise<boolean> {
    const ended = this.#process;
    this.#process = null;
    this.isServing = false;
    await ended?.kill();
    return ended !== null;
  }

  /** Starts it again whenever it ends, and counts how often it did, until `end`. */
  supervise(): { readonly deaths: number; readonly end: () => Promise<void> } {
    const state = { deaths: 0, isOver: false };
    const keep = async () => {
      for (;;) {
        await this.#process?.ended;
        if (state.isOver) return;
        state.deaths += 1;
        this.#process = null;
        this.isServing = false;
        // A process that ends before it listens counts as a death.
        await this.#startOnce().catch(() => {});
      }
    };
    const kept = keep();
    return {
      get deaths() {
        return state.deaths;
      },
      end: async () => {
        state.isOver = true;
        await this.#process?.kill();
        await kept;
      },
    };
  }

  /** Asks it to end, and sends it nothing more once it says that it is not ready; resolves with its exit code. */
  async terminate(): Promise<number | null> {
    const child = this.#process?.child;
    if (child === undefined) return null;
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    while (child.exitCode === null && (await this.#isReady())) await wait(READY_LOOK_MS);
    this.isServing = false;
    await ended;
    this.#process = null;
    return child.exitCode;
  }

  async #isReady(): Promise<boolean> {
    const answer = await fetch(`${this.url}/readyz`).catch(() => null);
    return answer?.status === 200;
  }

  /** Stops it in its steps; it notices nothing. */
  freeze(): void {
    this.#process?.child.kill("SIGSTOP");
  }

  /** Lets it go on after `freeze`. */
  thaw(): void {
    this.#process?.child.kill("SIGCONT");
  }

  /** Returns how much memory the process holds now, in megabytes; 0 where it does not answer. */
  async residentMb(): Promise<number> {
    const text = await fetch(`${this.url}/metrics`).then(
      (answer) => answer.text(),
      () => "",
    );
    const [, bytes = "0"] = /^process_resident_memory_bytes (\S+)/m.exec(text) ?? [];
    return Math.round(Number(bytes) / 1_000_000);
  }
}
