import type { ServerResponse } from "node:http";
import type { HubEvent } from "./hub.ts";

/** A reader that falls this far behind is let go; it comes back with its last event id. */
const BACKLOG_MAX_BYTES = 2 * 1024 * 1024;
/** Of what a reader missed, it gets the newest up to this: the feed and the delivery log have the rest. */
const MISSED_MAX_BYTES = 1024 * 1024;
/** A reader that does not take the end of its stream is cut off after this. */
const END_MAX_MS = 1_000;
/** More events than this do not wait for a stream; its reader comes back with its last event id. */
const WAITING_MAX = 1_000;
/** How long a reader waits before it comes back. */
const RETRY_MS = 2_000;

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  // The connection ends with the stream: a stopping server would wait for an idle one.
  connection: "close",
  // nginx passes events on at once when told so.
  "x-accel-buffering": "no",
} as const;

/** One stream of Server-Sent Events (HTML standard, section 9.2); what it takes before it begins, or while it is held, waits. */
export class LiveStream {
  readonly #response: ServerResponse;
  #hasBegun = false;
  #isHeld = false;
  #waiting: HubEvent[] = [];

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  /** False once the reader is gone. */
  get isOpen(): boolean {
    return !this.#response.destroyed && !this.#response.writableEnded;
  }

  /** Sends an event. */
  readonly take = (event: HubEvent): void => {
    if (this.#hasBegun && !this.#isHeld) this.#write(format(event));
    else if (this.#waiting.length < WAITING_MAX) this.#waiting.push(event);
    else this.#response.destroy();
  };

  /** Lets events wait until it is released. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Sends what waited. */
  release(): void {
    this.#isHeld = false;
    if (this.#hasBegun) this.#flush();
  }

  /** Begins with what was missed; a reader that sees no event at all resumes at `position`. */
  begin(
    headers: Readonly<Record<string, number | string | string[] | undefined>>,
    { missed, position }: { readonly missed: readonly HubEvent[]; readonly position: string },
  ): void {
    for (const [name, value] of Object.entries({ ...headers, ...HEADERS })) {
      if (value !== undefined) this.#response.setHeader(name, value);
    }
    const text = newestWithin(missed.map(format), MISSED_MAX_BYTES).join("");
    this.#write(`retry: ${RETRY_MS}\n\n${text}id: ${position}\n\n`);
    this.#hasBegun = true;
    if (!this.#isHeld) this.#flush();
  }

  /** Sends a comment, which readers pass over. */
  beat(): void {
    this.#write(": still here\n\n");
  }

  /** Ends the stream, soon even where nobody reads. */
  end(): void {
    const timer = setTimeout(() => this.#response.destroy(), END_MAX_MS);
    this.#response.once("close", () => clearTimeout(timer));
    this.#response.end();
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const event of waiting) this.take(event);
  }

  #write(text: string): void {
    if (!this.isOpen) return;
    const behindBytes = this.#response.writableLength + Buffer.byteLength(text);
    if (behindBytes > BACKLOG_MAX_BYTES) this.#response.destroy();
    else this.#response.write(text);
  }
}

/** Ends a stream, begun or not, with its reader: one that has only ended its side looks like one that is gone. */
export function endWithReader(response: ServerResponse): void {
  const { socket } = response.req;
  const leave = () => response.destroy();
  socket.once("end", leave);
  response.once("close", () => socket.off("end", leave));
}

function format({ id, kind, data }: HubEvent): string {
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
