import { once } from "node:events";
import type { Socket } from "node:net";
import type { ServerHttp2Session } from "node:http2";

/** A client's connection, as tests examine it. */
export interface ConnectionReport {
  readonly protocol: "h2" | "http/1.1" | "none";
  readonly isOpen: boolean;
  /** Total number of requests. */
  readonly requestCount: number;
  /** Requested paths, because sends and token requests may share a connection. */
  readonly paths: ReadonlySet<string>;
  /** Maximum number of concurrent unanswered requests. */
  readonly concurrentRequestsMax: number;
}

/** Records the state of a connection while it is open and after. */
export class ConnectionLog implements ConnectionReport {
  protocol: ConnectionReport["protocol"] = "none";
  isOpen = true;
  requestCount = 0;
  readonly paths = new Set<string>();
  concurrentRequestsMax = 0;
  /** Null for HTTP/1.1, or before the handshake. */
  session: ServerHttp2Session | null = null;
  readonly #socket: Socket;
  readonly #unanswered = new Set<object>();

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("error", () => {
      // A client may close its connection.
    });
    socket.on("close", () => {
      this.isOpen = false;
    });
  }

  get concurrentCount(): number {
    return this.#unanswered.size;
  }

  /** Counts a request as pending. */
  begin(response: object, path: string): void {
    this.requestCount += 1;
    this.paths.add(path);
    this.#unanswered.add(response);
    this.concurrentRequestsMax = Math.max(this.concurrentRequestsMax, this.#unanswered.size);
  }

  /** Counts a request as answered. Call it before the client can see the response and send its next request. */
  end(response: object): void {
    this.#unanswered.delete(response);
  }

  /** Ends the connection with a TCP reset. */
  reset(): void {
    this.#socket.resetAndDestroy();
  }

  /**
   * Closes the connection, and resolves when it is closed. Does not reset it: libuv (`uv_tcp_close_reset`) refuses to reset a
   * connection that is already ending, and Node would keep the handle and its process alive.
   */
  async close(): Promise<void> {
    if (this.#socket.closed) return;
    const closed = once(this.#socket, "close");
    this.#socket.destroy();
    await closed;
  }
}
