import { connect, constants, sensitiveHeaders } from "node:http2";
import type { ClientHttp2Session, ClientHttp2Stream, OutgoingHttpHeaders } from "node:http2";
import type { Socket } from "node:net";
import { CLOSE_GRACE_MS, STREAMS_BEFORE_SETTINGS } from "../connection.ts";
import type { Connection, ConnectionEvents, ConnectionSettings, SendEnd } from "../connection.ts";
import { dial, speaksHttp2 } from "../dial.ts";
import type { Http2Request } from "../http2.ts";
import { SilenceWatch } from "../silence.ts";
import { Standing } from "../standing.ts";
import { converse } from "./stream.ts";

/** Push (RFC 9113 section 8.4) is never wanted, and answers are small. */
const OUR_SETTINGS = { enablePush: false, initialWindowSize: 16_384, maxHeaderListSize: 16_384 };

/** A connection that `node:http2` speaks on. */
export class NodeConnection implements Connection {
  readonly #settings: ConnectionSettings;
  readonly #events: ConnectionEvents;
  readonly #socket: Socket;
  readonly #session: ClientHttp2Session;
  readonly #silence: SilenceWatch;
  readonly #standing: Standing;
  readonly #closed = Promise.withResolvers<void>();
  #isOpen = false;
  #isDraining = false;
  #capacity = STREAMS_BEFORE_SETTINGS;
  #inFlight = 0;
  /** From the far side's GOAWAY: streams beyond it were not processed. */
  #lastStreamId = Infinity;
  #error: Error | null = null;
  /** One at a time: until it is open, while it is idle, until its socket is closed. */
  #timer: NodeJS.Timeout;

  constructor(settings: ConnectionSettings, events: ConnectionEvents) {
    const { origin, ca, connectTimeoutMs, silenceMs, pingTimeoutMs } = settings;
    this.#settings = settings;
    this.#events = events;
    this.#standing = new Standing(events);
    this.#socket = dial(origin, ca);
    this.#session = connect(origin, {
      createConnection: () => this.#socket,
      peerMaxConcurrentStreams: STREAMS_BEFORE_SETTINGS,
      settings: OUR_SETTINGS,
    });
    this.#silence = new SilenceWatch({
      silenceMs,
      pingTimeoutMs,
      bytesRead: () => this.#socket.bytesRead,
      isWaiting: () => this.#inFlight > 0,
      ping: (onAnswer) => this.#ping(onAnswer),
      onSuspect: events.onChange,
      onAlive: events.onChange,
      onDead: () => this.#abandon(new Error("The connection fell silent.")),
    });
    this.#timer = setTimeout(() => {
      this.#abandon(new Error(`No connection after ${connectTimeoutMs} ms.`));
    }, connectTimeoutMs).unref();
    this.#listen();
  }

  get isUsable(): boolean {
    return !this.#isDraining && !this.#silence.isSuspect;
  }

  get isProven(): boolean {
    return this.#standing.isProven;
  }

  get room(): number {
    if (!this.#isOpen || !this.isUsable || this.#hasEnded) return 0;
    return Math.max(0, this.#capacity - this.#inFlight);
  }

  async send(request: Http2Request, signal: AbortSignal): Promise<SendEnd> {
    const stream = this.#open(request);
    if (stream instanceof Error) return { kind: "refused", error: stream, connection: this };
    const isUnprocessed = (): boolean => this.#isUnprocessed(stream);
    const end = await converse({ stream, body: request.body, signal, isUnprocessed });
    return end.kind === "lost" ? end : { ...end, connection: this };
  }

  retire(): void {
    this.#standing.ended();
    this.#drain();
  }

  async destroy(error: Error): Promise<void> {
    this.#standing.ended();
    this.#abandon(error);
    await this.#closed.promise;
  }

  /** True a little before the session says so: it waits for its socket. */
  get #hasEnded(): boolean {
    return this.#session.closed || this.#session.destroyed;
  }

  #listen(): void {
    const session = this.#session;
    session.on("connect", () => this.#onConnect());
    session.on("remoteSettings", ({ maxConcurrentStreams = Infinity }) => {
      this.#capacity = Math.min(maxConcurrentStreams, this.#settings.streamsMax);
      this.#events.onChange();
    });
    session.on("goaway", (code, lastStreamId) => this.#onGoaway(code, lastStreamId));
    session.on("error", (error: Error) => {
      this.#error ??= error;
    });
    session.on("close", () => this.#onClose());
  }

  #onConnect(): void {
    if (this.#session.destroyed) return;
    if (!speaksHttp2(this.#socket)) {
      this.#abandon(new Error("The far side does not speak HTTP/2."));
      return;
    }
    this.#isOpen = true;
    this.#rest();
    this.#events.onChange();
  }

  /** Node closes the session only after this event, and with a code other than 0 destroys it. */
  #onGoaway(code: number, lastStreamId: number): void {
    this.#lastStreamId = lastStreamId;
    const isOrderly = code === constants.NGHTTP2_NO_ERROR;
    this.#standing.failed({
      error: new Error(`The far side closed with code ${code}.`),
      isOrderly,
    });
    this.#drain();
  }

  #onClose(): void {
    clearTimeout(this.#timer);
    this.#silence.stop();
    this.#isDraining = true;
    this.#standing.failed({
      error: this.#error ?? new Error("The connection closed."),
      isOrderly: false,
    });
    this.#closed.resolve();
    this.#events.onEnd();
  }

  /** Returns the stream, or an error where the connection has ended before we knew. */
  #open({ path, headers, neverIndexed, body }: Http2Request): ClientHttp2Stream | Error {
    const { origin } = this.#settings;
    const fields: OutgoingHttpHeaders = {
      ":method": "POST",
      ":path": path,
      ":scheme": origin.protocol.slice(0, -1),
      ":authority": origin.host,
      ...headers,
      "content-length": String(body.length),
      [sensitiveHeaders]: [...neverIndexed],
    };
    let stream: ClientHttp2Stream;
    try {
      stream = this.#session.request(fields, { endStream: false });
    } catch (error) {
      // Up to Node 22 an ended session throws; from Node 24 on its streams fail.
      if (!this.#hasEnded || !(error instanceof Error)) throw error;
      this.#drain();
      return error;
    }
    clearTimeout(this.#timer);
    this.#inFlight += 1;
    stream.once("response", () => this.#standing.answered());
    stream.once("close", () => this.#onStreamClose(stream));
    this.#silence.start();
    return stream;
  }

  #onStreamClose(stream: ClientHttp2Stream): void {
    this.#inFlight -= 1;
    // A session that hands out no stream id has ended.
    if (stream.id === undefined) this.#isDraining = true;
    if (this.#inFlight === 0) this.#rest();
    this.#events.onChange();
  }

  /** RFC 9113 sections 6.8 and 8.7. */
  #isUnprocessed({ id, rstCode }: ClientHttp2Stream): boolean {
    if (id === undefined || id > this.#lastStreamId) return true;
    return rstCode === constants.NGHTTP2_REFUSED_STREAM;
  }

  #drain(): void {
    this.#isDraining = true;
    if (this.#inFlight === 0) this.#rest();
    this.#events.onChange();
  }

  /** Nothing is on it: it waits for more, or closes. */
  #rest(): void {
    clearTimeout(this.#timer);
    const { idleMs } = this.#settings;
    if (!this.#isDraining && !this.#hasEnded) {
      this.#timer = setTimeout(() => this.retire(), idleMs).unref();
      return;
    }
    this.#session.close();
    this.#timer = setTimeout(() => this.#socket.destroy(), CLOSE_GRACE_MS).unref();
  }

  #abandon(error: Error): void {
    this.#standing.failed({ error, isOrderly: false });
    this.#isDraining = true;
    this.#session.destroy(error, constants.NGHTTP2_NO_ERROR);
    // The session would wait until everything is written, and a connection until it is made.
    this.#socket.destroy();
  }

  #ping(onAnswer: () => void): void {
    if (this.#session.destroyed) return;
    this.#session.ping((error) => {
      if (error === null) onAnswer();
    });
  }
}
