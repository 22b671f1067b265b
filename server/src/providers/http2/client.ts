import { setTimeout as wait } from "node:timers/promises";
import { withDeadline } from "../deadline.ts";
import { Backoff } from "./backoff.ts";
import { Connection } from "./connection.ts";
import type { ConnectionFailure, ConnectionSettings } from "./connection-settings.ts";
import type { Http2Client, Http2Exchange, Http2Request } from "./http2.ts";
import { unsentError } from "../no-descriptor.ts";
import { RequestQueue } from "./request-queue.ts";
import type { RequestAttempt, AttemptEnd } from "./request-queue.ts";

export interface Http2ClientSettings {
  /** `https://host[:port]`; `http://` means HTTP/2 by prior knowledge. */
  readonly origin: string;
  /** The limit of connections that accept requests. Draining connections are not included. */
  readonly connectionsMax: number;
  /** The limit of concurrent requests on one connection, if the server allows more. */
  readonly streamsMax: number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
  /** At least 0, less than 1. */
  readonly random: () => number;
  /** Certificate authorities in PEM, instead of Node's default ones. */
  readonly ca?: string | undefined;
  /** Bounds each request from its start, in addition to its signal; no limit by default. */
  readonly requestTimeoutMs?: number;
  /** Covers everything from the DNS lookup to the end of the TLS handshake; 5 seconds by default. */
  readonly connectTimeoutMs?: number;
  /** How long a connection stays open without a request; 3 minutes by default. */
  readonly idleMs?: number;
  /** How long a connection with requests may receive nothing before it is pinged; 10 seconds by default. */
  readonly readIdleMs?: number;
  /** How long the response to a ping may take; 5 seconds by default. */
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
/** How often a request that the server did not process is resent. */
const RESENDS_MAX = 3;
const RESEND_JITTER_MS = 250;
/** The limit of open connections, including draining ones, as a multiple of `connectionsMax`. */
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
    await Promise.all([...this.#connections].map(async (connection) => connection.destroy(error)));
  }

  async #exchange(request: Http2Request, signal: AbortSignal): Promise<Http2Exchange> {
    let end = await this.#attempt({ request, signal, refusedBy: null });
    for (let resends = 0; end.kind === "refused"; resends += 1) {
      const { error, connection: refusedBy } = end;
      if (resends === RESENDS_MAX) return { kind: "unsent", cause: "refused", error };
      if (resends > 0) await this.#pause(signal);
      end = await this.#attempt({ request, signal, refusedBy });
    }
    return end;
  }

  #attempt(attempt: RequestAttempt): Promise<AttemptEnd> {
    if (this.#isClosed) {
      return Promise.resolve({ kind: "unsent", cause: "given up", error: closedError() });
    }
    if (this.#queue.isEmpty && !attempt.signal.aborted) {
      const connection = this.#pick(attempt);
      if (connection !== null) return connection.send(attempt.request, attempt.signal);
    }
    const end = this.#queue.add(attempt);
    this.#serveQueue();
    return end;
  }

  async #pause(signal: AbortSignal): Promise<void> {
    const ms = this.#settings.random() * RESEND_JITTER_MS;
    try {
      await wait(ms, undefined, { signal, ref: false });
    } catch {
      // The signal fired. The next attempt reports it.
    }
  }

  /** Sends queued requests, and connects if they need it. Called whenever the capacity may have changed. */
  #serveQueue(): void {
    this.#queue.serve((attempt) => this.#pick(attempt));
    if (this.#queue.isEmpty || this.#isClosed) return;
    const usable = [...this.#connections].filter((connection) => connection.isUsable);
    if (usable.some(({ isProven }) => !isProven)) return;
    const { connectionsMax } = this.#settings;
    const openMax = connectionsMax * OPEN_PER_USABLE_MAX;
    if (usable.length >= connectionsMax || this.#connections.size >= openMax) return;
    if (this.#backoff.isElapsed) this.#connect();
    else if (usable.length === 0) this.#queue.rejectAll("unreachable", this.#lastError);
  }

  /** Returns the connection with the most free streams. Prefers another one if a connection refused the request before. */
  #pick({ refusedBy }: RequestAttempt): Connection | null {
    let best: Connection | null = null;
    let freeMax = 0;
    for (const connection of this.#connections) {
      const free = connection.freeStreams;
      if (free <= freeMax || connection === refusedBy) continue;
      best = connection;
      freeMax = free;
    }
    if (best !== null || refusedBy === null) return best;
    return refusedBy.freeStreams > 0 ? refusedBy : null;
  }

  #connect(): void {
    const connection: Connection = new Connection(this.#connectionSettings, {
      onChange: () => this.#serveQueue(),
      onFailed: (failure) => this.#onFailed(failure),
      onProven: () => {
        this.#backoff.recordResponse();
        this.#serveQueue();
      },
      onEnd: () => {
        this.#connections.delete(connection);
        this.#serveQueue();
      },
    });
    this.#connections.add(connection);
  }

  #onFailed({ error, isOrderly }: ConnectionFailure): void {
    this.#lastError = unsentError(error);
    if (isOrderly) this.#backoff.recordOrderlyClose();
    else this.#backoff.recordFailure();
  }
}

function closedError(): Error {
  return new Error("The client is closed.");
}
