import {
  ACK,
  DATA,
  END_HEADERS,
  END_STREAM,
  FLAGS_OFFSET,
  encodeFrame,
  HEADER_BYTES,
  HEADERS,
  readTypeAndFlags,
  PING,
  SETTINGS,
  STREAM_ID_OFFSET,
  type Frames,
} from "./http2-frames.ts";

/** The size of a PING with its payload of eight bytes (RFC 9113 section 6.7). */
const PING_FRAME_BYTES = HEADER_BYTES + 8;
const STREAM_ID_BYTES = 4;
const SETTINGS_ACK = encodeFrame({ type: SETTINGS, flags: ACK }, Buffer.alloc(0));

/** A complete response, and the positions of its stream ids. */
export interface EncodedResponse {
  readonly bytes: Buffer;
  readonly streamIdOffsets: readonly number[];
}

/** Encodes a response 200, with a JSON body if it is not empty. */
export function encodeResponse(body: Buffer): EncodedResponse {
  if (body.length === 0) {
    // `:status: 200` is one byte (RFC 7541 appendix A).
    const fields = Buffer.from([0x88]);
    const bytes = encodeFrame({ type: HEADERS, flags: END_HEADERS | END_STREAM }, fields);
    return { bytes, streamIdOffsets: [STREAM_ID_OFFSET] };
  }
  // Followed by `content-type: application/json`, not indexed (RFC 7541 section 6.2.2).
  const fields = Buffer.from("\x88\x0f\x10\x10application/json", "latin1");
  const headerFrame = encodeFrame({ type: HEADERS, flags: END_HEADERS }, fields);
  const bytes = Buffer.concat([headerFrame, encodeFrame({ type: DATA, flags: END_STREAM }, body)]);
  return { bytes, streamIdOffsets: [STREAM_ID_OFFSET, headerFrame.length + STREAM_ID_OFFSET] };
}

/** Returns the replies to frames: a response for each completed request, and acknowledgements. */
export function createReplies(frames: Frames, response: EncodedResponse): Buffer {
  const replies = new Replies(frames, response);
  for (const position of frames.starts) replies.add(position);
  return replies.bytes;
}

class Replies {
  readonly #received: Buffer;
  readonly #response: EncodedResponse;
  readonly #bytes: Buffer;
  #end = 0;

  constructor({ bytes, starts }: Frames, response: EncodedResponse) {
    this.#received = bytes;
    this.#response = response;
    this.#bytes = Buffer.allocUnsafe(
      starts.length * Math.max(PING_FRAME_BYTES, response.bytes.length),
    );
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#end);
  }

  /** Adds the reply to the frame at this position. */
  add(position: number): void {
    const { type, flags } = readTypeAndFlags(this.#received, position);
    if (type === DATA || type === HEADERS) {
      if ((flags & END_STREAM) !== 0) this.#addResponse(position);
    } else if ((flags & ACK) === 0) {
      if (type === SETTINGS) this.#end += SETTINGS_ACK.copy(this.#bytes, this.#end);
      if (type === PING) this.#acknowledgePing(position);
    }
  }

  #addResponse(position: number): void {
    const { bytes, streamIdOffsets } = this.#response;
    const idStart = position + STREAM_ID_OFFSET;
    const idEnd = idStart + STREAM_ID_BYTES;
    bytes.copy(this.#bytes, this.#end);
    for (const idOffset of streamIdOffsets) {
      this.#received.copy(this.#bytes, this.#end + idOffset, idStart, idEnd);
    }
    this.#end += bytes.length;
  }

  /** Copies the PING with the ACK flag. */
  #acknowledgePing(position: number): void {
    this.#received.copy(this.#bytes, this.#end, position, position + PING_FRAME_BYTES);
    this.#bytes.writeUInt8(ACK, this.#end + FLAGS_OFFSET);
    this.#end += PING_FRAME_BYTES;
  }
}
