import { Client } from "pg";
import type { Logger } from "pino";
import { endWhenAbandoned } from "./postgres-session.ts";

export interface ListenerOptions {
  readonly url: string;
  readonly channel: string;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly log: Logger;
  /** Called with every message. Must not throw. */
  readonly onText: (text: string) => void;
  /** Called when all further messages will arrive; earlier ones may be lost. Must not throw. */
  readonly onUp: () => void;
  /** Called when messages may be lost from now on. Must not throw. */
  readonly onDown: () => void;
}

const CONNECT_TIMEOUT_MS = 1_750;
/** Interval of pings. A connection that drops messages is noticed after two of them. */
const PING_INTERVAL_MS = 500;
/** Delay between two attempts to connect. Half of it is random, so that nodes do not all reconnect together. */
const RECONNECT_DELAY_MS = 500;

/** Listens on one channel of PostgreSQL, on its own connection, which it replaces after a loss. */
export class Listener {
  readonly #options: ListenerOptions;
  #client: Client | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isUp = false;
  #isStopped = false;

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  /** True while every message arrives. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** Starts listening. Resolves after the first attempt, which may have failed. */
  async start(): Promise<void> {
    const { url, channel, onText, onUp } = this.#options;
    const client = new Client({
      connectionString: url,
      application_name: "tocsin listener",
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: PING_INTERVAL_MS,
      keepAlive: true,
    });
    this.#client = client;
    client.on("error", (error) => this.#lose(client, error));
    client.on("end", () => this.#lose(client, null));
    client.on("notification", ({ payload }) => onText(payload ?? ""));
    try {
      await client.connect();
      await endWhenAbandoned(client);
      await client.query(`listen ${client.escapeIdentifier(channel)}`);
    } catch (error) {
      this.#lose(client, error);
      return;
    }
    // The connection may have been lost or stopped in the meantime.
    if (this.#client !== client) return;
    this.#isUp = true;
    onUp();
    this.#schedule(() => void this.#ping(client), PING_INTERVAL_MS);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    const client = this.#client;
    this.#client = null;
    if (client !== null) drop(client);
  }

  /** A response proves that every message sent before it has arrived. */
  async #ping(client: Client): Promise<void> {
    try {
      await client.query("select 1");
    } catch (error) {
      this.#lose(client, error);
      return;
    }
    if (this.#client === client) this.#schedule(() => void this.#ping(client), PING_INTERVAL_MS);
  }

  #lose(client: Client, error: unknown): void {
    if (this.#client !== client) return;
    this.#client = null;
    drop(client);
    const { log, random, onDown } = this.#options;
    if (this.#isUp) {
      this.#isUp = false;
      log.warn({ err: error }, "other nodes are not heard; the database is asked more often");
      onDown();
    }
    this.#schedule(() => void this.start(), RECONNECT_DELAY_MS * (0.5 + random() / 2));
  }

  #schedule(run: () => void, afterMs: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (!this.#isStopped) this.#timer = setTimeout(run, afterMs).unref();
  }
}

/** Closes the connection without waiting: the other end may be gone. */
function drop(client: Client): void {
  client.removeAllListeners("end");
  client.removeAllListeners("notification");
  // Later failures do not matter, but an unhandled one would end the process.
  client.end().catch(() => {});
  setTimeout(() => client.connection.stream.destroy(), PING_INTERVAL_MS).unref();
}
