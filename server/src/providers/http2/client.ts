import { setTimeout as wait } from "node:timers/promises";
import { runWithDeadline } from "../deadline.ts";
import { Backoff } from "./backoff.ts";
import { Connection } from "./connection.ts";
import type { ConnectionFailure, Http2ConnectionOptions } from "./connection-options.ts";
import type { Http2Client, Http2Exchange, Http2Request } from "./http2.ts";
import { toUnsentError } from "../no-descriptor.ts";
import {
  RequestQueue,
  type RefusedAttempt,
  type RequestAttempt,
  type RequestAttemptResult,
} from "./request-queue.ts";

/** The server of a client, the limits of its connections, and its dependencies. */
export interface Http2ClientDeps {
  /** The origin of the server: `https://host[:port]`. `http://` means HTTP/2 by prior knowledge. */
  readonly origin: string;
  /** The limit of connections that accept requests. Draining connections are not included. */
  readonly connectionsMax: number;
  /** The limit of concurrent requests on one connection, if the server allows more. */
  readonly streamsMax: number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
  /** Returns a random number from 0 up to, but not including, 1. */
  readonly random: () => number;
  /** Certificate authorities in PEM, instead of Node's default ones. */
  readonly ca?: string | undefined;
  /** Bounds each request from its start, in addition to its signal; no limit by default. */
  readonly requestTimeoutMs?: number;
  /** Covers everything from the DNS lookup to the end of the TLS handshake; 5 seconds by default. */
  readonly connectTimeoutMs?: number;
  /** How long a connection stays open without a request; 3 minutes by default. */
  readonly idleTimeoutMs?: number;
  /** How long a connection with requests may receive nothing before it is pinged; 10 seconds by default. */
  readonly readIdleTimeoutMs?: number;
  /** How long the response to a ping may take; 5 seconds by default. */
  readonly pingTimeoutMs?: number;
}

/** Creates a client that connects on its first request. */
export function createHttp2Client(deps: Http2ClientDeps): Http2Client {
  return new ConnectionPool(deps);
}

const CONNECT_TIMEOUT_MS = 5_000;
const IDLE_TIMEOUT_MS = 3 * 60_000;
const READ_IDLE_TIMEOUT_MS = 10_000;
const PING_TIMEOUT_MS = 5_000;
/** The maximum number of resends of a request that the server did not process. */
const RESENDS_MAX = 3;
const RESEND_JITTER_MS = 250;
/** The limit of open connections, including draining ones, as a multiple of `connectionsMax`. */
const OPEN_PER_USABLE_MAX = 4;

class ConnectionPool implements Http2Client {
  readonly #deps: Http2ClientDeps;
  readonly #connectionOptions: Http2ConnectionOptions;
  readonly #backoff: Backoff;
  readonly #queue = new RequestQueue();
  readonly #connections = new Set<Connection>();
  #lastError = new Error("No connection was tried.");
  #isClosed = false;

  constructor(deps: Http2ClientDeps) {
    this.#deps = deps;
    this.#backoff = new Backoff(deps.elapsed);
    this.#connectionOptions = {
      origin: new URL(deps.origin),
      ca: deps.ca,
      streamsMax: deps.streamsMax,
      connectTimeoutMs: deps.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
      idleTimeoutMs: deps.idleTimeoutMs ?? IDLE_TIMEOUT_MS,
      readIdleTimeoutMs: deps.readIdleTimeoutMs ?? READ_IDLE_TIMEOUT_MS,
      pingTimeoutMs: deps.pingTimeoutMs ?? PING_TIMEOUT_MS,
    };
  }

  request(request: Http2Request): Promise<Http2Exchange> {
    const { requestTimeoutMs } = this.#deps;
    if (requestTimeoutMs === undefined) return this.#exchange(request, request.signal);
    const bounds = { signal: request.signal, timeoutMs: requestTimeoutMs };
    return runWithDeadline(bounds, (signal) => this.#exchange(request, signal));
  }

  async close(): Promise<void> {
    const error = createClosedError();
    this.#isClosed = true;
    this.#queue.endAll("aborted", error);
    await Promise.all([...this.#connections].map(async (connection) => connection.destroy(error)));
  }

  #exchange(request: Http2Request, signal: AbortSignal): Promise<Http2Exchange> {
    return this.#attempt({ request, signal, refusedBy: null }).then((result) =>
      result.kind === "refused" ? this.#resend(request, signal, result) : result,
    );
  }

  /** Resends a request that the server did not process. */
  async #resend(
    request: Http2Request,
    signal: AbortSignal,
    refused: RefusedAttempt,
  ): Promise<Http2Exchange> {
    let result: RequestAttemptResult = refused;
    for (let resends = 0; result.kind === "refused"; resends += 1) {
      const { error, connection: refusedBy }: RefusedAttempt = result;
      if (resends === RESENDS_MAX) return { kind: "unprocessed", cause: "refused", error };
      if (resends > 0) await this.#waitBeforeResend(signal);
      result = await this.#attempt({ request, signal, refusedBy });
    }
    return result;
  }

  #attempt(attempt: RequestAttempt): Promise<RequestAttemptResult> {
    if (this.#isClosed) {
      return Promise.resolve({ kind: "unprocessed", cause: "aborted", error: createClosedError() });
    }
    if (this.#queue.isEmpty && !attempt.signal.aborted) {
      const connection = this.#pickConnection(attempt);
      if (connection !== null) return connection.send(attempt.request, attempt.signal);
    }
    const result = this.#queue.add(attempt);
    this.#serveQueue();
    return result;
  }

  async #waitBeforeResend(signal: AbortSignal): Promise<void> {
    const ms = this.#deps.random() * RESEND_JITTER_MS;
    try {
      await wait(ms, undefined, { signal, ref: false });
    } catch {
      // The signal aborted. The next attempt reports it.
    }
  }

  /** Sends queued requests, and connects if they need a connection. Called whenever the capacity may have changed. */
  #serveQueue(): void {
    this.#queue.serve((attempt) => this.#pickConnection(attempt));
    if (this.#queue.isEmpty || this.#isClosed) return;
    const usableConnections = [...this.#connections].filter((connection) => connection.isUsable);
    if (usableConnections.some(({ isProven }) => !isProven)) return;
    const { connectionsMax } = this.#deps;
    const openConnectionsMax = connectionsMax * OPEN_PER_USABLE_MAX;
    if (usableConnections.length >= connectionsMax || this.#connections.size >= openConnectionsMax)
      return;
    if (this.#backoff.mayConnect) this.#connect();
    else if (usableConnections.length === 0) this.#queue.endAll("unreachable", this.#lastError);
  }

  /**
   * Returns the connection with the most free streams, or null if none has any. Prefers one that did not refuse the
   * last attempt.
   */
  #pickConnection({ refusedBy }: RequestAttempt): Connection | null {
    let bestConnection: Connection | null = null;
    let freeStreamCountMax = 0;
    for (const connection of this.#connections) {
      const { freeStreamCount } = connection;
      if (freeStreamCount <= freeStreamCountMax || connection === refusedBy) continue;
      bestConnection = connection;
      freeStreamCountMax = freeStreamCount;
    }
    if (bestConnection !== null || refusedBy === null) return bestConnection;
    return refusedBy.freeStreamCount > 0 ? refusedBy : null;
  }

  #connect(): void {
    const connection: Connection = new Connection(this.#connectionOptions, {
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
    this.#lastError = toUnsentError(error);
    if (isOrderly) this.#backoff.recordOrderlyClose();
    else this.#backoff.recordFailure();
  }
}

function createClosedError(): Error {
  return new Error("The client is closed.");
}
