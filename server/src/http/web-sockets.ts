import type { FastifyReply, FastifyRequest } from "fastify";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { WebSocket, WebSocketServer } from "ws";
import type { Server } from "./server.ts";

/** The frames of apps are pings and pongs. Their payload has at most 125 bytes (RFC 6455 section 5.5). */
const FRAME_MAX_BYTES = 125;
/** A connection whose upgrade was refused is closed after this time, even if its client does not close it. */
const LINGER_MS = 2_000;

/** The request of a client that is about to change its connection to a WebSocket. */
interface Upgrade {
  readonly socket: Socket;
  /** The bytes that arrived after the request. */
  readonly head: Buffer;
}

/**
 * The WebSockets of a server (RFC 6455). A request for one passes through hooks and its route like any other, and a
 * refusal is a plain response. An upgrade to another protocol, or at a path without WebSockets, is a plain request.
 */
export class WebSockets {
  readonly #paths: RegExp[] = [];
  readonly #upgrades = new WeakMap<IncomingMessage, Upgrade>();
  readonly #sockets = new Set<Socket>();
  #protocol: WebSocketServer | null = null;
  #isStopping = false;

  /** Lets routes at the matching paths accept WebSockets. The pattern matches a whole path without its query. */
  allowAt(path: RegExp): void {
    this.#paths.push(path);
  }

  /** Returns whether a request is for a WebSocket that a route may accept. */
  readonly isUpgrade = ({ method, headers, httpVersion, url = "" }: IncomingMessage): boolean =>
    method === "GET" &&
    httpVersion === "1.1" &&
    headers.upgrade?.toLowerCase() === "websocket" &&
    KEY_PATTERN.test(headers["sec-websocket-key"] ?? "") &&
    headers["sec-websocket-version"] === "13" &&
    // Frames would be read as the body of the request.
    headers["content-length"] === undefined &&
    headers["transfer-encoding"] === undefined &&
    this.#paths.some((path) => path.test(url.split("?", 1).join("")));

  /** Passes the upgrades of a server to its routes, and stops with it. */
  serve(server: Server, ServerResponseClass: typeof ServerResponse): void {
    server.addHook("preClose", async () => this.#stop());
    server.server.on("upgrade", (request, stream, head) => {
      const socket = stream as Socket; // A request without a body is upgraded on the socket itself.
      // A connection that fails closes, which its listeners notice.
      socket.on("error", ignoreError);
      if (this.#isStopping) {
        socket.destroy();
        return;
      }
      this.#upgrades.set(request, { socket, head });
      this.#track(socket);
      const response = new ServerResponseClass(request);
      response.shouldKeepAlive = false;
      response.assignSocket(socket);
      response.once("finish", () => {
        response.detachSocket(socket);
        closeAfterResponse(socket);
      });
      void this.#loadProtocol().then(() => server.routing(request, response));
    });
  }

  /** Returns whether `accept` can answer a request. */
  isPending({ raw }: FastifyRequest): boolean {
    return this.#upgrades.has(raw);
  }

  /** Accepts a WebSocket, and takes over its response. Returns null if the client has disconnected. */
  accept({ raw }: FastifyRequest, reply: FastifyReply): WebSocket | null {
    const upgrade = this.#upgrades.get(raw);
    if (upgrade === undefined) throw new Error("This request is not for a WebSocket.");
    this.#upgrades.delete(raw);
    const { socket, head } = upgrade;
    reply.hijack();
    if (!socket.readable || !socket.writable) {
      socket.destroy();
      return null;
    }
    reply.raw.detachSocket(socket);
    let accepted: WebSocket | null = null;
    this.#protocol?.handleUpgrade(raw, socket, head, (webSocket) => (accepted = webSocket));
    return accepted;
  }

  /**
   * Records a connection until it closes. The listener stays as long, so it is created apart from the request: it would
   * keep that in memory for each connected app.
   */
  #track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
  }

  /** Loads the package for the first WebSocket: loading takes 20 ms, and most servers start without an app. */
  async #loadProtocol(): Promise<void> {
    const { WebSocketServer: Protocol } = await import("ws");
    this.#protocol ??= new Protocol({
      noServer: true,
      clientTracking: false,
      // Compression would need memory for each connection, and the texts are short.
      perMessageDeflate: false,
      maxPayload: FRAME_MAX_BYTES,
    });
  }

  /**
   * Ends all connections without a closing handshake: the apps of ntfy and Gotify do not answer one, and would notice
   * the end only after minutes.
   */
  #stop(): void {
    this.#isStopping = true;
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** The key of a handshake: 16 bytes in base64 (RFC 6455 section 4.1). */
const KEY_PATTERN = /^[+/0-9A-Za-z]{22}==$/;

function ignoreError(): void {}

/** Reads the remaining bytes before closing: unread bytes would reset the connection and lose the response. */
function closeAfterResponse(socket: Socket): void {
  socket.resume();
  socket.end();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
