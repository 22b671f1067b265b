import type { FieldList } from "../hpack/decoder.ts";
import type { Http2Request } from "../http2.ts";
import { Answers, CONNECTION_WINDOW, STREAM_WINDOW } from "./answers.ts";
import type { ResponseHeader } from "./response-header.ts";
import { CODE, FLAG, WINDOW_DEFAULT } from "./codes.ts";
import { FloodGuard } from "./flood-guard.ts";
import type { Frame } from "./frame-reader.ts";
import {
  writeGoaway,
  writePing,
  writePreface,
  writeReset,
  writeSettingsAck,
  writeWindowUpdate,
} from "./frame-writer.ts";
import type { Outbox } from "./outbox.ts";
import { PeerSettings } from "./peer-settings.ts";
import { ProtocolError } from "./protocol-error.ts";
import { LIST_MAX_BYTES, Receiver } from "./receiver.ts";
import type { FrameHandlers } from "./receiver.ts";
import { RequestSender } from "./sender.ts";
import { Stream, type StreamEnd } from "./stream.ts";
import { Streams } from "./streams.ts";

export interface SessionEvents {
  /** Called when the number of allowed requests may have changed. */
  readonly onCapacityChange: () => void;
  /** Called when a response begins. */
  readonly onResponse: () => void;
  readonly onGoaway: (code: number) => void;
  readonly onPong: () => void;
  /** Called after a protocol violation. The server was sent a GOAWAY, and all streams have ended. */
  readonly onBroken: (error: ProtocolError) => void;
}

const PING_PAYLOAD = Buffer.from("tocsin!!");

/**
 * The client side of one connection (RFC 9113). Output goes to the outbox, input comes through `receive`. It uses
 * neither sockets nor timers.
 */
export class Session implements FrameHandlers {
  readonly #out: Outbox;
  readonly #events: SessionEvents;
  readonly #peer = new PeerSettings();
  readonly #guard = new FloodGuard();
  readonly #receiver = new Receiver(this, this.#guard);
  readonly #streams = new Streams();
  readonly #sender: RequestSender;
  readonly #answers: Answers;
  #isClosed = false;

  constructor(out: Outbox, origin: URL, events: SessionEvents) {
    this.#out = out;
    this.#events = events;
    this.#sender = new RequestSender({ out, peer: this.#peer, guard: this.#guard }, origin);
    this.#answers = new Answers(out, {
      onBegin: events.onResponse,
      onComplete: (stream, header) => this.#complete(stream, header),
      onUnwanted: (stream, code, error) => this.#reset(stream, code, error),
    });
    writePreface(out, { initialWindowSize: STREAM_WINDOW, maxHeaderListSize: LIST_MAX_BYTES });
    writeWindowUpdate(out, 0, CONNECTION_WINDOW - WINDOW_DEFAULT);
  }

  /** The number of pending requests. */
  get inFlight(): number {
    return this.#streams.size;
  }

  /** The server's limit of concurrent requests; null before its SETTINGS arrive. */
  get streamsMax(): number | null {
    return this.#receiver.hasSettings ? this.#peer.maxConcurrentStreams : null;
  }

  /** True if a body would have to wait for the connection's window. */
  get isWindowClosed(): boolean {
    return this.#sender.isWindowClosed;
  }

  /** True if no further request can begin. */
  get isSpent(): boolean {
    return this.#isClosed || this.#streams.areSpent;
  }

  /** Begins a request and returns its stream. Throws `TypeError` on fields that HTTP/2 does not allow. */
  begin(request: Http2Request, settle: (end: StreamEnd) => void): Stream {
    this.#sender.reserve(request);
    const { body } = request;
    const sendWindow = this.#peer.initialWindowSize;
    const stream = new Stream(this.#streams.nextId, { body, sendWindow, settle });
    this.#streams.add(stream);
    this.#sender.begin(stream, request);
    return stream;
  }

  /** Cancels a stream; does nothing if it has ended. */
  cancel(stream: Stream, error: Error): void {
    if (this.#streams.has(stream)) this.#reset(stream, CODE.cancel, error);
  }

  /** Sends a ping. */
  ping(): void {
    writePing(this.#out, 0, PING_PAYLOAD);
  }

  /** Sends a GOAWAY, ends all streams and ignores all later input. */
  leave(error: Error, code: number = CODE.noError): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    writeGoaway(this.#out, code);
    for (const stream of this.#streams.values()) this.#remove(stream).settle(error);
  }

  /** Processes received bytes. */
  receive(chunk: Buffer): void {
    if (this.#isClosed) return;
    try {
      this.#receiver.receive(chunk);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.leave(error, error.code);
      this.#events.onBroken(error);
    }
  }

  onSettings(frame: Frame): void {
    const previousSize = this.#peer.initialWindowSize;
    this.#peer.apply(frame);
    writeSettingsAck(this.#out);
    this.#sender.allowTable();
    this.#sender.shift(this.#streams.values(), this.#peer.initialWindowSize - previousSize);
    this.#events.onCapacityChange();
  }

  onFields(streamId: number, list: FieldList, isEnd: boolean): void {
    const stream = this.#streams.find(streamId);
    if (stream !== null) this.#answers.onFields(stream, list, isEnd);
  }

  onData(frame: Frame, flowBytes: number, isEnd: boolean): void {
    const stream = this.#streams.find(frame.streamId);
    const isWithinWindow = this.#answers.onFlow(stream, flowBytes);
    if (stream !== null && isWithinWindow) this.#answers.onData(stream, frame, isEnd);
  }

  onReset(streamId: number, code: number): void {
    const stream = this.#streams.find(streamId);
    if (stream === null) return;
    const error = new Error(`The stream ended with code ${code}, unanswered.`);
    // The server did not process the request (RFC 9113 section 8.7).
    if (code === CODE.refusedStream) this.#remove(stream).refuse(error);
    else this.#remove(stream).settle(error);
  }

  /** Widens a send window (RFC 9113 sections 6.9 and 6.9.1). */
  onWindow(streamId: number, increment: number): void {
    if (streamId === 0) {
      if (increment === 0)
        throw new ProtocolError(CODE.protocolError, "A window opens by nothing.");
      this.#sender.widen(increment);
      this.#events.onCapacityChange();
      return;
    }
    const stream = this.#streams.find(streamId);
    if (stream === null) return;
    const error = new Error("The window of the stream opens by nothing, or too wide.");
    if (increment === 0) this.#reset(stream, CODE.protocolError, error);
    else if (!this.#sender.widenStream(stream, increment)) {
      this.#reset(stream, CODE.flowControlError, error);
    }
  }

  onPing(payload: Buffer): void {
    writePing(this.#out, FLAG.ack, payload);
  }

  onPong(): void {
    this.#events.onPong();
  }

  onGoaway(lastStreamId: number, code: number): void {
    const unprocessed = this.#streams.endAfter(lastStreamId);
    this.#events.onGoaway(code);
    const error = new Error("The server closed before it came to this request.");
    for (const stream of unprocessed) this.#remove(stream).refuse(error);
  }

  #complete(stream: Stream, header: ResponseHeader): void {
    this.#guard.countResponse();
    // After a complete response, the rest of the request is not needed (RFC 9113 section 8.1).
    if (stream.unsent !== null) writeReset(this.#out, stream.id, CODE.cancel);
    this.#remove(stream).answer(header);
  }

  #reset(stream: Stream, code: number, error: Error): void {
    writeReset(this.#out, stream.id, code);
    this.#remove(stream).settle(error);
  }

  #remove(stream: Stream): Stream {
    this.#streams.remove(stream);
    this.#sender.forget(stream);
    return stream;
  }
}
