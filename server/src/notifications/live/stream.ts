import type { ServerResponse } from "node:http";
import type { HubEvent } from "./hub.ts";

/** A reader that falls this far behind is disconnected; it reconnects with its last event id. */
const BACKLOG_MAX_BYTES = 2 * 1024 * 1024;
/** The maximum size of a replay; the feed and the delivery log have the rest. */
const REPLAY_MAX_BYTES = 1024 * 1024;
/** A reader that does not read the end of its stream is disconnected after this time. */
const END_MAX_MS = 1_000;
/** The maximum number of queued events. A reader with more reconnects with its last event id. */
const QUEUE_MAX = 1_000;
/** How long a reader waits before it reconnects. */
const RETRY_MS = 2_000;

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  // A stopping server would wait for an idle connection.
  connection: "close",
  // Makes nginx forward events immediately.
  "x-accel-buffering": "no",
} as const;

/** A stream of Server-Sent Events (HTML standard, section 9.2). It queues events before it starts and while it is held. */
export class LiveStream {
  readonly #response: ServerResponse;
  #hasBegun = false;
  #isHeld = false;
  #queue: HubEvent[] = [];

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  /** False once the reader has disconnected. */
  get isOpen(): boolean {
    return !this.#response.destroyed && !this.#response.writableEnded;
  }

  /** Sends an event. */
  readonly take = (event: HubEvent): void => {
    if (this.#hasBegun && !this.#isHeld) this.#write(formatEvent(event));
    else if (this.#queue.length < QUEUE_MAX) this.#queue.push(event);
    else this.#response.destroy();
  };

  /** Queues events until `release`. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Sends the queued events. */
  release(): void {
    this.#isHeld = false;
    if (this.#hasBegun) this.#flush();
  }

  /** Starts the stream with a replay. A reader that receives no event resumes at `position`. */
  begin(
    headers: Readonly<Record<string, number | string | string[] | undefined>>,
    { missed, position }: { readonly missed: readonly HubEvent[]; readonly position: string },
  ): void {
    for (const [name, value] of Object.entries({ ...headers, ...HEADERS })) {
      if (value !== undefined) this.#response.setHeader(name, value);
    }
    const text = newestWithin(missed.map(formatEvent), REPLAY_MAX_BYTES).join("");
    this.#write(`retry: ${RETRY_MS}\n\n${text}id: ${position}\n\n`);
    this.#hasBegun = true;
    if (!this.#isHeld) this.#flush();
  }

  /** Sends a comment, which readers ignore. */
  beat(): void {
    this.#write(": still here\n\n");
  }

  /** Ends the stream, even if its reader has stalled. */
  end(): void {
    const timer = setTimeout(() => this.#response.destroy(), END_MAX_MS);
    this.#response.once("close", () => clearTimeout(timer));
    this.#response.end();
  }

  #flush(): void {
    const events = this.#queue;
    this.#queue = [];
    for (const event of events) this.take(event);
  }

  #write(text: string): void {
    if (!this.isOpen) return;
    const backlogBytes = this.#response.writableLength + Buffer.byteLength(text);
    if (backlogBytes > BACKLOG_MAX_BYTES) this.#response.destroy();
    else this.#response.write(text);
  }
}

/**
 * Ends a response when its reader disconnects, before or after the stream has started. A half-closed connection
 * counts as disconnected.
 */
export function endWithReader(response: ServerResponse): void {
  const { socket } = response.req;
  const disconnect = () => response.destroy();
  socket.once("end", disconnect);
  response.once("close", () => socket.off("end", disconnect));
}

function formatEvent({ id, kind, data }: HubEvent): string {
  return `id: ${id}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
}

function newestWithin(texts: readonly string[], maxBytes: number): readonly string[] {
  let bytes = 0;
  const last = texts.findLastIndex((text) => {
    bytes += Buffer.byteLength(text);
    return bytes > maxBytes;
  });
  return texts.slice(last + 1);
}
