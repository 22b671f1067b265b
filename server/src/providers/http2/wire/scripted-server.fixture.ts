import { encodeFrame, type Frame as TestFrame } from "../../../../test/support/http2-peer.ts";
import type { Http2Request } from "../http2.ts";
import { FRAME_FLAG, FRAME_TYPE } from "./codes.ts";
import { FrameReader } from "./frame-reader.ts";
import { Outbox } from "./outbox.ts";
import { Session } from "./session.ts";
import type { Stream, StreamEnd } from "./stream.ts";

/** The size of the client's connection preface (RFC 9113 section 3.4). */
const PREFACE_BYTES = 24;
/** The size of one setting: an identifier of 16 bits and a value of 32 bits (RFC 9113 section 6.5.1). */
const SETTING_BYTES = 6;

/** The field block with status 200, in hexadecimal. */
export const STATUS_200 = "88";
/** The field block with status 404, in hexadecimal. */
export const STATUS_404 = "8d";
/** The field block of an interim response, status 103, in hexadecimal. */
export const STATUS_103 = "0803313033";
/** The field block with status 200 and the field `a: b`, which enters the dynamic table, in hexadecimal. */
export const STATUS_200_AND_FIELD = "884001610162";

/** Returns the encoded frames. */
export function encodeFrames(...frames: readonly TestFrame[]): Buffer {
  return Buffer.concat(frames.map((testFrame) => encodeFrame(testFrame)));
}

/** Returns SETTINGS with the given pairs of an identifier and a value. */
export function createSettingsFrame(
  ...pairs: readonly (readonly [id: number, value: number])[]
): TestFrame {
  const payload = Buffer.alloc(pairs.length * SETTING_BYTES);
  for (const [index, [id, value]] of pairs.entries()) {
    payload.writeUInt16BE(id, index * SETTING_BYTES);
    payload.writeUInt32BE(value, index * SETTING_BYTES + 2);
  }
  return { type: FRAME_TYPE.settings, payload };
}

/** Returns a payload of unsigned 32-bit numbers, big-endian. */
export function encodeUint32s(...values: readonly number[]): Buffer {
  const payload = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) payload.writeUInt32BE(value, index * 4);
  return payload;
}

/** Returns the HEADERS of a response, with a field block in hexadecimal. */
export function createHeadersFrame(
  streamId: number,
  block = STATUS_200,
  flags: number = FRAME_FLAG.endHeaders,
): TestFrame {
  return { type: FRAME_TYPE.headers, flags, streamId, payload: Buffer.from(block, "hex") };
}

/** Returns a response without a body. */
export function createEmptyResponse(streamId: number, block = STATUS_200): TestFrame {
  return createHeadersFrame(streamId, block, FRAME_FLAG.endHeaders | FRAME_FLAG.endStream);
}

/** Returns a part of a response body. */
export function createDataFrame(streamId: number, text: string, flags = 0): TestFrame {
  return { type: FRAME_TYPE.data, flags, streamId, payload: Buffer.from(text) };
}

/** Returns a frame, by default with an empty payload. */
export function createFrame(
  streamId: number,
  type: number,
  payload: Buffer = Buffer.alloc(0),
  flags = 0,
): TestFrame {
  return { type, streamId, payload, flags };
}

/** The client's session with a server that the test scripts. */
export class ScriptedServer {
  /** The ends of the requests, in order. */
  readonly ends: { readonly streamId: number; readonly end: StreamEnd }[] = [];
  readonly protocolErrors: Error[] = [];
  /** The error codes of the GOAWAY frames that the client received. */
  readonly goawayCodes: number[] = [];
  pongCount = 0;
  readonly session: Session;
  readonly #outbox: Outbox;
  readonly #written: Buffer[] = [];
  #isPrefaceRead = false;
  readonly #reader = new FrameReader();

  /** Sends `firstFrame` to the client, SETTINGS by default; null sends nothing. */
  constructor(firstFrame: TestFrame | null = createSettingsFrame()) {
    this.#outbox = new Outbox({
      write: (bytes, onWritten) => {
        this.#written.push(Buffer.from(bytes));
        onWritten();
      },
      onDrained: () => {},
    });
    this.#outbox.open();
    this.session = new Session(this.#outbox, new URL("https://push.example"), {
      onCapacityChange: () => {},
      onResponse: () => {},
      onGoaway: (code) => this.goawayCodes.push(code),
      onPong: () => (this.pongCount += 1),
      onBroken: (error) => this.protocolErrors.push(error),
    });
    if (firstFrame !== null) this.send(firstFrame);
  }

  /** Sends frames to the client. */
  send(...frames: readonly TestFrame[]): void {
    this.session.receive(encodeFrames(...frames));
  }

  /** Starts a request of the client. Returns its stream; `ends` gets its end. */
  startClientRequest(overrides: Partial<Http2Request> = {}): Stream {
    const request = {
      path: "/3/device/00",
      headers: { "apns-topic": "org.example" },
      neverIndexed: [],
      body: Buffer.from("{}"),
      signal: new AbortController().signal,
      ...overrides,
    };
    const stream = this.session.startRequest(request, (end) => {
      this.ends.push({ streamId: stream.id, end });
    });
    return stream;
  }

  /** Returns the frames that the client wrote since the last call. */
  takeClientFrames(): readonly Required<TestFrame>[] {
    this.#outbox.flush();
    let bytes = Buffer.concat(this.#written.splice(0));
    if (!this.#isPrefaceRead) bytes = bytes.subarray(PREFACE_BYTES);
    this.#isPrefaceRead = true;
    const frames: Required<TestFrame>[] = [];
    this.#reader.read(bytes, ({ type, flags, streamId, bytes: input, begin, end }) => {
      frames.push({ type, flags, streamId, payload: Buffer.from(input.subarray(begin, end)) });
    });
    return frames;
  }

  /** Returns the error codes of the frames of one type that the client wrote since the last call. */
  takeClientCodes(type: number): readonly number[] {
    return this.takeClientFrames()
      .filter((frame) => frame.type === type)
      .map(({ payload }) => payload.readUInt32BE(payload.length - 4));
  }

  /** Returns the end of each request by stream id: the status of its response, or the kind of its end. */
  describeEnds(): Readonly<Record<number, string>> {
    return Object.fromEntries(
      this.ends.map(({ streamId, end }) => [
        streamId,
        end.kind === "answered" ? String(end.response.status) : end.kind,
      ]),
    );
  }
}
