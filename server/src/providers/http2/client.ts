import { setTimeout as wait } from "node:timers/promises";
import { withDeadline } from "../deadline.ts";
import { Backoff } from "./backoff.ts";
import { Connection } from "./connection.ts";
import type { ConnectionFailure, ConnectionSettings } from "./connection-settings.ts";
import type { Http2Client, Http2Exchange, Http2Request } from "./http2.ts";
import { unsentError } from "../no-descriptor.ts";
import { RequestQueue } from "./request-queue.ts";
import type { Try, TryEnd } from "./request-queue.ts";

export interface Http2ClientSettings {
  /** `https://host[:port]`; `http://` means HTTP/2 by prior knowledge. */
  readonly origin: string;
  /** How many connections take requests at once; those that drain come on top. */
  readonly connectionsMax: number;
  /** How many requests are under way on one connection, where its far side allows more. */
  readonly streamsMax: number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
  /** At least 0, less than 1. */
  readonly random: () => number;
  /** Certificate authorities in PEM, instead of those Node ships. */
  readonly ca?: string | undefined;
  /** Bounds each request besides its signal, from the moment it is made; nothing does if not given. */
  readonly requestTimeoutMs?: number;
  /** From the look-up of the name to the end of the TLS handshake; 5 seconds if not given. */
  readonly connectTimeoutMs?: number;
  /** How long a connection stays open without a request; 3 minutes if not given. */
  readonly idleMs?: number;
  /** How long a connection with requests may read nothing before it must prove that it lives; 10 seconds if not given. */
  readonly readIdleMs?: number;
  /** How long it has to prove that; 5 seconds if not given. */
  readonly pingTimeoutMs?: number;
}

/** Returns a client, which connects when the first request is made. */
export function createHttp2Client(settings: Http2ClientSettings): Http2Client {
  return new ConnectionPool(settings);
}

const CONNECT_TIMEOUT_MS = 5_000;
const IDLE_MS = 3 * 60_000;
const READ_IDLE_MS = 10_000;
const PING_TIMEOUT_MS = 5_000;
/** How often a request that was not processed is sent again. */
const RESENDS_MAX = 3;
const RESEND_JITTER_MS = 250;
/** Connections that drain are open, too: so many times those that take requests, at most. */
const OPEN_PER_USABLE_MAX = 4;

class ConnectionPool implements Http2Client {
  readonly #settings: Http2ClientSettings;
  readonly #connectionSettings: ConnectionSettings;
  readonly #backoff: Backoff;
  readonly #queue = new RequestQueue();
  readonly #connections = new Set<Connection>();
  #lastError = new Error("No connection was tried.");
  #isClosed = false;

  constructor(settings: Http2ClientSettings) {
    this.#settings = settings;
    this.#backoff = new Backoff(settings.elapsed);
    this.#connectionSettings = {
      origin: new URL(settings.origin),
      ca: settings.ca,
      streamsMax: settings.streamsMax,
      connectTimeoutMs: settings.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
      idleMs: settings.idleMs ?? IDLE_MS,
      readIdleMs: settings.readIdleMs ?? READ_IDLE_MS,
      pingTimeoutMs: settings.pingTimeoutMs ?? PING_TIMEOUT_MS,
    };
  }

  request(request: Http2Request): Promise<Http2Exchange> {
    const { requestTimeoutMs } = this.#settings;
    if (requestTimeoutMs === undefined) return this.#exchange(request, request.signal);
    const bounds = { signal: request.signal, limitMs: requestTimeoutMs };
    return withDeadline(bounds, (signal) => this.#exchange(request, signal));
  }

  async close(): Promise<void> {
    const error = closedError();
    this.#isClosed = true;
    this.#queue.rejectAll("given up", error);
    await Promise.all([...this.#connections].map(async (one) => one.destroy(error)));
  }

  async #exchange(request: Http2Request, signal: AbortSignal): Promise<Http2Exchange> {
    let end = await this.#try({ request, signal, refusedBy: null });
    for (let resends = 0; end.kind === "refused"; resends += 1) {
      const { error, connection: refusedBy } = end;
      if (resends === RESENDS_MAX) return { kind: "unsent", cause: "refused", error };
      if (resends > 0) await this.#pause(signal);
      end = await this.#try({ request, signal, refusedBy });
    }
    return end;
  }

  #try(asked: Try): Promise<TryEnd> {
    if (this.#isClosed) {
      return Promise.resolve({ kind: "unsent", cause: "given up", error: closedError() });
    }
    if (this.#queue.isEmpty && !asked.signal.aborted) {
      const connection = this.#pick(asked);
      if (connection !== null) return connection.send(asked.request, asked.signal);
    }
    const end = this.#queue.add(asked);
    this.#look();
    return end;
  }

  async #pause(signal: AbortSignal): Promise<void> {
    const ms = this.#settings.random() * RESEND_JITTER_MS;
    try {
      await wait(ms, undefined, { signal, ref: false });
    } catch {
      // The signal fired; the next try says so.
    }
  }

  /** Does what can be done for those who wait; called whenever that may have changed. */
  #look(): void {
    this.#queue.serve((asked) => this.#pick(asked));
    if (this.#queue.isEmpty || this.#isClosed) return;
    const usable = [...this.#connections].filter((connection) => connection.isUsable);
    if (usable.some(({ isProven }) => !isProven)) return;
    const { connectionsMax } = this.#settings;
    const openMax = connectionsMax * OPEN_PER_USABLE_MAX;
    if (usable.length >= connectionsMax || this.#connections.size >= openMax) return;
    if (this.#backoff.isOver) this.#connect();
    else if (usable.length === 0) this.#queue.rejectAll("unreachable", this.#lastError);
  }

  /** The emptiest connection; who was refused by one goes to another, if there is one. */
  #pick({ refusedBy }: Try): Connection | null {
    let emptiest: Connection | null = null;
    let room = 0;
    for (const connection of this.#connections) {
      const own = connection.room;
      if (own <= room || connection === refusedBy) continue;
      emptiest = connection;
      room = own;
    }
    if (emptiest !== null || refusedBy === null) return emptiest;
    return refusedBy.room > 0 ? refusedBy : null;
  }

  #connect(): void {
    const connection: Connection = new Connection(this.#connectionSettings, {
      onChange: () => this.#look(),
      onFailed: (failure) => this.#onFailed(failure),
      onProven: () => {
        this.#backoff.succeeded();
        this.#look();
      },
      onEnd: () => {
        this.#connections.delete(connection);
        this.#look();
      },
    });
    this.#connections.add(connection);
  }

  #onFailed({ error, isOrderly }: ConnectionFailure): void {
    this.#lastError = unsentError(error);
    if (isOrderly) this.#backoff.turnedAway();
    else this.#backoff.failed();
  }
}

function closedError(): Error {
  return new Error("The client is closed.");
}
