import type { Http2Request } from "../http2.ts";
import { CODE, FLAG, FRAME, FRAME_HEADER_BYTES, WINDOW_DEFAULT, WINDOW_MAX } from "./codes.ts";
import type { FloodGuard } from "./flood-guard.ts";
import { writeFrameHeader } from "./frame-writer.ts";
import type { Outbox } from "./outbox.ts";
import type { PeerSettings } from "./peer-settings.ts";
import { ProtocolError } from "./protocol-error.ts";
import { RequestHeaderEncoder } from "./request-header-encoder.ts";
import type { Stream } from "./stream.ts";

/** The largest body part in one frame, even if the server allows more. */
const PART_MAX_BYTES = 16_384;

export interface SenderDeps {
  readonly out: Outbox;
  readonly peer: PeerSettings;
  readonly guard: FloodGuard;
}

/** Writes requests as far as the send windows allow, and the rest when the windows open (RFC 9113 section 5.2). */
export class RequestSender {
  readonly #out: Outbox;
  readonly #peer: PeerSettings;
  readonly #guard: FloodGuard;
  readonly #headerEncoder: RequestHeaderEncoder;
  /** Streams with a body that waits for a window, in the order of their start. */
  readonly #waiting = new Set<Stream>();
  #window = WINDOW_DEFAULT;

  constructor({ out, peer, guard }: SenderDeps, origin: URL) {
    this.#out = out;
    this.#peer = peer;
    this.#guard = guard;
    this.#headerEncoder = new RequestHeaderEncoder(origin);
  }

  /** True if the window of the connection is closed. */
  get isWindowClosed(): boolean {
    return this.#window <= 0;
  }

  /** Reserves space for the headers. Throws `TypeError` if HTTP/2 does not allow them. */
  reserve(request: Http2Request): void {
    this.#headerEncoder.reserve(this.#out, request);
  }

  /** Writes the reserved headers, and as much of the body as the windows allow. */
  begin(stream: Stream, request: Http2Request): void {
    const out = this.#out;
    const isEnd = request.body.length === 0;
    const flags = FLAG.endHeaders | (isEnd ? FLAG.endStream : 0);
    const headerAt = out.at;
    out.at += FRAME_HEADER_BYTES;
    this.#headerEncoder.write(out, request);
    const end = out.at;
    out.at = headerAt;
    const length = end - headerAt - FRAME_HEADER_BYTES;
    writeFrameHeader(out, { type: FRAME.headers, flags, streamId: stream.id, length });
    out.at = end;
    if (isEnd) stream.unsent = null;
    else this.#sendBody(stream);
  }

  /** Stops sending the body of a stream. */
  forget(stream: Stream): void {
    if (stream.unsent !== null) this.#waiting.delete(stream);
    stream.unsent = null;
  }

  /** Widens the connection's window. Throws `ProtocolError` above its limit. */
  widen(increment: number): void {
    this.#window = addToWindow(this.#window, increment);
    this.#sendWaiting();
  }

  /** Widens a stream's window. Returns false above its limit. */
  widenStream(stream: Stream, increment: number): boolean {
    if (stream.sendWindow + increment > WINDOW_MAX) return false;
    stream.sendWindow += increment;
    if (stream.unsent !== null) this.#sendBody(stream);
    return true;
  }

  /** Changes the windows of all streams, possibly to below zero (RFC 9113 section 6.9.2). */
  shift(streams: Iterable<Stream>, change: number): void {
    for (const stream of streams) stream.sendWindow = addToWindow(stream.sendWindow, change);
    this.#sendWaiting();
  }

  /** Applies the server's table size. */
  allowTable(): void {
    this.#headerEncoder.encoder.limitTable(this.#peer.headerTableBytes);
  }

  #sendWaiting(): void {
    for (const stream of this.#waiting) {
      if (this.isWindowClosed) return;
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
    out.reserve(FRAME_HEADER_BYTES + size);
    writeFrameHeader(out, { type: FRAME.data, flags, streamId: stream.id, length: size });
    part.copy(out.bytes, out.at, 0, size);
    out.at += size;
    this.#window -= size;
    stream.sendWindow -= size;
    this.#guard.countDataFrame();
  }
}

function addToWindow(window: number, increment: number): number {
  const wider = window + increment;
  if (wider > WINDOW_MAX) throw new ProtocolError(CODE.flowControlError, "A window is too wide.");
  return wider;
}
