import type { FieldList } from "../hpack/decoder.ts";
import type { Http2Request } from "../http2.ts";
import {
  ResponseAssembler,
  CONNECTION_WINDOW_BYTES,
  STREAM_WINDOW_BYTES,
} from "./response-assembler.ts";
import type { ResponseHeader } from "./response-header.ts";
import { ERROR_CODE, FRAME_FLAG, INITIAL_WINDOW_BYTES } from "./codes.ts";
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
import { HEADER_LIST_MAX_BYTES, Receiver, type FrameHandlers } from "./receiver.ts";
import { RequestSender } from "./request-sender.ts";
import { Stream, type StreamEnd } from "./stream.ts";
import { Streams } from "./streams.ts";

/** The callbacks of a session. */
export interface SessionEvents {
  /** Called when the number of allowed requests may have changed. */
  readonly onCapacityChange: () => void;
  /** Called when a response begins. */
  readonly onResponse: () => void;
  readonly onGoaway: (code: number) => void;
  readonly onPong: () => void;
  /** Called after a protocol violation, when a GOAWAY has been written and all streams have ended. */
  readonly onBroken: (error: ProtocolError) => void;
}

const PING_PAYLOAD = Buffer.from("tocsin!!");

/**
 * The client side of one connection (RFC 9113). Output goes to the outbox, input comes through `receive`. It uses
 * neither sockets nor timers.
 */
export class Session implements FrameHandlers {
  readonly #outbox: Outbox;
  readonly #events: SessionEvents;
  readonly #peerSettings = new PeerSettings();
  readonly #floodGuard = new FloodGuard();
  readonly #receiver = new Receiver(this, this.#floodGuard);
  readonly #streams = new Streams();
  readonly #sender: RequestSender;
  readonly #responseAssembler: ResponseAssembler;
  #isClosed = false;

  constructor(outbox: Outbox, origin: URL, events: SessionEvents) {
    this.#outbox = outbox;
    this.#events = events;
    this.#sender = new RequestSender(
      { outbox, peerSettings: this.#peerSettings, floodGuard: this.#floodGuard },
      origin,
    );
    this.#responseAssembler = new ResponseAssembler(outbox, {
      onStart: events.onResponse,
      onComplete: (stream, header) => this.#complete(stream, header),
      onDiscarded: (stream, code, error) => this.#reset(stream, code, error),
    });
    writePreface(outbox, {
      initialWindowSize: STREAM_WINDOW_BYTES,
      maxHeaderListSize: HEADER_LIST_MAX_BYTES,
    });
    writeWindowUpdate(outbox, 0, CONNECTION_WINDOW_BYTES - INITIAL_WINDOW_BYTES);
  }

  /** The number of pending requests. */
  get inFlightCount(): number {
    return this.#streams.size;
  }

  /** The server's limit of concurrent requests; null before its SETTINGS arrive. */
  get streamsMax(): number | null {
    return this.#receiver.hasSettings ? this.#peerSettings.maxConcurrentStreams : null;
  }

  /** True if a body would have to wait for the connection's window. */
  get isWindowClosed(): boolean {
    return this.#sender.isWindowClosed;
  }

  /** True if no further request can begin. */
  get isExhausted(): boolean {
    return this.#isClosed || this.#streams.isExhausted;
  }

  /** Begins a request and returns its stream. Throws `TypeError` on headers that are malformed or too large. */
  startRequest(request: Http2Request, settle: (end: StreamEnd) => void): Stream {
    this.#sender.reserve(request);
    const { body } = request;
    const sendWindow = this.#peerSettings.initialWindowSize;
    const stream = new Stream(this.#streams.nextId, { body, sendWindow, settle });
    this.#streams.add(stream);
    this.#sender.start(stream, request);
    return stream;
  }

  /** Cancels a stream; does nothing if it has ended. */
  cancel(stream: Stream, error: Error): void {
    if (this.#streams.has(stream)) this.#reset(stream, ERROR_CODE.cancel, error);
  }

  /** Sends a ping. */
  ping(): void {
    writePing(this.#outbox, 0, PING_PAYLOAD);
  }

  /** Sends a GOAWAY, ends all streams and ignores all later input. */
  close(error: Error, code: number = ERROR_CODE.noError): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    writeGoaway(this.#outbox, code);
    for (const stream of this.#streams.values()) this.#removeStream(stream).endEarly(error);
  }

  /** Processes received bytes. */
  receive(chunk: Buffer): void {
    if (this.#isClosed) return;
    try {
      this.#receiver.receive(chunk);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.close(error, error.code);
      this.#events.onBroken(error);
    }
  }

  onSettings(frame: Frame): void {
    const previousWindowSize = this.#peerSettings.initialWindowSize;
    this.#peerSettings.apply(frame);
    writeSettingsAck(this.#outbox);
    this.#sender.applyTableSize();
    this.#sender.shiftStreamWindows(
      this.#streams.values(),
      this.#peerSettings.initialWindowSize - previousWindowSize,
    );
    this.#events.onCapacityChange();
  }

  onFields(streamId: number, list: FieldList, isEnd: boolean): void {
    const stream = this.#streams.find(streamId);
    if (stream !== null) this.#responseAssembler.onFields(stream, list, isEnd);
  }

  onData(frame: Frame, flowBytes: number, isEnd: boolean): void {
    const stream = this.#streams.find(frame.streamId);
    const isWithinWindow = this.#responseAssembler.countFlow(stream, flowBytes);
    if (stream !== null && isWithinWindow) this.#responseAssembler.onData(stream, frame, isEnd);
  }

  onReset(streamId: number, code: number): void {
    const stream = this.#streams.find(streamId);
    if (stream === null) return;
    const error = new Error(`The server reset the stream with code ${code}.`);
    // The server did not process the request (RFC 9113 section 8.7).
    if (code === ERROR_CODE.refusedStream) this.#removeStream(stream).endUnprocessed(error);
    else this.#removeStream(stream).endEarly(error);
  }

  /** Widens a send window (RFC 9113 sections 6.9 and 6.9.1). */
  onWindowUpdate(streamId: number, increment: number): void {
    if (streamId === 0) {
      if (increment === 0)
        throw new ProtocolError(ERROR_CODE.protocolError, "A window update has an increment of 0.");
      this.#sender.widenConnectionWindow(increment);
      this.#events.onCapacityChange();
      return;
    }
    const stream = this.#streams.find(streamId);
    if (stream === null) return;
    const error = new Error("A window update of the stream is 0 or too large.");
    if (increment === 0) this.#reset(stream, ERROR_CODE.protocolError, error);
    else if (!this.#sender.widenStreamWindow(stream, increment)) {
      this.#reset(stream, ERROR_CODE.flowControlError, error);
    }
  }

  onPing(payload: Buffer): void {
    writePing(this.#outbox, FRAME_FLAG.ack, payload);
  }

  onPong(): void {
    this.#events.onPong();
  }

  onGoaway(lastStreamId: number, code: number): void {
    const unprocessed = this.#streams.recordGoaway(lastStreamId);
    this.#events.onGoaway(code);
    const error = new Error("The server closed the connection before it processed this request.");
    for (const stream of unprocessed) this.#removeStream(stream).endUnprocessed(error);
  }

  #complete(stream: Stream, header: ResponseHeader): void {
    this.#floodGuard.countResponse();
    // After a complete response, the rest of the request is not needed (RFC 9113 section 8.1).
    if (stream.unsentBody !== null) writeReset(this.#outbox, stream.id, ERROR_CODE.cancel);
    this.#removeStream(stream).endWithResponse(header);
  }

  #reset(stream: Stream, code: number, error: Error): void {
    writeReset(this.#outbox, stream.id, code);
    this.#removeStream(stream).endEarly(error);
  }

  #removeStream(stream: Stream): Stream {
    this.#streams.remove(stream);
    this.#sender.stopSending(stream);
    return stream;
  }
}
