import type { FieldList } from "../hpack/decoder.ts";
import { areTrailers, readAnswerHead } from "./answer-head.ts";
import type { AnswerHead } from "./answer-head.ts";
import { CODE } from "./codes.ts";
import type { Frame } from "./frame-reader.ts";
import { writeWindowUpdate } from "./frame-writer.ts";
import type { Outbox } from "./outbox.ts";
import type { Stream } from "./stream.ts";

/** The receive window of a stream. Answers are small. */
export const STREAM_WINDOW = 16_384;
/** The receive window of the connection. */
export const CONNECTION_WINDOW = 1_048_576;
const INTERIMS_MAX = 16;

/** Called for the streams whose answers are read. */
export interface AnswerEvents {
  /** An answer has begun. */
  readonly onBegin: () => void;
  /** An answer is complete, and the server has ended the stream. */
  readonly onComplete: (stream: Stream, head: AnswerHead) => void;
  /** The rest of the answer is not read; the stream is reset with this code. */
  readonly onUnwanted: (stream: Stream, code: number, error: Error) => void;
}

/** Assembles answers (RFC 9113 section 8.1) and widens the receive windows. */
export class Answers {
  readonly #out: Outbox;
  readonly #events: AnswerEvents;
  /** Bytes received on all streams since the last WINDOW_UPDATE of the connection. */
  #unacknowledgedBytes = 0;

  constructor(out: Outbox, events: AnswerEvents) {
    this.#out = out;
    this.#events = events;
  }

  /** Takes the head of an answer, or its trailers. */
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

  /** Takes a part of the body. Its length may differ from `content-length`: a status is an answer all the same. */
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

  /**
   * Counts the bytes of a DATA frame against the windows; `stream` is null if it has ended. Returns false if they exceed the
   * stream's window.
   */
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
