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

/** The end of one stream, with its connection. */
export type SendEnd =
  | (Exclude<StreamEnd, { readonly kind: "lost" }> & { readonly connection: Connection })
  | Extract<StreamEnd, { readonly kind: "lost" }>;

/** The stream limit before the server's SETTINGS arrive. A server refuses streams beyond its limit. */
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
  /** True while a chunk is read. Its changes are reported once, after it. */
  #isReading = false;
  #hasChanged = false;
  #bytesRead = 0;
  /** The callback of the pending ping. */
  #onPong = (): void => {};
  #error: Error | null = null;
  /** The only timer: for the handshake, the idle time or the close. */
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
    this.#session = this.#openSession(origin);
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
    const timeoutError = new Error(`No connection after ${connectTimeoutMs} ms.`);
    this.#startTimer(connectTimeoutMs, () => this.#abandon(timeoutError));
    this.#listen();
  }

  /** False once the connection drains, and while a ping is unanswered. */
  get isUsable(): boolean {
    return !this.#isDraining && !this.#liveness.isSuspect && !this.#session.isSpent;
  }

  /** True after the first response. */
  get isProven(): boolean {
    return this.#firstReport.isProven;
  }

  /** The number of requests that can be sent now. */
  get freeStreams(): number {
    const { isSpent, isWindowClosed, streamsMax, inFlight } = this.#session;
    if (!this.#isOpen || !this.isUsable || isSpent || isWindowClosed || this.#out.isFull) return 0;
    const allowed = Math.min(streamsMax ?? STREAMS_BEFORE_SETTINGS, this.#settings.streamsMax);
    return Math.max(0, allowed - inFlight);
  }

  /** Sends a request, which needs a free stream. Rejects only if the request itself is malformed. */
  send(request: Http2Request, signal: AbortSignal): Promise<SendEnd> {
    // An exception of `begin` rejects the promise.
    return new Promise((resolve) => {
      const stream = this.#session.begin(request, (end) => {
        this.#signals.forget(signal, stream);
        resolve(end.kind === "lost" ? end : { ...end, connection: this });
        this.#onStreamEnd();
      });
      this.#stopTimer();
      this.#liveness.start();
      this.#signals.watch(signal, stream);
    });
  }

  retire(): void {
    this.#firstReport.recordEnd();
    this.#drain();
  }

  /** Ends the connection and its requests immediately. Resolves when the socket is closed. */
  async destroy(error: Error): Promise<void> {
    this.#firstReport.recordEnd();
    this.#abandon(error);
    await this.#closed.promise;
  }

  #openSession(origin: URL): Session {
    return new Session(this.#out, origin, {
      onCapacityChange: () => this.#reportChange(),
      onResponse: () => this.#firstReport.recordResponse(),
      onGoaway: (code) => this.#onGoaway(code),
      onPong: () => this.#onPong(),
      onBroken: (error) => {
        this.#firstReport.recordFailure({ error, isOrderly: false });
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
    this.#waitOrClose();
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

  #reportChange(): void {
    if (this.#isReading) this.#hasChanged = true;
    else this.#events.onChange();
  }

  #onStreamEnd(): void {
    if (this.#session.inFlight === 0) this.#waitOrClose();
    this.#reportChange();
  }

  #onGoaway(code: number): void {
    const isOrderly = code === CODE.noError;
    const error = new Error(`The server closed with code ${code}.`);
    this.#firstReport.recordFailure({ error, isOrderly });
    this.#drain();
    // After a GOAWAY with an error, servers finish their responses but may not close the connection.
    if (!isOrderly) this.#startTimer(CLOSE_GRACE_MS, () => this.#abandon(error));
  }

  #onClose(): void {
    const error = this.#error ?? new Error("The connection closed.");
    this.#isDraining = true;
    this.#out.close();
    this.#firstReport.recordFailure({ error, isOrderly: false });
    this.#session.leave(error);
    this.#stopTimer();
    this.#liveness.stop();
    this.#closed.resolve();
    this.#events.onEnd();
  }

  #drain(): void {
    this.#isDraining = true;
    if (this.#session.inFlight === 0) this.#waitOrClose();
    this.#reportChange();
  }

  /** Waits for the next request, or closes. Called while no request is pending. */
  #waitOrClose(): void {
    if (this.#isDraining || this.#session.isSpent) this.#close();
    else this.#startTimer(this.#settings.idleMs, () => this.retire());
  }

  #close(): void {
    this.#session.leave(new Error("The connection is closed."));
    this.#out.flush();
    this.#socket.end();
    this.#startTimer(CLOSE_GRACE_MS, () => this.#socket.destroy());
  }

  #abandon(error: Error): void {
    this.#firstReport.recordFailure({ error, isOrderly: false });
    this.#isDraining = true;
    this.#session.leave(error);
    this.#out.flush();
    this.#socket.destroy();
  }

  #ping(onAnswer: () => void): void {
    this.#onPong = onAnswer;
    this.#session.ping();
  }

  #startTimer(ms: number, onTimeout: () => void): void {
    this.#stopTimer();
    this.#timer = setTimeout(onTimeout, ms).unref();
  }

  #stopTimer(): void {
    if (this.#timer === null) return;
    clearTimeout(this.#timer);
    this.#timer = null;
  }
}
