import { setTimeout as wait } from "node:timers/promises";
import { once } from "node:events";
import type { Scope } from "../support/scope.ts";
import { startServerProcess, type ServerProcess } from "../support/server-process.ts";

/** Interval of a load balancer's health checks. */
const HEALTH_CHECK_INTERVAL_MS = 250;

/** Start attempts, like those of a supervisor. */
const STARTS_MAX = 5;

/** Options of a node. */
export interface SiteNodeOptions {
  readonly port: number;
  readonly flags: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Flags and environment of a process that runs another version. */
export type ProcessOverrides = Pick<SiteNodeOptions, "flags" | "environment">;

/** The end of a process after SIGTERM. */
export interface Termination {
  /** Null if no process was running. */
  readonly exitCode: number | null;
  /** Time until a health check noticed, in milliseconds. Requests were sent to the node until then. */
  readonly noticedMs: number;
}

/** A node whose server process can be replaced, at the same URL. */
export class SiteNode {
  readonly url: string;
  readonly #scope: Scope;
  readonly #options: SiteNodeOptions;
  #process: ServerProcess | null = null;
  #overrides: ProcessOverrides = { flags: [], environment: {} };
  /** True while requests are sent to the node, even if the node is frozen. */
  isServing = false;

  constructor(scope: Scope, options: SiteNodeOptions) {
    this.#scope = scope;
    this.#options = options;
    this.url = `http://127.0.0.1:${options.port}`;
  }

  /** Resolves once the node listens; retries a failed start, as the database may not be up yet. */
  async start(): Promise<void> {
    for (let attempt = 1; this.#process === null; attempt += 1) {
      try {
        await this.#startOnce();
      } catch (error) {
        if (attempt >= STARTS_MAX) throw error;
      }
    }
  }

  /** Sets the version that runs from the next start; without flags, the current one. */
  setVersion(overrides: ProcessOverrides): void {
    this.#overrides = overrides;
  }

  async #startOnce(): Promise<void> {
    const flags = [...this.#options.flags, ...this.#overrides.flags];
    const environment = { ...this.#options.environment, ...this.#overrides.environment };
    this.#process = await startServerProcess(this.#scope, { environment, flags });
    this.isServing = true;
  }

  /** Kills the process; resolves with whether one was running. */
  async kill(): Promise<boolean> {
    const killedProcess = this.#process;
    this.#process = null;
    this.isServing = false;
    await killedProcess?.kill();
    return killedProcess !== null;
  }

  /**
   * Restarts the process whenever it ends, until `end` is called. `endCount` is the number of ends, including kills.
   */
  supervise(): { readonly endCount: number; readonly end: () => Promise<void> } {
    const state = { endCount: 0, hasEnded: false };
    const restartOnExit = async () => {
      for (;;) {
        await this.#process?.ended;
        if (state.hasEnded) return;
        state.endCount += 1;
        this.#process = null;
        this.isServing = false;
        // A process that ends before it listens is counted too.
        await this.#startOnce().catch(() => {});
      }
    };
    const supervision = restartOnExit();
    return {
      get endCount() {
        return state.endCount;
      },
      end: async () => {
        state.hasEnded = true;
        await this.#process?.kill();
        await supervision;
      },
    };
  }

  /** Terminates the process gracefully, and stops sending requests to it once it is not ready. */
  async terminate(): Promise<Termination> {
    const child = this.#process?.child;
    if (child === undefined) return { exitCode: null, noticedMs: 0 };
    const exitEvent = once(child, "exit");
    const startedAt = performance.now();
    child.kill("SIGTERM");
    while (child.exitCode === null && (await this.#isReady())) await wait(HEALTH_CHECK_INTERVAL_MS);
    this.isServing = false;
    const noticedMs = performance.now() - startedAt;
    await exitEvent;
    this.#process = null;
    return { exitCode: child.exitCode, noticedMs };
  }

  async #isReady(): Promise<boolean> {
    const response = await fetch(`${this.url}/readyz`).catch(() => null);
    return response?.status === 200;
  }

  /** Freezes the process. */
  freeze(): void {
    this.#process?.child.kill("SIGSTOP");
  }

  /** Continues the process after `freeze`. */
  thaw(): void {
    this.#process?.child.kill("SIGCONT");
  }

  /** Returns the resident memory of the process in megabytes; 0 if it does not respond. */
  async readResidentMb(): Promise<number> {
    const text = await fetch(`${this.url}/metrics`).then(
      (response) => response.text(),
      () => "",
    );
    const [, bytes = "0"] = /^process_resident_memory_bytes (\S+)/m.exec(text) ?? [];
    return Math.round(Number(bytes) / 1_000_000);
  }
}
