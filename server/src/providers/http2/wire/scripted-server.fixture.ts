import { frame } from "../../../../test/support/http2-peer.ts";
import type { Frame as Said } from "../../../../test/support/http2-peer.ts";
import type { Http2Request } from "../http2.ts";
import { FLAG, FRAME } from "./codes.ts";
import { FrameReader } from "./frame-reader.ts";
import { Outbox } from "./outbox.ts";
import { Session } from "./session.ts";
import type { Stream, StreamEnd } from "./stream.ts";

const PREFACE_BYTES = 24;

/** Returns the bytes of frames. */
export function bytesOf(...frames: readonly Said[]): Buffer {
  return Buffer.concat(frames.map((said) => frame(said)));
}

/** Returns SETTINGS with pairs of a number and a value. */
export function settings(...pairs: readonly (readonly [id: number, value: number])[]): Said {
  const payload = Buffer.alloc(pairs.length * 6);
  for (const [index, [id, value]] of pairs.entries()) {
    payload.writeUInt16BE(id, index * 6);
    payload.writeUInt32BE(value, index * 6 + 2);
  }
  return { type: FRAME.settings, payload };
}

/** Returns a payload of one or more numbers of four bytes. */
export function numbers(...values: readonly number[]): Buffer {
  const payload = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) payload.writeUInt32BE(value, index * 4);
  return payload;
}

/** Returns the head of an answer with a block in hexadecimal; 88 is status 200. */
export function head(streamId: number, block = "88", flags: number = FLAG.endHeaders): Said {
  return { type: FRAME.headers, flags, streamId, payload: Buffer.from(block, "hex") };
}

/** Returns an answer without a body. */
export function answer(streamId: number, block = "88"): Said {
  return head(streamId, block, FLAG.endHeaders | FLAG.endStream);
}

/** Returns a part of the body of an answer. */
export function data(streamId: number, text: string, flags = 0): Said {
  return { type: FRAME.data, flags, streamId, payload: Buffer.from(text) };
}

/** A session whose server is scripted by the test. */
export class ScriptedServer {
  /** The ends of requests, in order. */
  readonly ends: { readonly streamId: number; readonly end: StreamEnd }[] = [];
  readonly broken: Error[] = [];
  readonly goaways: number[] = [];
  pongs = 0;
  readonly session: Session;
  readonly #out: Outbox;
  readonly #written: Buffer[] = [];
  #isPrefaceOver = false;
  readonly #reader = new FrameReader();

  /** Starts with SETTINGS, or with the given frame, or with none. */
  constructor(first: Said | null = settings()) {
    this.#out = new Outbox({
      write: (bytes, onWritten) => {
        this.#written.push(Buffer.from(bytes));
        onWritten();
      },
      onDrained: () => {},
    });
    this.#out.open();
    this.session = new Session(this.#out, new URL("https://push.example"), {
      onRoom: () => {},
      onAnswer: () => {},
      onGoaway: (code) => this.goaways.push(code),
      onPong: () => (this.pongs += 1),
      onBroken: (error) => this.broken.push(error),
    });
    if (first !== null) this.say(first);
  }

  say(...frames: readonly Said[]): void {
    this.session.receive(bytesOf(...frames));
  }

  ask(given: Partial<Http2Request> = {}): Stream {
    const request = {
      path: "/3/device/00",
      headers: { "apns-topic": "org.example" },
      neverIndexed: [],
      body: Buffer.from("{}"),
      signal: new AbortController().signal,
      ...given,
    };
    const stream = this.session.begin(request, (end) => {
      this.ends.push({ streamId: stream.id, end });
    });
    return stream;
  }

  /** Returns the frames that the session wrote since the last call. */
  written(): readonly Required<Said>[] {
    this.#out.flush();
    let bytes = Buffer.concat(this.#written.splice(0));
    if (!this.#isPrefaceOver) bytes = bytes.subarray(PREFACE_BYTES);
    this.#isPrefaceOver = true;
    const frames: Required<Said>[] = [];
    this.#reader.read(bytes, ({ type, flags, streamId, bytes: all, begin, end }) => {
      frames.push({ type, flags, streamId, payload: Buffer.from(all.subarray(begin, end)) });
    });
    return frames;
  }

  /** Returns the error codes of the frames of one type that the session wrote since the last call. */
  codesWritten(type: number): readonly number[] {
    return this.written()
      .filter((said) => said.type === type)
      .map(({ payload }) => payload.readUInt32BE(payload.length - 4));
  }

  /** Returns the ends of requests by stream number. */
  kinds(): Readonly<Record<number, string>> {
    return Object.fromEntries(
      this.ends.map(({ streamId, end }) => [
        streamId,
        end.kind === "answered" ? String(end.answer.status) : end.kind,
      ]),
    );
  }
}
