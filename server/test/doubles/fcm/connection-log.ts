import { once } from "node:events";
import type { Socket } from "node:net";
import type { ServerHttp2Session } from "node:http2";

/** One connection of a client, as a drill may ask about it afterwards. */
export interface ConnectionReport {
  readonly protocol: "h2" | "http/1.1" | "none";
  readonly isOpen: boolean;
  /** Requests in all. */
  readonly requests: number;
  /** The kind of request: FCM's sends and the token endpoint may share a connection, or not. */
  readonly paths: ReadonlySet<string>;
  /** The most requests that were unanswered at one moment. */
  readonly mostConcurrent: number;
}

/** Facts about one connection while it lives, and after. */
export class ConnectionLog implements ConnectionReport {
  protocol: ConnectionReport["protocol"] = "none";
  isOpen = true;
  requests = 0;
  readonly paths = new Set<string>();
  mostConcurrent = 0;
  /** Null where the client speaks HTTP/1.1, or not yet. */
  session: ServerHttp2Session | null = null;
  readonly #socket: Socket;
  readonly #unanswered = new Set<object>();

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("error", () => {
      // A client that hangs up is its own affair.
    });
    socket.on("close", () => {
      this.isOpen = false;
    });
  }

  get concurrent(): number {
    return this.#unanswered.size;
  }

  /** Counts a request as under way. */
  begin(request: object, path: string): void {
    this.requests += 1;
    this.paths.add(path);
    this.#unanswered.add(request);
    this.mostConcurrent = Math.max(this.mostConcurrent, this.#unanswered.size);
  }

  /** Counts a request as over: from now on the client may know it, and open the next. */
  end(request: object): void {
    this.#unanswered.delete(request);
  }

  /** Ends the connection with a TCP reset. */
  cut(): void {
    this.#socket.resetAndDestroy();
  }

  /**
   * Closes the connection; resolves when it is closed. Without a reset: libuv refuses one (`uv_tcp_close_reset`) where
   * the end is on its way already, and then Node keeps the handle, and its process never ends.
   */
  async close(): Promise<void> {
    if (this.#socket.closed) return;
    const closed = once(this.#socket, "close");
    this.#socket.destroy();
    await closed;
  }
}
