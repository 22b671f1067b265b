import type { Socket } from "node:net";
import type { ConnectionEvents, ConnectionSettings } from "./connection-settings.ts";
import { dial, speaksHttp2 } from "./dial.ts";
import type { Http2Connection, Http2Request } from "./http2.ts";
import { LivenessWatch } from "./liveness.ts";
import { FirstReport } from "./first-report.ts";
import { CODE } from "./wire/codes.ts";
import { Outbox } from "./wire/outbox.ts";
import { Session } from "./wire/session.ts";
import { StreamSignals } from "./wire/stream-signals.ts";
import type { StreamEnd } from "./wire/stream.ts";

/** How one stream ended, with the connection that it ended on. */
export type SendEnd =
  | (Exclude<StreamEnd, { readonly kind: "lost" }> & { readonly connection: Connection })
  | Extract<StreamEnd, { readonly kind: "lost" }>;

/** Before its SETTINGS arrive, the server's limit is not known, and a server refuses streams beyond it. */
const STREAMS_BEFORE_SETTINGS = 1;
/** How long the server may take to close its end after ours. */
const CLOSE_GRACE_MS = 1_000;

/** One connection and its requests. It opens on construction, and ends after a failure, on retirement or when idle. */
export class Connection implements Http2Connection {
  readonly #settings: ConnectionSettings;
  readonly #events: ConnectionEvents;
  readonly #socket: Socket;
  readonly #out: Outbox;
  readonly #session: Session;
  readonly #liveness: LivenessWatch;
  readonly #firstReport: FirstReport;
  readonly #signals = new StreamSignals((stream, error) => this.#session.cancel(stream, error));
  readonly #closed = Promise.withResolvers<void>();
  #isOpen = false;
  #isDraining = false;
  /** True while a chunk is read, whose changes are reported once. */
  #isReading = false;
  #hasChanged = false;
  #bytesRead = 0;
  /** The callback of the ping under way. */
  #onPong = (): void => {};
  #error: Error | null = null;
  /** One timer at a time: for the handshake, for idleness, or for the close. */
  #timer: NodeJS.Timeout | null = null;

  constructor(settings: ConnectionSettings, events: ConnectionEvents) {
    const { origin, ca, connectTimeoutMs, readIdleMs, pingTimeoutMs } = settings;
    this.#settings = settings;
    this.#events = events;
    this.#firstReport = new FirstReport(events);
    this.#socket = dial(origin, ca).setNoDelay(true);
    this.#out = new Outbox({
      write: (bytes, onWritten) => this.#socket.write(bytes, onWritten),
      onDrained: events.onChange,
    });
    this.#session = this.#begin(origin);
    this.#liveness = new LivenessWatch({
      readIdleMs,
      pingTimeoutMs,
      bytesRead: () => this.#bytesRead,
      isWaiting: () => this.#session.inFlight > 0,
      ping: (onAnswer) => this.#ping(onAnswer),
      onSuspect: events.onChange,
      onAlive: events.onChange,
      onDead: () => this.#abandon(new Error("The connection fell silent.")),
    });
    const late = new Error(`No connection after ${connectTimeoutMs} ms.`);
    this.#wait(connectTimeoutMs, () => this.#abandon(late));
    this.#listen();
  }

  /** False once it takes no further request, and while a ping is unanswered. */
  get isUsable(): boolean {
    return !this.#isDraining && !this.#liveness.isSuspect && !this.#session.isSpent;
  }

  /** True once it has answered. */
  get isProven(): boolean {
    return this.#firstReport.isProven;
  }

  /** How many more requests it takes now. */
  get room(): number {
    const { isSpent, isShut, streamsMax, inFlight } = this.#session;
    if (!this.#isOpen || !this.isUsable || isSpent || isShut || this.#out.isFull) return 0;
    const allowed = Math.min(streamsMax ?? STREAMS_BEFORE_SETTINGS, this.#settings.streamsMax);
    return Math.max(0, allowed - inFlight);
  }

  /** Sends a request, which needs `room`. Rejects only if the request itself is malformed. */
  send(request: Http2Request, signal: AbortSignal): Promise<SendEnd> {
    // An exception of `begin` rejects it.
    return new Promise((resolve) => {
      const stream = this.#session.begin(request, (end) => {
        this.#signals.forget(signal, stream);
        resolve(end.kind === "lost" ? end : { ...end, connection: this });
        this.#onStreamEnd();
      });
      this.#stopWaiting();
      this.#liveness.start();
      this.#signals.watch(signal, stream);
    });
  }

  retire(): void {
    this.#firstReport.ended();
    this.#drain();
  }

  /** Ends the connection and its requests at once; resolves when the socket is closed. */
  async destroy(error: Error): Promise<void> {
    this.#firstReport.ended();
    this.#abandon(error);
    await this.#closed.promise;
  }

  #begin(origin: URL): Session {
    return new Session(this.#out, origin, {
      onRoom: () => this.#tellChange(),
      onAnswer: () => this.#firstReport.answered(),
      onGoaway: (code) => this.#onGoaway(code),
      onPong: () => this.#onPong(),
      onBroken: (error) => {
        this.#firstReport.failed({ error, isOrderly: false });
        this.#isDraining = true;
        this.#close();
      },
    });
  }

  #listen(): void {
    const socket = this.#socket;
    const opened = this.#settings.origin.protocol === "http:" ? "connect" : "secureConnect";
    socket.once(opened, () => this.#onConnect());
    socket.on("data", (chunk: Buffer) => this.#onData(chunk));
    socket.on("error", (error: Error) => {
      this.#error ??= error;
    });
    socket.once("close", () => this.#onClose());
  }

  #onConnect(): void {
    if (!speaksHttp2(this.#socket)) {
      this.#abandon(new Error("The server does not speak HTTP/2."));
      return;
    }
    this.#isOpen = true;
    this.#out.open();
    this.#rest();
    this.#events.onChange();
  }

  #onData(chunk: Buffer): void {
    this.#bytesRead += chunk.length;
    this.#isReading = true;
    this.#session.receive(chunk);
    this.#isReading = false;
    if (!this.#hasChanged) return;
    this.#hasChanged = false;
    this.#events.onChange();
  }

  #tellChange(): void {
    if (this.#isReading) this.#hasChanged = true;
    else this.#events.onChange();
  }

  #onStreamEnd(): void {
    if (this.#session.inFlight === 0) this.#rest();
    this.#tellChange();
  }

  #onGoaway(code: number): void {
    const isOrderly = code === CODE.noError;
    const error = new Error(`The server closed with code ${code}.`);
    this.#firstReport.failed({ error, isOrderly });
    this.#drain();
    // After a GOAWAY with an error, servers finish their answers and may forget to close.
    if (!isOrderly) this.#wait(CLOSE_GRACE_MS, () => this.#abandon(error));
  }

  #onClose(): void {
    const error = this.#error ?? new Error("The connection closed.");
    this.#isDraining = true;
    this.#out.close();
    this.#firstReport.failed({ error, isOrderly: false });
    this.#session.leave(error);
    this.#stopWaiting();
    this.#liveness.stop();
    this.#closed.resolve();
    this.#events.onEnd();
  }

  #drain(): void {
    this.#isDraining = true;
    if (this.#session.inFlight === 0) this.#rest();
    this.#tellChange();
  }

  /** Waits for the next request, or closes. No request is under way. */
  #rest(): void {
    if (this.#isDraining || this.#session.isSpent) this.#close();
    else this.#wait(this.#settings.idleMs, () => this.retire());
  }

  #close(): void {
    this.#session.leave(new Error("The connection is closed."));
    this.#out.flush();
    this.#socket.end();
    this.#wait(CLOSE_GRACE_MS, () => this.#socket.destroy());
  }

  #abandon(error: Error): void {
    this.#firstReport.failed({ error, isOrderly: false });
    this.#isDraining = true;
    this.#session.leave(error);
    this.#out.flush();
    this.#socket.destroy();
  }

  #ping(onAnswer: () => void): void {
    this.#onPong = onAnswer;
    this.#session.ping();
  }

  #wait(ms: number, onLate: () => void): void {
    this.#stopWaiting();
    this.#timer = setTimeout(onLate, ms).unref();
  }

  #stopWaiting(): void {
    if (this.#timer === null) return;
    clearTimeout(this.#timer);
    this.#timer = null;
  }
}
