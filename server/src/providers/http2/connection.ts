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

/** Until SETTINGS come the far side's limit is not known, and what is sent beyond it is refused. */
const STREAMS_BEFORE_SETTINGS = 1;
/** How long the far side has to close its end after us. */
const CLOSE_GRACE_MS = 1_000;

/** One connection and the requests on it. It opens at once, and ends when it has failed, is retired or idle. */
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
  /** While a chunk is read, what it changes is told once. */
  #isReading = false;
  #hasChanged = false;
  #bytesRead = 0;
  /** What the answer to our ping is told to. */
  #onPong = (): void => {};
  #error: Error | null = null;
  /** One at a time: until it is open, while it is idle, until its socket is closed. */
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

  /** False once it is known to take no further request, and while it is not sure that it is alive. */
  get isUsable(): boolean {
    return !this.#isDraining && !this.#liveness.isSuspect && !this.#session.isSpent;
  }

  /** True once it has answered. */
  get isProven(): boolean {
    return this.#firstReport.isProven;
  }

  /** How many requests it can take now. */
  get room(): number {
    const { isSpent, isShut, streamsMax, inFlight } = this.#session;
    if (!this.#isOpen || !this.isUsable || isSpent || isShut || this.#out.isFull) return 0;
    const allowed = Math.min(streamsMax ?? STREAMS_BEFORE_SETTINGS, this.#settings.streamsMax);
    return Math.max(0, allowed - inFlight);
  }

  /** Makes the request, for which there must be room. Rejects only where the request itself is malformed. */
  send(request: Http2Request, signal: AbortSignal): Promise<SendEnd> {
    // What `begin` throws rejects it.
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

  /** Ends it and whatever is on it at once; resolves when its socket is closed. */
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
      this.#abandon(new Error("The far side does not speak HTTP/2."));
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
    const error = new Error(`The far side closed with code ${code}.`);
    this.#firstReport.failed({ error, isOrderly });
    this.#drain();
    // Who closes for an error may answer what it has, and forget to end the connection.
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

  /** Nothing is on it: it waits for more, or closes. */
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
