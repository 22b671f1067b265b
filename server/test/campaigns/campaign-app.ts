import { setTimeout as wait } from "node:timers/promises";
import type { ConnectionEnd } from "./app-connections.ts";
import type { AppAccess, AppTransport } from "./app-transports.ts";
import { ShownMessages } from "./shown-messages.ts";

/** Options of an app. */
export interface CampaignAppOptions {
  /** The name of its device. */
  readonly name: string;
  readonly transport: AppTransport;
  readonly access: AppAccess;
  /** Returns the URL for the next connection; null if no server is up. */
  readonly nextUrl: () => string | null;
  /** Returns the wait before the app connects again. */
  readonly getRetryMs: () => number;
}

/** A connected app, which connects again whenever its connection ends, and goes on after the messages that it shows. */
export class CampaignApp {
  readonly name: string;
  readonly transport: AppTransport;
  readonly messages = new ShownMessages();
  readonly #options: CampaignAppOptions;
  #connectedAt: number | null = null;
  #isAsleep = false;
  #closedCount = 0;
  #death = new AbortController();
  #end: AbortController | null = null;

  constructor(options: CampaignAppOptions) {
    this.name = options.name;
    this.transport = options.transport;
    this.#options = options;
  }

  /** The last time at which the app knew that it is connected, of `performance.now()`; null while it is not. */
  get connectedAt(): number | null {
    return this.#connectedAt;
  }

  /** Number of connections that the server ended in an orderly way. */
  get closedCount(): number {
    return this.#closedCount;
  }

  /** Switches the app on. */
  start(): void {
    this.#end = new AbortController();
    void this.#keepConnected(this.#end.signal);
  }

  /** Switches the app off. */
  stop(): void {
    this.#end?.abort();
    this.#death.abort();
  }

  /** The app stops to handle what arrives, like a phone that sleeps. Its connection stays open. */
  sleep(): void {
    this.#isAsleep = true;
  }

  /** The app dies with everything that it has not handled, and starts again. */
  die(): void {
    this.#death.abort();
    this.#isAsleep = false;
  }

  async #keepConnected(signal: AbortSignal): Promise<void> {
    let lastEnd: ConnectionEnd | null = null;
    while (!signal.aborted) {
      const url = this.#options.nextUrl();
      lastEnd = url === null ? "cut" : await this.#connect(url, lastEnd);
      this.#connectedAt = null;
      if (lastEnd === "closed") this.#closedCount += 1;
      const deafMs = lastEnd === "closed" ? this.transport.deafMs : 0;
      const waitMs = deafMs + this.#options.getRetryMs();
      await wait(waitMs, undefined, { signal }).catch(() => {});
    }
  }

  #connect(url: string, lastEnd: ConnectionEnd | null): Promise<ConnectionEnd> {
    this.#death = new AbortController();
    return this.transport.connect({
      url,
      access: this.#options.access,
      messages: this.messages,
      lastEnd,
      signal: this.#death.signal,
      isAsleep: () => this.#isAsleep,
      onConnected: () => (this.#connectedAt = performance.now()),
    });
  }
}
