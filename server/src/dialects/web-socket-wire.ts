import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { WebSocket } from "ws";
import type { WebSockets } from "#http/web-sockets.ts";
import { PendingWrites, UNREAD_MAX_BYTES, type Wire } from "./wire.ts";

/** The request for a WebSocket. */
export interface WebSocketRequest {
  readonly webSockets: WebSockets;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** A wire over a WebSocket, which is accepted at the beginning. Frames that the app sends are ignored, except pongs. */
export class WebSocketWire implements Wire {
  readonly #socket: Socket;
  /** Null once the WebSocket is accepted: with its headers and its response, a request takes kilobytes. */
  #request: WebSocketRequest | null;
  readonly #onPong: (payload: string) => void;
  readonly #writes = new PendingWrites(() => this.destroy());
  #webSocket: WebSocket | null = null;

  constructor(request: WebSocketRequest, onPong: (payload: string) => void) {
    this.#socket = request.request.raw.socket;
    this.#request = request;
    this.#onPong = onPong;
    this.onClose(() => this.#writes.close());
  }

  get hasBegun(): boolean {
    return this.#request === null || this.#request.reply.sent;
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  readonly ping = (payload: string): void => {
    this.#webSocket?.ping(payload);
  };

  begin(): void {
    if (this.#request === null || this.hasBegun) return;
    const { webSockets, request, reply } = this.#request;
    this.#webSocket = webSockets.accept(request, reply);
    this.#request = null;
    if (this.#webSocket === null) this.#writes.close();
    this.#webSocket
      ?.on("pong", (payload) => this.#onPong(payload.toString("latin1")))
      // The app broke the protocol. `ws` would wait for the end of a closing handshake.
      .on("error", () => this.destroy());
  }

  write(text: string): Promise<void> {
    this.begin();
    const unreadBytes = this.#webSocket?.bufferedAmount ?? 0;
    if (unreadBytes + Buffer.byteLength(text) > UNREAD_MAX_BYTES) this.destroy();
    return this.#writes.track((callback) => this.#webSocket?.send(text, callback));
  }

  onClose(listener: () => void): void {
    this.#socket.once("close", listener);
  }

  destroy(): void {
    this.#writes.close();
    this.#socket.destroy();
  }
}
