import type { FastifyReply } from "fastify";
import { closeOnDisconnect } from "#http/close-on-disconnect.ts";
import { PendingWrites, UNREAD_MAX_BYTES, type Wire } from "./wire.ts";

/**
 * A wire over a response that does not end. Its body is chunked, so that an app recognises a connection that was cut: after
 * an orderly end, ntfy's app would connect again without a pause.
 */
export class ResponseWire implements Wire {
  readonly ping = null;
  readonly #reply: FastifyReply;
  readonly #contentType: string;
  readonly #writes = new PendingWrites(() => this.destroy());

  constructor(reply: FastifyReply, contentType: string) {
    this.#reply = reply;
    this.#contentType = contentType;
    closeOnDisconnect(reply.raw);
    this.onClose(() => this.#writes.close());
  }

  get hasBegun(): boolean {
    return this.#reply.sent;
  }

  get isOpen(): boolean {
    return !this.#reply.raw.destroyed && !this.#reply.raw.closed;
  }

  begin(): void {
    if (this.hasBegun) return;
    const { raw } = this.#reply;
    for (const [name, value] of Object.entries(this.#reply.getHeaders())) {
      if (value !== undefined) raw.setHeader(name, value);
    }
    raw.setHeader("content-type", this.#contentType);
    // Makes nginx forward events immediately.
    raw.setHeader("x-accel-buffering", "no");
    this.#reply.hijack();
    raw.statusCode = 200;
  }

  write(text: string): Promise<void> {
    const { raw } = this.#reply;
    this.begin();
    const bytes = Buffer.from(text);
    if (raw.writableLength + bytes.length > UNREAD_MAX_BYTES) this.destroy();
    return this.#writes.track((callback) => raw.write(bytes, callback));
  }

  onClose(listener: () => void): void {
    this.#reply.raw.once("close", listener);
  }

  destroy(): void {
    this.#writes.close();
    this.#reply.raw.destroy();
  }
}
