import {
  ACK,
  DATA,
  END_HEADERS,
  END_STREAM,
  FLAGS_AT,
  frameOf,
  HEAD_BYTES,
  HEADERS,
  kindAt,
  PING,
  SETTINGS,
  STREAM_ID_AT,
  type Frames,
} from "./http2-frames.ts";

const PING_BYTES = HEAD_BYTES + 8;
const SETTINGS_ACK = frameOf({ type: SETTINGS, flags: ACK }, Buffer.alloc(0));

/** A complete answer, and the positions of the stream id in it. */
export interface Answer {
  readonly bytes: Buffer;
  readonly streamIdsAt: readonly number[];
}

/** Returns the answer 200, with a JSON body if given. */
export function answerWith(body: Buffer): Answer {
  if (body.length === 0) {
    // `:status: 200` is one byte (RFC 7541 appendix A).
    const fields = Buffer.from([0x88]);
    const bytes = frameOf({ type: HEADERS, flags: END_HEADERS | END_STREAM }, fields);
    return { bytes, streamIdsAt: [STREAM_ID_AT] };
  }
  // Followed by `content-type: application/json`, not indexed (RFC 7541 section 6.2.2).
  const fields = Buffer.from("\x88\x0f\x10\x10application/json", "latin1");
  const head = frameOf({ type: HEADERS, flags: END_HEADERS }, fields);
  const bytes = Buffer.concat([head, frameOf({ type: DATA, flags: END_STREAM }, body)]);
  return { bytes, streamIdsAt: [STREAM_ID_AT, head.length + STREAM_ID_AT] };
}

/** Returns the reply to some frames: the answer to each request that ends in them, and acknowledgements. */
export function answersTo(frames: Frames, answer: Answer): Buffer {
  const answers = new Answers(frames, answer);
  for (const at of frames.starts) answers.add(at);
  return answers.bytes;
}

class Answers {
  readonly #received: Buffer;
  readonly #answer: Answer;
  readonly #bytes: Buffer;
  #end = 0;

  constructor({ bytes, starts }: Frames, answer: Answer) {
    this.#received = bytes;
    this.#answer = answer;
    this.#bytes = Buffer.allocUnsafe(starts.length * Math.max(PING_BYTES, answer.bytes.length));
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#end);
  }

  /** Adds the reply to the frame at this position. */
  add(at: number): void {
    const { type, flags } = kindAt(this.#received, at);
    if (type === DATA || type === HEADERS) {
      if ((flags & END_STREAM) !== 0) this.#addAnswer(at);
    } else if ((flags & ACK) === 0) {
      if (type === SETTINGS) this.#end += SETTINGS_ACK.copy(this.#bytes, this.#end);
      if (type === PING) this.#acknowledgePing(at);
    }
  }

  #addAnswer(at: number): void {
    const { bytes, streamIdsAt } = this.#answer;
    const id = at + STREAM_ID_AT;
    bytes.copy(this.#bytes, this.#end);
    for (const idAt of streamIdsAt) {
      this.#received.copy(this.#bytes, this.#end + idAt, id, id + 4);
    }
    this.#end += bytes.length;
  }

  /** The same bytes with a flag. */
  #acknowledgePing(at: number): void {
    this.#received.copy(this.#bytes, this.#end, at, at + PING_BYTES);
    this.#bytes.writeUInt8(ACK, this.#end + FLAGS_AT);
    this.#end += PING_BYTES;
  }
}
