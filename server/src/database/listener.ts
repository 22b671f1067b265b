import { Client } from "pg";
import type { Logger } from "pino";
import { beginSession } from "./postgres-session.ts";

/** The database to listen on, and the callbacks. */
export interface ListenerDeps {
  readonly url: string;
  readonly channel: string;
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
  readonly log: Logger;
  /** Called with every message. Must not throw. */
  readonly onText: (text: string) => void;
  /** Called when messages arrive from now on; earlier ones may be lost. Must not throw. */
  readonly onUp: () => void;
  /** Called when messages may be lost from now on. Must not throw. */
  readonly onDown: () => void;
}

const CONNECT_TIMEOUT_MS = 1_750;
/** Interval of pings, and the time limit of each. A connection that drops messages is noticed within two intervals. */
const PING_INTERVAL_MS = 500;
/** Delay between two attempts to connect. Half of the delay is random, so that nodes do not all reconnect together. */
const RECONNECT_DELAY_MS = 500;

/** Listens on one channel of PostgreSQL. Uses its own connection, and replaces a lost one. */
export class Listener {
  readonly #deps: ListenerDeps;
  #client: Client | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isConnected = false;
  #isStopped = false;

  constructor(deps: ListenerDeps) {
    this.#deps = deps;
  }

  /** True while the connection works. Every message then arrives. */
  get isUp(): boolean {
    return this.#isConnected;
  }

  /** Starts listening. Resolves after the first attempt, which may have failed. */
  async start(): Promise<void> {
    const { url, channel, onText, onUp } = this.#deps;
    const client = new Client({
      connectionString: url,
      application_name: "tocsin listener",
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: PING_INTERVAL_MS,
      keepAlive: true,
    });
    this.#client = client;
    client.on("error", (error) => this.#replace(client, error));
    client.on("end", () => this.#replace(client, null));
    client.on("notification", ({ payload }) => onText(payload ?? ""));
    try {
      await client.connect();
      await beginSession(client);
      await client.query(`listen ${client.escapeIdentifier(channel)}`);
    } catch (error) {
      this.#replace(client, error);
      return;
    }
    // In the meantime, the connection may have been lost, or the listener stopped.
    if (this.#client !== client) return;
    this.#isConnected = true;
    onUp();
    this.#schedule(() => void this.#ping(client), PING_INTERVAL_MS);
  }

  /** Stops listening, and closes the connection. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    const client = this.#client;
    this.#client = null;
    if (client !== null) closeWithoutWaiting(client);
  }

  /** A response proves that every message sent before it has arrived. */
  async #ping(client: Client): Promise<void> {
    try {
      await client.query("select 1");
    } catch (error) {
      this.#replace(client, error);
      return;
    }
    if (this.#client === client) this.#schedule(() => void this.#ping(client), PING_INTERVAL_MS);
  }

  /** Replaces a lost connection after a delay. */
  #replace(client: Client, error: unknown): void {
    if (this.#client !== client) return;
    this.#client = null;
    closeWithoutWaiting(client);
    const { log, random, onDown } = this.#deps;
    if (this.#isConnected) {
      this.#isConnected = false;
      log.warn(
        { err: error },
        "messages of other nodes do not arrive; the database is polled more often",
      );
      onDown();
    }
    this.#schedule(() => void this.start(), RECONNECT_DELAY_MS * (0.5 + random() / 2));
  }

  #schedule(run: () => void, delayMs: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (!this.#isStopped) this.#timer = setTimeout(run, delayMs).unref();
  }
}

/** Closes the connection without waiting: the other end may be gone. */
function closeWithoutWaiting(client: Client): void {
  client.removeAllListeners("end");
  client.removeAllListeners("notification");
  // Later failures do not matter, but an unhandled one would end the process.
  client.end().catch(() => {});
  setTimeout(() => client.connection.stream.destroy(), PING_INTERVAL_MS).unref();
}
