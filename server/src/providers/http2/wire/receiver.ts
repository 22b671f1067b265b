import { Decoder, type FieldList } from "../hpack/decoder.ts";
import { CompressionError } from "../hpack/compression-error.ts";
import { CODE, FLAG, FRAME } from "./codes.ts";
import { FieldBlock } from "./field-block.ts";
import type { FloodGuard } from "./flood-guard.ts";
import { FrameReader } from "./frame-reader.ts";
import type { Frame } from "./frame-reader.ts";
import { withoutPadding } from "./padding.ts";
import { ProtocolError } from "./protocol-error.ts";

/** Handlers of parsed frames. Each may throw `ProtocolError` on a frame that is not allowed in the current state. */
export interface FrameHandlers {
  onSettings(frame: Frame): void;
  onFields(streamId: number, list: FieldList, isEnd: boolean): void;
  /** `flowBytes` counts against the windows and includes padding (RFC 9113 section 6.9.1). */
  onData(frame: Frame, flowBytes: number, isEnd: boolean): void;
  onReset(streamId: number, code: number): void;
  onWindow(streamId: number, increment: number): void;
  onPing(payload: Buffer): void;
  onPong(): void;
  onGoaway(lastStreamId: number, code: number): void;
}

/** The limit of a response's field sizes, which we announce in SETTINGS. */
export const LIST_MAX_BYTES = 16_384;
/** Our table size, which we never change (RFC 9113 section 6.5.2). */
const TABLE_MAX_BYTES = 4_096;

/** Parses received frames and validates their form (RFC 9113). */
export class Receiver {
  readonly #handlers: FrameHandlers;
  readonly #reader = new FrameReader();
  readonly #decoder = new Decoder({ tableMaxBytes: TABLE_MAX_BYTES, listMaxBytes: LIST_MAX_BYTES });
  readonly #guard: FloodGuard;
  /** The field block of a response that is still incomplete. */
  #block: FieldBlock | null = null;
  #hasSettings = false;

  constructor(handlers: FrameHandlers, guard: FloodGuard) {
    this.#handlers = handlers;
    this.#guard = guard;
  }

  /** True once the server's SETTINGS have arrived. */
  get hasSettings(): boolean {
    return this.#hasSettings;
  }

  /** Parses received bytes. Throws `ProtocolError` on input that ends the connection. */
  receive(chunk: Buffer): void {
    this.#reader.read(chunk, (frame) => this.#onFrame(frame));
  }

  #onFrame(frame: Frame): void {
    const { type, flags } = frame;
    if (!this.#hasSettings && (type !== FRAME.settings || (flags & FLAG.ack) !== 0)) {
      throw new ProtocolError(CODE.protocolError, "It does not begin with SETTINGS.");
    }
    if (this.#block !== null && type !== FRAME.continuation) {
      throw new ProtocolError(CODE.protocolError, "Another frame stands within a block of fields.");
    }
    this.#guard.countFrame();
    this.#dispatch(frame);
  }

  /** Handles a frame. Ignores unknown types (RFC 9113 section 5.5). */
  #dispatch(frame: Frame): void {
    switch (frame.type) {
      case FRAME.data:
        return this.#onData(frame);
      case FRAME.headers:
        return this.#onHeaders(frame);
      case FRAME.priority:
        requireStream(frame);
        return requireLength(frame, 5);
      case FRAME.rstStream:
        return this.#onReset(frame);
      case FRAME.settings:
        return this.#onSettings(frame);
      case FRAME.pushPromise:
        throw new ProtocolError(CODE.protocolError, "It pushes, which is switched off.");
      case FRAME.ping:
        return this.#onPing(frame);
      case FRAME.goaway:
        return this.#onGoaway(frame);
      case FRAME.windowUpdate:
        return this.#onWindowUpdate(frame);
      case FRAME.continuation:
        return this.#onContinuation(frame);
    }
  }

  #onData(frame: Frame): void {
    requireStream(frame);
    const isEnd = (frame.flags & FLAG.endStream) !== 0;
    this.#handlers.onData(withoutPadding(frame), frame.end - frame.begin, isEnd);
  }

  #onHeaders(frame: Frame): void {
    requireStream(frame);
    const block = new FieldBlock(frame);
    if (block.isComplete) this.#onBlock(block);
    else this.#block = block;
  }

  #onContinuation(frame: Frame): void {
    const block = this.#block;
    if (block === null || block.streamId !== frame.streamId) {
      throw new ProtocolError(CODE.protocolError, "CONTINUATION continues nothing.");
    }
    block.add(frame);
    if (!block.isComplete) return;
    this.#block = null;
    this.#onBlock(block);
  }

  /** Decodes the block even if no request waits for it, because it changes the compression table. */
  #onBlock(block: FieldBlock): void {
    let list: FieldList;
    try {
      list = this.#decoder.decode(block.bytes);
    } catch (error) {
      if (!(error instanceof CompressionError)) throw error;
      throw new ProtocolError(CODE.compressionError, error.message);
    }
    this.#handlers.onFields(block.streamId, list, block.isEnd);
  }

  #onReset(frame: Frame): void {
    requireStream(frame);
    requireLength(frame, 4);
    this.#handlers.onReset(frame.streamId, frame.bytes.readUInt32BE(frame.begin));
  }

  #onSettings(frame: Frame): void {
    requireConnection(frame);
    if ((frame.flags & FLAG.ack) !== 0) return requireLength(frame, 0);
    this.#hasSettings = true;
    this.#handlers.onSettings(frame);
  }

  #onPing(frame: Frame): void {
    requireConnection(frame);
    requireLength(frame, 8);
    if ((frame.flags & FLAG.ack) !== 0) this.#handlers.onPong();
    else this.#handlers.onPing(frame.bytes.subarray(frame.begin, frame.end));
  }

  #onGoaway({ streamId, bytes, begin, end }: Frame): void {
    if (streamId !== 0) throw new ProtocolError(CODE.protocolError, "GOAWAY stands on a stream.");
    if (end - begin < 8) throw new ProtocolError(CODE.frameSizeError, "GOAWAY is too short.");
    const lastStreamId = bytes.readUInt32BE(begin) & 0x7fff_ffff;
    this.#handlers.onGoaway(lastStreamId, bytes.readUInt32BE(begin + 4));
  }

  #onWindowUpdate(frame: Frame): void {
    requireLength(frame, 4);
    const increment = frame.bytes.readUInt32BE(frame.begin) & 0x7fff_ffff;
    this.#handlers.onWindow(frame.streamId, increment);
  }
}

function requireStream({ streamId, type }: Frame): void {
  if (streamId === 0) {
    throw new ProtocolError(CODE.protocolError, `A frame of type ${type} stands on no stream.`);
  }
}

function requireConnection({ streamId, type }: Frame): void {
  if (streamId !== 0) {
    throw new ProtocolError(CODE.protocolError, `A frame of type ${type} stands on a stream.`);
  }
}

function requireLength({ type, begin, end }: Frame, length: number): void {
  if (end - begin !== length) {
    const message = `A frame of type ${type} has ${end - begin} bytes, not ${length}.`;
    throw new ProtocolError(CODE.frameSizeError, message);
  }
}
