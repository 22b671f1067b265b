import type { ServerResponse } from "node:http";
import type { HubEvent } from "./hub.ts";

/** A reader that falls this far behind is disconnected; it reconnects with its last event id. */
const BACKLOG_MAX_BYTES = 2 * 1024 * 1024;
/** The maximum size of a replay; the feed and the delivery log have the rest. */
const REPLAY_MAX_BYTES = 1024 * 1024;
/** A reader that does not read the end of its stream is disconnected after this time. */
const END_TIMEOUT_MS = 1_000;
/** The maximum number of queued events. A reader with more reconnects with its last event id. */
const QUEUED_EVENTS_MAX = 1_000;
/** The time that a reader waits before it reconnects. */
const RECONNECT_DELAY_MS = 2_000;
/** Some proxies close streams that send nothing for half a minute. */
const HEARTBEAT_MS = 20_000;
const HEARTBEAT = Buffer.from(": still here\n\n");

const STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  // A stopping server would wait for an idle connection.
  connection: "close",
  // Makes nginx forward events immediately.
  "x-accel-buffering": "no",
} as const;

/**
 * A stream of Server-Sent Events (HTML standard, section 9.2). Queues events before its start and while it is paused.
 */
export class LiveStream {
  readonly #response: ServerResponse;
  #hasStarted = false;
  #isPaused = false;
  #queue: HubEvent[] = [];

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  /** False once the stream has ended or its reader has disconnected. */
  get isOpen(): boolean {
    return !this.#response.destroyed && !this.#response.writableEnded;
  }

  /** Sends an event, or queues it while the stream is paused or has not started. A full queue closes the stream. */
  readonly send = (event: HubEvent): void => {
    if (this.#hasStarted && !this.#isPaused) this.#write(encodeEvent(event));
    else if (this.#queue.length < QUEUED_EVENTS_MAX) this.#queue.push(event);
    else this.#response.destroy();
  };

  /** Queues events until `resume`. */
  pause(): void {
    this.#isPaused = true;
  }

  /** Sends the queued events. */
  resume(): void {
    this.#isPaused = false;
    if (this.#hasStarted) this.#flush();
  }

  /** Starts the stream with a replay. A reader that receives no event resumes at `position`. */
  start(
    headers: Readonly<Record<string, number | string | string[] | undefined>>,
    {
      replayedEvents,
      position,
    }: { readonly replayedEvents: readonly HubEvent[]; readonly position: string },
  ): void {
    for (const [name, value] of Object.entries({ ...headers, ...STREAM_HEADERS })) {
      if (value !== undefined) this.#response.setHeader(name, value);
    }
    const replay = selectNewest(replayedEvents.map(encodeEvent), REPLAY_MAX_BYTES);
    // The end of the connection ends the stream: chunks would triple the writes to the socket (RFC 9112 section 6.3).
    this.#response.useChunkedEncodingByDefault = false;
    const retryField = Buffer.from(`retry: ${RECONNECT_DELAY_MS}\n\n`);
    const idField = Buffer.from(`id: ${position}\n\n`);
    this.#write(Buffer.concat([retryField, ...replay, idField]));
    this.#hasStarted = true;
    const heartbeat = setInterval(() => this.sendHeartbeat(), HEARTBEAT_MS);
    this.#response.once("close", () => clearInterval(heartbeat));
    if (!this.#isPaused) this.#flush();
  }

  /** Sends a comment, which readers ignore. */
  sendHeartbeat(): void {
    this.#write(HEARTBEAT);
  }

  /** Ends the stream, even if its reader has stalled. */
  end(): void {
    const timer = setTimeout(() => this.#response.destroy(), END_TIMEOUT_MS);
    this.#response.once("close", () => clearTimeout(timer));
    this.#response.end();
  }

  #flush(): void {
    const events = this.#queue;
    this.#queue = [];
    for (const event of events) this.send(event);
  }

  #write(bytes: Buffer): void {
    if (!this.isOpen) return;
    const backlogBytes = this.#response.writableLength + bytes.length;
    if (backlogBytes > BACKLOG_MAX_BYTES) this.#response.destroy();
    else this.#response.write(bytes);
  }
}

/** The encoded events. All streams share them, because encoding an event costs as much as sending it. */
const encodedEvents = new WeakMap<HubEvent, Buffer>();

function encodeEvent(event: HubEvent): Buffer {
  const cached = encodedEvents.get(event);
  if (cached !== undefined) return cached;
  const { id, kind, data } = event;
  const encoded = Buffer.from(`id: ${id}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`);
  encodedEvents.set(event, encoded);
  return encoded;
}

function selectNewest(events: readonly Buffer[], maxBytes: number): readonly Buffer[] {
  let sizeBytes = 0;
  const lastOmittedIndex = events.findLastIndex((event) => {
    sizeBytes += event.length;
    return sizeBytes > maxBytes;
  });
  return events.slice(lastOmittedIndex + 1);
}
