import type { Server as HttpServer, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** A refused connection is cut after this time if its peer goes on writing. */
const LINGER_MS = 2_000;

/** Answers in JSON whatever never becomes a request: bytes that Node's parser cannot read, slow requests, and tunnels. */
export class Unreadable {
  readonly #newId: () => string;
  /** The last answer begun on each connection. */
  readonly #answers = new WeakMap<Duplex, ServerResponse>();
  /** Sockets already refused: Node reports every further piece that it cannot read. */
  readonly #refused = new WeakSet<Duplex>();

  constructor(newId: () => string) {
    this.#newId = newId;
  }

  /** Tracks the answers under way on each connection of the server, and refuses its tunnels. */
  watch(server: HttpServer): void {
    server.on("request", ({ socket }, response) => this.#answers.set(socket, response));
    server.on("connect", (_request, socket) => {
      socket.on("error", () => {});
      this.#refuse(socket);
    });
  }

  /** Node's `clientError`: answers 400 and closes the connection. */
  readonly handle = (error: NodeJS.ErrnoException, socket: Duplex): void => {
    if (this.#refused.has(socket)) return;
    this.#refused.add(socket);
    const last = this.#answers.get(socket);
    if (error.code === "ECONNRESET") {
      socket.destroy();
    } else if (last === undefined) {
      this.#refuse(socket, error.code);
    } else if (!last.req.complete) {
      // Nothing can follow the answer to an incomplete request.
      if (last.headersSent) close(socket);
      else this.#refuse(socket, error.code);
    } else if (last.writableFinished) {
      this.#refuse(socket, error.code);
    } else {
      // The unreadable bytes follow a valid request, which gets its own answer first.
      last.once("finish", () => this.#refuse(socket, error.code));
    }
  };

  #refuse(socket: Duplex, code = ""): void {
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    const message = MESSAGES[code] ?? "The request could not be read as HTTP; nothing was done.";
    const error = { code: "invalid_request", requestId: this.#newId() };
    const body = JSON.stringify({ success: false, message, error });
    const head = [
      "HTTP/1.1 400 Bad Request",
      "Content-Type: application/json; charset=utf-8",
      `Content-Length: ${Buffer.byteLength(body)}`,
      "Connection: close",
    ];
    socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
    close(socket);
  }
}

/** Advice for errors of Node's parser, by their codes (llhttp). */
const MESSAGES: Readonly<Record<string, string>> = {
  HPE_INVALID_URL:
    "The address holds characters that must be percent-encoded; curl does it with -G --data-urlencode.",
  HPE_HEADER_OVERFLOW:
    "The address and headers are larger than 32 KiB. Send the text in a POST body.",
  ERR_HTTP_REQUEST_TIMEOUT: "The request took too long to arrive. Send it again.",
};

/** Reads on before closing: unread bytes would reset the connection, and lose the answer. */
function close(socket: Duplex): void {
  socket.resume();
  socket.end();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
