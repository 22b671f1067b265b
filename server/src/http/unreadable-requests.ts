import type { Server as HttpServer, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { readArrivedRequests } from "./arrived-requests.ts";

/** A refused connection is closed after this time, even if its peer continues to write. */
const LINGER_MS = 2_000;

/** Responds in JSON to input that never becomes a request: bytes that Node cannot parse, slow requests and tunnels. */
export class UnreadableRequests {
  readonly #newId: () => string;
  /** The last response that was started on each connection. */
  readonly #responses = new WeakMap<Duplex, ServerResponse>();
  /** Sockets that were already refused: Node reports every further piece that it cannot read. */
  readonly #refused = new WeakSet<Duplex>();

  constructor(newId: () => string) {
    this.#newId = newId;
  }

  /** Tracks the current response of each connection of the server, and refuses its tunnels. */
  watch(server: HttpServer): void {
    server.on("request", ({ socket }, response) => this.#responses.set(socket, response));
    server.on("connect", (_request, socket) => {
      socket.on("error", () => {});
      this.#refuse(socket);
    });
  }

  /** Handles Node's event `clientError`: responds with 400 and closes the connection. */
  readonly handleClientError = (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") void this.#handleTimeout(error, socket);
    else this.#handleError(error, socket);
  };

  /**
   * Handles a request that did not arrive in time, unless it has arrived unread. A connection without any request is
   * closed without a response: a browser opens connections in advance, and would match the response to its next request.
   */
  async #handleTimeout(error: NodeJS.ErrnoException, socket: Socket): Promise<void> {
    const wasUnused = socket.bytesRead === 0;
    const lastResponse = this.#responses.get(socket);
    await readArrivedRequests();
    // Node measures the time of a request from its first byte.
    if (wasUnused && socket.bytesRead > 0) return;
    const response = this.#responses.get(socket);
    const hasArrived = response?.req.complete === true && response !== lastResponse;
    if (hasArrived) return;
    if (wasUnused) socket.destroy();
    else this.#handleError(error, socket);
  }

  #handleError(error: NodeJS.ErrnoException, socket: Socket): void {
    if (this.#refused.has(socket)) return;
    this.#refused.add(socket);
    const lastResponse = this.#responses.get(socket);
    if (error.code === "ECONNRESET") {
      socket.destroy();
    } else if (lastResponse === undefined) {
      this.#refuse(socket, error.code);
    } else if (!lastResponse.req.complete) {
      // Nothing can follow the response to an incomplete request.
      if (lastResponse.headersSent) drainAndClose(socket);
      else this.#refuse(socket, error.code);
    } else if (lastResponse.writableFinished) {
      this.#refuse(socket, error.code);
    } else {
      // The unreadable bytes follow a valid request, which gets its own response first.
      lastResponse.once("finish", () => this.#refuse(socket, error.code));
    }
  }

  #refuse(socket: Duplex, code = ""): void {
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    const message =
      MESSAGES_BY_CODE[code] ?? "The request could not be read as HTTP; nothing was done.";
    const error = { code: "invalid_request", requestId: this.#newId() };
    const body = JSON.stringify({ success: false, message, error });
    const headerLines = [
      "HTTP/1.1 400 Bad Request",
      "Content-Type: application/json; charset=utf-8",
      `Content-Length: ${Buffer.byteLength(body)}`,
      "Connection: close",
    ];
    socket.write(`${headerLines.join("\r\n")}\r\n\r\n${body}`);
    drainAndClose(socket);
  }
}

/** Advice for errors of Node's parser, by their codes (llhttp). */
const MESSAGES_BY_CODE: Readonly<Record<string, string>> = {
  HPE_INVALID_URL:
    "The address contains characters that must be percent-encoded; curl does it with -G --data-urlencode.",
  HPE_HEADER_OVERFLOW:
    "The address and headers are larger than 32 KiB. Send the text in a POST body.",
  ERR_HTTP_REQUEST_TIMEOUT: "The request took too long to arrive. Send it again.",
};

/** Reads the remaining bytes before closing: unread bytes would reset the connection and lose the response. */
function drainAndClose(socket: Duplex): void {
  socket.resume();
  socket.end();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
