import type { FieldList } from "../hpack/decoder.ts";
import { areValidTrailers, parseResponseHeader, type ResponseHeader } from "./response-header.ts";
import { ERROR_CODE } from "./codes.ts";
import type { Frame } from "./frame-reader.ts";
import { writeWindowUpdate } from "./frame-writer.ts";
import type { Outbox } from "./outbox.ts";
import type { Stream } from "./stream.ts";

/** The receive window of a stream. It is small, because responses are. */
export const STREAM_WINDOW_BYTES = 16_384;
/** The receive window of the connection. */
export const CONNECTION_WINDOW_BYTES = 1_048_576;
const INTERIM_COUNT_MAX = 16;

/** Callbacks for the streams that receive responses. */
export interface ResponseEvents {
  /** Called when the headers of a response have arrived. */
  readonly onStart: () => void;
  /** Called when a response is complete and the server has ended the stream. */
  readonly onComplete: (stream: Stream, responseHeader: ResponseHeader) => void;
  /** Called if a response is discarded. The stream must be reset with this code. */
  readonly onDiscarded: (stream: Stream, code: number, error: Error) => void;
}

/** Assembles responses (RFC 9113 section 8.1) and widens the receive windows. */
export class ResponseAssembler {
  readonly #outbox: Outbox;
  readonly #events: ResponseEvents;
  /** Bytes received on all streams since the last WINDOW_UPDATE of the connection. */
  #unacknowledgedBytes = 0;

  constructor(outbox: Outbox, events: ResponseEvents) {
    this.#outbox = outbox;
    this.#events = events;
  }

  /** Handles the headers of a response, or its trailers. */
  onFields(stream: Stream, { fields, isTooLarge }: FieldList, isEnd: boolean): void {
    const { responseHeader } = stream;
    if (isTooLarge) {
      this.#reject(stream, "has too many fields");
    } else if (responseHeader === null) {
      this.#onHeader(stream, parseResponseHeader(fields), isEnd);
    } else if (isEnd && areValidTrailers(fields)) {
      this.#events.onComplete(stream, responseHeader);
    } else {
      this.#reject(stream, "has invalid trailers");
    }
  }

  /** Handles a part of the body. Its length may differ from `content-length`: the status is enough for a response. */
  onData(stream: Stream, frame: Frame, isEnd: boolean): void {
    const { responseHeader } = stream;
    if (responseHeader === null) {
      this.#reject(stream, "begins with its body");
    } else if (!stream.append(frame.bytes, frame.begin, frame.end)) {
      const error = new Error("The response body exceeds the size limit.");
      this.#events.onDiscarded(stream, ERROR_CODE.cancel, error);
    } else if (isEnd) {
      this.#events.onComplete(stream, responseHeader);
    }
  }

  /**
   * Counts the bytes of a DATA frame against the windows; `stream` is null if it has ended. Returns false if they
   * exceed the stream's window.
   */
  countFlow(stream: Stream | null, flowBytes: number): boolean {
    this.#unacknowledgedBytes += flowBytes;
    if (this.#unacknowledgedBytes >= CONNECTION_WINDOW_BYTES / 2) {
      writeWindowUpdate(this.#outbox, 0, this.#unacknowledgedBytes);
      this.#unacknowledgedBytes = 0;
    }
    if (stream === null) return true;
    stream.unacknowledgedBytes += flowBytes;
    if (stream.unacknowledgedBytes > STREAM_WINDOW_BYTES) {
      const error = new Error("The response exceeds its flow-control window.");
      this.#events.onDiscarded(stream, ERROR_CODE.flowControlError, error);
      return false;
    }
    if (stream.unacknowledgedBytes >= STREAM_WINDOW_BYTES / 2) {
      writeWindowUpdate(this.#outbox, stream.id, stream.unacknowledgedBytes);
      stream.unacknowledgedBytes = 0;
    }
    return true;
  }

  #onHeader(stream: Stream, responseHeader: ResponseHeader | null, isEnd: boolean): void {
    if (responseHeader === null) {
      this.#reject(stream, "has malformed headers");
    } else if (responseHeader.status < 200) {
      stream.interimCount += 1;
      if (isEnd || stream.interimCount > INTERIM_COUNT_MAX)
        this.#reject(stream, "has too many interim responses");
    } else {
      stream.responseHeader = responseHeader;
      this.#events.onStart();
      if (isEnd) this.#events.onComplete(stream, responseHeader);
    }
  }

  #reject(stream: Stream, problem: string): void {
    this.#events.onDiscarded(
      stream,
      ERROR_CODE.protocolError,
      new Error(`The response ${problem}.`),
    );
  }
}
