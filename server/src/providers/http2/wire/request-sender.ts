import type { Http2Request } from "../http2.ts";
import {
  ERROR_CODE,
  FRAME_FLAG,
  FRAME_TYPE,
  FRAME_HEADER_BYTES,
  INITIAL_WINDOW_BYTES,
  WINDOW_MAX_BYTES,
} from "./codes.ts";
import type { FloodGuard } from "./flood-guard.ts";
import { writeFrameHeader } from "./frame-writer.ts";
import type { Outbox } from "./outbox.ts";
import type { PeerSettings } from "./peer-settings.ts";
import { ProtocolError } from "./protocol-error.ts";
import { RequestHeaderEncoder } from "./request-header-encoder.ts";
import type { Stream } from "./stream.ts";

/** The largest body part in one frame, even if the server allows more. */
const PART_MAX_BYTES = 16_384;

/** The dependencies of a sender, which it shares with other parts of its session. */
export interface SenderDeps {
  readonly outbox: Outbox;
  readonly peerSettings: PeerSettings;
  readonly floodGuard: FloodGuard;
}

/**
 * Writes requests as far as the send windows allow, and the remaining bodies when the windows open (RFC 9113 section
 * 5.2).
 */
export class RequestSender {
  readonly #outbox: Outbox;
  readonly #peerSettings: PeerSettings;
  readonly #floodGuard: FloodGuard;
  readonly #headerEncoder: RequestHeaderEncoder;
  /** Streams with a body that waits for a window, in the order of their start. */
  readonly #waitingStreams = new Set<Stream>();
  #connectionWindow = INITIAL_WINDOW_BYTES;

  constructor({ outbox, peerSettings, floodGuard }: SenderDeps, origin: URL) {
    this.#outbox = outbox;
    this.#peerSettings = peerSettings;
    this.#floodGuard = floodGuard;
    this.#headerEncoder = new RequestHeaderEncoder(origin);
  }

  /** True if the window of the connection is closed. */
  get isWindowClosed(): boolean {
    return this.#connectionWindow <= 0;
  }

  /** Reserves space for the headers. Throws `TypeError` if they are malformed or too large. */
  reserve(request: Http2Request): void {
    this.#headerEncoder.reserve(this.#outbox, request);
  }

  /** Writes the reserved headers, and as much of the body as the windows allow. */
  start(stream: Stream, request: Http2Request): void {
    const outbox = this.#outbox;
    const isEnd = request.body.length === 0;
    const flags = FRAME_FLAG.endHeaders | (isEnd ? FRAME_FLAG.endStream : 0);
    const headerOffset = outbox.offset;
    outbox.offset += FRAME_HEADER_BYTES;
    this.#headerEncoder.write(outbox, request);
    const end = outbox.offset;
    outbox.offset = headerOffset;
    const length = end - headerOffset - FRAME_HEADER_BYTES;
    writeFrameHeader(outbox, { type: FRAME_TYPE.headers, flags, streamId: stream.id, length });
    outbox.offset = end;
    if (isEnd) stream.unsentBody = null;
    else this.#sendBody(stream);
  }

  /** Stops sending the body of a stream. */
  stopSending(stream: Stream): void {
    if (stream.unsentBody !== null) this.#waitingStreams.delete(stream);
    stream.unsentBody = null;
  }

  /** Widens the connection's window. Throws `ProtocolError` above its limit. */
  widenConnectionWindow(increment: number): void {
    this.#connectionWindow = addToWindow(this.#connectionWindow, increment);
    this.#sendWaiting();
  }

  /** Widens a stream's window. Returns false above its limit. */
  widenStreamWindow(stream: Stream, increment: number): boolean {
    if (stream.sendWindow + increment > WINDOW_MAX_BYTES) return false;
    stream.sendWindow += increment;
    if (stream.unsentBody !== null) this.#sendBody(stream);
    return true;
  }

  /**
   * Changes the windows of all streams, possibly to below zero (RFC 9113 section 6.9.2). Throws `ProtocolError`
   * above the limit of a window.
   */
  shiftStreamWindows(streams: Iterable<Stream>, change: number): void {
    for (const stream of streams) stream.sendWindow = addToWindow(stream.sendWindow, change);
    this.#sendWaiting();
  }

  /** Applies the server's table size. */
  applyTableSize(): void {
    this.#headerEncoder.encoder.limitTableSize(this.#peerSettings.headerTableBytes);
  }

  #sendWaiting(): void {
    for (const stream of this.#waitingStreams) {
      if (this.isWindowClosed) return;
      this.#sendBody(stream);
    }
  }

  #sendBody(stream: Stream): void {
    let { unsentBody } = stream;
    while (unsentBody !== null) {
      const size = Math.min(
        unsentBody.length,
        PART_MAX_BYTES,
        this.#connectionWindow,
        stream.sendWindow,
      );
      if (size <= 0) {
        this.#waitingStreams.add(stream);
        return;
      }
      this.#writeData(stream, { part: unsentBody, size });
      unsentBody = size === unsentBody.length ? null : unsentBody.subarray(size);
      stream.unsentBody = unsentBody;
    }
    this.#waitingStreams.delete(stream);
  }

  #writeData(
    stream: Stream,
    { part, size }: { readonly part: Buffer; readonly size: number },
  ): void {
    const outbox = this.#outbox;
    const flags = size === part.length ? FRAME_FLAG.endStream : 0;
    outbox.reserve(FRAME_HEADER_BYTES + size);
    writeFrameHeader(outbox, { type: FRAME_TYPE.data, flags, streamId: stream.id, length: size });
    part.copy(outbox.bytes, outbox.offset, 0, size);
    outbox.offset += size;
    this.#connectionWindow -= size;
    stream.sendWindow -= size;
    this.#floodGuard.countDataFrame();
  }
}

function addToWindow(window: number, increment: number): number {
  const widened = window + increment;
  if (widened > WINDOW_MAX_BYTES)
    throw new ProtocolError(ERROR_CODE.flowControlError, "A flow-control window is too large.");
  return widened;
}
