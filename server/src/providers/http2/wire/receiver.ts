import { Decoder, type FieldList } from "../hpack/decoder.ts";
import { CompressionError } from "../hpack/compression-error.ts";
import {
  ERROR_CODE,
  FRAME_FLAG,
  FRAME_TYPE,
  GOAWAY_MIN_BYTES,
  PAYLOAD_BYTES,
  UINT31_MASK,
} from "./codes.ts";
import { FieldBlock } from "./field-block.ts";
import type { FloodGuard } from "./flood-guard.ts";
import { FrameReader, type Frame } from "./frame-reader.ts";
import { removePadding } from "./padding.ts";
import { ProtocolError } from "./protocol-error.ts";

/** Handlers of parsed frames. Each may throw `ProtocolError` on a frame that is not allowed in the current state. */
export interface FrameHandlers {
  onSettings(frame: Frame): void;
  onFields(streamId: number, list: FieldList, isEnd: boolean): void;
  /** `flowBytes` counts against the windows and includes padding (RFC 9113 section 6.9.1). */
  onData(frame: Frame, flowBytes: number, isEnd: boolean): void;
  onReset(streamId: number, code: number): void;
  onWindowUpdate(streamId: number, increment: number): void;
  onPing(payload: Buffer): void;
  onPong(): void;
  onGoaway(lastStreamId: number, code: number): void;
}

/** The limit of a response's field sizes, which we announce in SETTINGS. */
export const HEADER_LIST_MAX_BYTES = 16_384;
/** Our table size, which we never change (RFC 9113 section 6.5.2). */
const TABLE_MAX_BYTES = 4_096;

/** Parses received frames and checks that they are well-formed (RFC 9113). */
export class Receiver {
  readonly #handlers: FrameHandlers;
  readonly #reader = new FrameReader();
  readonly #decoder = new Decoder({
    tableMaxBytes: TABLE_MAX_BYTES,
    listMaxBytes: HEADER_LIST_MAX_BYTES,
  });
  readonly #floodGuard: FloodGuard;
  /** The field block whose last frame has not arrived; null if there is none. */
  #fieldBlock: FieldBlock | null = null;
  #hasSettings = false;

  constructor(handlers: FrameHandlers, floodGuard: FloodGuard) {
    this.#handlers = handlers;
    this.#floodGuard = floodGuard;
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
    if (!this.#hasSettings && (type !== FRAME_TYPE.settings || (flags & FRAME_FLAG.ack) !== 0)) {
      throw new ProtocolError(ERROR_CODE.protocolError, "The first frame is not SETTINGS.");
    }
    if (this.#fieldBlock !== null && type !== FRAME_TYPE.continuation) {
      throw new ProtocolError(ERROR_CODE.protocolError, "Another frame interrupts a field block.");
    }
    this.#floodGuard.countFrame();
    this.#dispatch(frame);
  }

  /** Handles a frame. Ignores unknown types (RFC 9113 section 5.5). */
  #dispatch(frame: Frame): void {
    switch (frame.type) {
      case FRAME_TYPE.data:
        return this.#onData(frame);
      case FRAME_TYPE.headers:
        return this.#onHeaders(frame);
      case FRAME_TYPE.priority:
        requireStream(frame);
        return requireLength(frame, PAYLOAD_BYTES.priority);
      case FRAME_TYPE.rstStream:
        return this.#onReset(frame);
      case FRAME_TYPE.settings:
        return this.#onSettings(frame);
      case FRAME_TYPE.pushPromise:
        throw new ProtocolError(
          ERROR_CODE.protocolError,
          "The server pushes, although push is disabled.",
        );
      case FRAME_TYPE.ping:
        return this.#onPing(frame);
      case FRAME_TYPE.goaway:
        return this.#onGoaway(frame);
      case FRAME_TYPE.windowUpdate:
        return this.#onWindowUpdate(frame);
      case FRAME_TYPE.continuation:
        return this.#onContinuation(frame);
    }
  }

  #onData(frame: Frame): void {
    requireStream(frame);
    const isEnd = (frame.flags & FRAME_FLAG.endStream) !== 0;
    this.#handlers.onData(removePadding(frame), frame.end - frame.begin, isEnd);
  }

  #onHeaders(frame: Frame): void {
    requireStream(frame);
    const block = new FieldBlock(frame);
    if (block.isComplete) this.#onBlock(block);
    else this.#fieldBlock = block;
  }

  #onContinuation(frame: Frame): void {
    const block = this.#fieldBlock;
    if (block === null || block.streamId !== frame.streamId) {
      throw new ProtocolError(
        ERROR_CODE.protocolError,
        "A CONTINUATION frame does not follow its HEADERS.",
      );
    }
    block.add(frame);
    if (!block.isComplete) return;
    this.#fieldBlock = null;
    this.#onBlock(block);
  }

  /** Decodes the block even if no request waits for it, because it changes the compression table. */
  #onBlock(block: FieldBlock): void {
    let list: FieldList;
    try {
      list = this.#decoder.decode(block.bytes);
    } catch (error) {
      if (!(error instanceof CompressionError)) throw error;
      throw new ProtocolError(ERROR_CODE.compressionError, error.message);
    }
    this.#handlers.onFields(block.streamId, list, block.isEnd);
  }

  #onReset(frame: Frame): void {
    requireStream(frame);
    requireLength(frame, PAYLOAD_BYTES.rstStream);
    this.#handlers.onReset(frame.streamId, frame.bytes.readUInt32BE(frame.begin));
  }

  #onSettings(frame: Frame): void {
    requireConnection(frame);
    if ((frame.flags & FRAME_FLAG.ack) !== 0) return requireLength(frame, 0);
    this.#hasSettings = true;
    this.#handlers.onSettings(frame);
  }

  #onPing(frame: Frame): void {
    requireConnection(frame);
    requireLength(frame, PAYLOAD_BYTES.ping);
    if ((frame.flags & FRAME_FLAG.ack) !== 0) this.#handlers.onPong();
    else this.#handlers.onPing(frame.bytes.subarray(frame.begin, frame.end));
  }

  #onGoaway({ streamId, bytes, begin, end }: Frame): void {
    if (streamId !== 0)
      throw new ProtocolError(ERROR_CODE.protocolError, "GOAWAY was sent on a stream.");
    if (end - begin < GOAWAY_MIN_BYTES)
      throw new ProtocolError(ERROR_CODE.frameSizeError, "GOAWAY is too short.");
    const lastStreamId = bytes.readUInt32BE(begin) & UINT31_MASK;
    this.#handlers.onGoaway(lastStreamId, bytes.readUInt32BE(begin + 4));
  }

  #onWindowUpdate(frame: Frame): void {
    requireLength(frame, PAYLOAD_BYTES.windowUpdate);
    const increment = frame.bytes.readUInt32BE(frame.begin) & UINT31_MASK;
    this.#handlers.onWindowUpdate(frame.streamId, increment);
  }
}

function requireStream({ streamId, type }: Frame): void {
  if (streamId === 0) {
    throw new ProtocolError(ERROR_CODE.protocolError, `A frame of type ${type} needs a stream.`);
  }
}

function requireConnection({ streamId, type }: Frame): void {
  if (streamId !== 0) {
    throw new ProtocolError(
      ERROR_CODE.protocolError,
      `A frame of type ${type} must not be sent on a stream.`,
    );
  }
}

function requireLength({ type, begin, end }: Frame, length: number): void {
  if (end - begin !== length) {
    const message = `A frame of type ${type} has ${end - begin} bytes, not ${length}.`;
    throw new ProtocolError(ERROR_CODE.frameSizeError, message);
  }
}
