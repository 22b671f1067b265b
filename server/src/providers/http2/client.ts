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
  /** The limit of connections that take requests; draining connections come on top. */
  readonly connectionsMax: number;
  /** The limit of concurrent requests on one connection, if the server allows more. */
  readonly streamsMax: number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
  /** At least 0, less than 1. */
  readonly random: () => number;
  /** Certificate authorities in PEM, instead of those that Node trusts. */
  readonly ca?: string | undefined;
  /** Bounds each request from the moment it is made, besides its signal; no limit if not given. */
  readonly requestTimeoutMs?: number;
  /** Covers everything from the DNS lookup to the end of the TLS handshake; 5 seconds if not given. */
  readonly connectTimeoutMs?: number;
  /** How long a connection stays open without a request; 3 minutes if not given. */
  readonly idleMs?: number;
  /** How long a connection with requests may receive nothing before it is pinged; 10 seconds if not given. */
  readonly readIdleMs?: number;
  /** How long the answer to a ping may take; 5 seconds if not given. */
  readonly pingTimeoutMs?: number;
}

/** Returns a client that connects on its first request. */
export function createHttp2Client(settings: Http2ClientSettings): Http2Client {
  return new ConnectionPool(settings);
}

const CONNECT_TIMEOUT_MS = 5_000;
const IDLE_MS = 3 * 60_000;
const READ_IDLE_MS = 10_000;
const PING_TIMEOUT_MS = 5_000;
/** How often a request that the server did not process is sent again. */
const RESENDS_MAX = 3;
const RESEND_JITTER_MS = 250;
/** Draining connections are open as well: the limit of all connections, as a multiple of those that take requests. */
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

  /** Serves queued requests, and connects if they need it. Called whenever the answer may have changed. */
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

  /** Returns the connection with the most room. A request that one connection refused goes to another if there is one. */
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
