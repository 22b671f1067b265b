import type { FieldList } from "../hpack/decoder.ts";
import { areTrailers, readResponseHeader } from "./response-header.ts";
import type { ResponseHeader } from "./response-header.ts";
import { CODE } from "./codes.ts";
import type { Frame } from "./frame-reader.ts";
import { writeWindowUpdate } from "./frame-writer.ts";
import type { Outbox } from "./outbox.ts";
import type { Stream } from "./stream.ts";

/** The receive window of a stream. Responses are small. */
export const STREAM_WINDOW = 16_384;
/** The receive window of the connection. */
export const CONNECTION_WINDOW = 1_048_576;
const INTERIM_COUNT_MAX = 16;

/** Callbacks for the streams that receive responses. */
export interface AnswerEvents {
  /** Called when a response has begun. */
  readonly onBegin: () => void;
  /** Called when a response is complete and the server has ended the stream. */
  readonly onComplete: (stream: Stream, header: ResponseHeader) => void;
  /** Called if the rest of the response is not read. The stream must be reset with this code. */
  readonly onUnwanted: (stream: Stream, code: number, error: Error) => void;
}

/** Assembles responses (RFC 9113 section 8.1) and widens the receive windows. */
export class Answers {
  readonly #out: Outbox;
  readonly #events: AnswerEvents;
  /** Bytes received on all streams since the last WINDOW_UPDATE of the connection. */
  #unacknowledgedBytes = 0;

  constructor(out: Outbox, events: AnswerEvents) {
    this.#out = out;
    this.#events = events;
  }

  /** Handles the headers of a response, or its trailers. */
  onFields(stream: Stream, { fields, isTooLarge }: FieldList, isEnd: boolean): void {
    const { header } = stream;
    if (isTooLarge) {
      this.#refuse(stream, "has too many fields");
    } else if (header === null) {
      this.#onHeader(stream, readResponseHeader(fields), isEnd);
    } else if (isEnd && areTrailers(fields)) {
      this.#events.onComplete(stream, header);
    } else {
      this.#refuse(stream, "has wrong trailers");
    }
  }

  /** Handles a part of the body. Its length may differ from `content-length`: the status is enough for a response. */
  onData(stream: Stream, frame: Frame, isEnd: boolean): void {
    const { header } = stream;
    if (header === null) {
      this.#refuse(stream, "begins with its body");
    } else if (!stream.append(frame.bytes, frame.begin, frame.end)) {
      const error = new Error("The answer is longer than what is read of any.");
      this.#events.onUnwanted(stream, CODE.cancel, error);
    } else if (isEnd) {
      this.#events.onComplete(stream, header);
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

  #onHeader(stream: Stream, header: ResponseHeader | null, isEnd: boolean): void {
    if (header === null) {
      this.#refuse(stream, "has a malformed head");
    } else if (header.status < 200) {
      stream.interimCount += 1;
      if (isEnd || stream.interimCount > INTERIM_COUNT_MAX) this.#refuse(stream, "never comes");
    } else {
      stream.header = header;
      this.#events.onBegin();
      if (isEnd) this.#events.onComplete(stream, header);
    }
  }

  #refuse(stream: Stream, problem: string): void {
    this.#events.onUnwanted(stream, CODE.protocolError, new Error(`The answer ${problem}.`));
  }
}
