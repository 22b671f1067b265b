import type { Http2Request } from "../http2.ts";
import { CODE, FLAG, FRAME, FRAME_HEAD_BYTES, WINDOW_DEFAULT, WINDOW_MAX } from "./codes.ts";
import type { FloodGuard } from "./flood-guard.ts";
import { writeHead } from "./frame-writer.ts";
import type { Outbox } from "./outbox.ts";
import type { PeerSettings } from "./peer-settings.ts";
import { ProtocolError } from "./protocol-error.ts";
import { RequestHeads } from "./request-head.ts";
import type { Stream } from "./stream.ts";

/** The largest body part in one frame, whatever the server allows. */
const PART_MAX_BYTES = 16_384;

export interface SenderDeps {
  readonly out: Outbox;
  readonly peer: PeerSettings;
  readonly guard: FloodGuard;
}

/** Writes requests as far as the send windows allow, and the rest when they open (RFC 9113 section 5.2). */
export class RequestSender {
  readonly #out: Outbox;
  readonly #peer: PeerSettings;
  readonly #guard: FloodGuard;
  readonly #heads: RequestHeads;
  /** Streams whose body waits for a window, in the order in which they began. */
  readonly #waiting = new Set<Stream>();
  #window = WINDOW_DEFAULT;

  constructor({ out, peer, guard }: SenderDeps, origin: URL) {
    this.#out = out;
    this.#peer = peer;
    this.#guard = guard;
    this.#heads = new RequestHeads(origin);
  }

  /** True if the window of the connection is closed. */
  get isShut(): boolean {
    return this.#window <= 0;
  }

  /** Reserves room for the head; throws `TypeError` if it is not allowed. */
  reserve(request: Http2Request): void {
    this.#heads.reserve(this.#out, request);
  }

  /** Writes the reserved head, and as much of the body as the windows allow. */
  begin(stream: Stream, request: Http2Request): void {
    const out = this.#out;
    const isEnd = request.body.length === 0;
    const flags = FLAG.endHeaders | (isEnd ? FLAG.endStream : 0);
    const headAt = out.at;
    out.at += FRAME_HEAD_BYTES;
    this.#heads.write(out, request);
    const after = out.at;
    out.at = headAt;
    const length = after - headAt - FRAME_HEAD_BYTES;
    writeHead(out, { type: FRAME.headers, flags, streamId: stream.id, length });
    out.at = after;
    if (isEnd) stream.unsent = null;
    else this.#sendBody(stream);
  }

  /** Sends no more of this body. */
  forget(stream: Stream): void {
    if (stream.unsent !== null) this.#waiting.delete(stream);
    stream.unsent = null;
  }

  /** Widens the connection's window; throws `ProtocolError` above its limit. */
  widen(increment: number): void {
    this.#window = widened(this.#window, increment);
    this.#sendWaiting();
  }

  /** Widens a stream's window; returns false above its limit. */
  widenStream(stream: Stream, increment: number): boolean {
    if (stream.sendWindow + increment > WINDOW_MAX) return false;
    stream.sendWindow += increment;
    if (stream.unsent !== null) this.#sendBody(stream);
    return true;
  }

  /** Shifts the windows of all streams, perhaps below zero (RFC 9113 section 6.9.2). */
  shift(streams: Iterable<Stream>, change: number): void {
    for (const stream of streams) stream.sendWindow = widened(stream.sendWindow, change);
    this.#sendWaiting();
  }

  /** Applies the server's table size. */
  allowTable(): void {
    this.#heads.encoder.allow(this.#peer.headerTableBytes);
  }

  #sendWaiting(): void {
    for (const stream of this.#waiting) {
      if (this.isShut) return;
      this.#sendBody(stream);
    }
  }

  #sendBody(stream: Stream): void {
    let { unsent } = stream;
    while (unsent !== null) {
      const size = Math.min(unsent.length, PART_MAX_BYTES, this.#window, stream.sendWindow);
      if (size <= 0) {
        this.#waiting.add(stream);
        return;
      }
      this.#writeData(stream, { part: unsent, size });
      unsent = size === unsent.length ? null : unsent.subarray(size);
      stream.unsent = unsent;
    }
    this.#waiting.delete(stream);
  }

  #writeData(
    stream: Stream,
    { part, size }: { readonly part: Buffer; readonly size: number },
  ): void {
    const out = this.#out;
    const flags = size === part.length ? FLAG.endStream : 0;
    out.reserve(FRAME_HEAD_BYTES + size);
    writeHead(out, { type: FRAME.data, flags, streamId: stream.id, length: size });
    part.copy(out.bytes, out.at, 0, size);
    out.at += size;
    this.#window -= size;
    stream.sendWindow -= size;
    this.#guard.sent();
  }
}

function widened(window: number, increment: number): number {
  const wider = window + increment;
  if (wider > WINDOW_MAX) throw new ProtocolError(CODE.flowControlError, "A window is too wide.");
  return wider;
}
