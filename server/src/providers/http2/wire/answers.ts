import type { FieldList } from "../hpack/decoder.ts";
import { areTrailers, readAnswerHead } from "./answer-head.ts";
import type { AnswerHead } from "./answer-head.ts";
import { CODE } from "./codes.ts";
import type { Frame } from "./frame-reader.ts";
import { writeWindowUpdate } from "./frame-writer.ts";
import type { Outbox } from "./outbox.ts";
import type { Stream } from "./stream.ts";

/** What each stream may send before we make room for more. Answers are small. */
export const STREAM_WINDOW = 16_384;
/** The same for all streams together. */
export const CONNECTION_WINDOW = 1_048_576;
const INTERIMS_MAX = 16;

/** What becomes of a stream. */
export interface AnswerEvents {
  /** An answer has begun. */
  readonly onBegin: () => void;
  /** An answer is complete; the stream is over on the far side. */
  readonly onComplete: (stream: Stream, head: AnswerHead) => void;
  /** Nothing more of it is wanted: the far side is told so by this code. */
  readonly onUnwanted: (stream: Stream, code: number, error: Error) => void;
}

/** Puts answers together (RFC 9113 section 8.1), and makes room for what is to come. */
export class Answers {
  readonly #out: Outbox;
  readonly #events: AnswerEvents;
  /** What came on all streams since we last made room for more. */
  #unacknowledgedBytes = 0;

  constructor(out: Outbox, events: AnswerEvents) {
    this.#out = out;
    this.#events = events;
  }

  /** Takes the head of an answer, or the trailers behind its body. */
  onFields(stream: Stream, { fields, isTooLarge }: FieldList, isEnd: boolean): void {
    const { head } = stream;
    if (isTooLarge) {
      this.#refuse(stream, "has too many fields");
    } else if (head === null) {
      this.#onHead(stream, readAnswerHead(fields), isEnd);
    } else if (isEnd && areTrailers(fields)) {
      this.#events.onComplete(stream, head);
    } else {
      this.#refuse(stream, "has wrong trailers");
    }
  }

  /** Takes a part of the body. Its length may differ from what the head said: a status is an answer all the same. */
  onData(stream: Stream, frame: Frame, isEnd: boolean): void {
    const { head } = stream;
    if (head === null) {
      this.#refuse(stream, "begins with its body");
    } else if (!stream.take(frame.bytes, frame.begin, frame.end)) {
      const error = new Error("The answer is longer than what is read of any.");
      this.#events.onUnwanted(stream, CODE.cancel, error);
    } else if (isEnd) {
      this.#events.onComplete(stream, head);
    }
  }

  /** Counts what a DATA frame takes of the windows; `stream` is null where it has ended. Returns false where it took too much. */
  onFlow(stream: Stream | null, flowBytes: number): boolean {
    this.#unacknowledgedBytes += flowBytes;
    if (this.#unacknowledgedBytes >= CONNECTION_WINDOW / 2) {
      writeWindowUpdate(this.#out, 0, this.#unacknowledgedBytes);
      this.#unacknowledgedBytes = 0;
    }
    if (stream === null) return true;
    stream.unacknowledgedBytes += flowBytes;
    if (stream.unacknowledgedBytes > STREAM_WINDOW) {
      const error = new Error("The answer takes more than its window.");
      this.#events.onUnwanted(stream, CODE.flowControlError, error);
      return false;
    }
    if (stream.unacknowledgedBytes >= STREAM_WINDOW / 2) {
      writeWindowUpdate(this.#out, stream.id, stream.unacknowledgedBytes);
      stream.unacknowledgedBytes = 0;
    }
    return true;
  }

  #onHead(stream: Stream, head: AnswerHead | null, isEnd: boolean): void {
    if (head === null) {
      this.#refuse(stream, "has a malformed head");
    } else if (head.status < 200) {
      stream.interims += 1;
      if (isEnd || stream.interims > INTERIMS_MAX) this.#refuse(stream, "never comes");
    } else {
      stream.head = head;
      this.#events.onBegin();
      if (isEnd) this.#events.onComplete(stream, head);
    }
  }

  #refuse(stream: Stream, what: string): void {
    this.#events.onUnwanted(stream, CODE.protocolError, new Error(`The answer ${what}.`));
  }
}
