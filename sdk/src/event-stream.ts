/** The longest accepted event, in characters. The longest notification takes about a tenth of this. */
const EVENT_LENGTH_MAX = 1_048_576;

/** One event as received. */
export interface ServerSentEvent {
  readonly name: string;
  readonly id: string;
  readonly data: string;
}

/** A parser of Server-Sent Events (HTML Standard section 9.2.6) that accepts decoded text split anywhere. */
export class EventStreamParser {
  /** The id of the last complete event; `""` if there is none. */
  lastEventId: string;
  /** The reconnection delay that the stream requests; null if it requests none. */
  retryMs: number | null = null;

  #incompleteLine = "";
  #endedOnCarriageReturn = false;
  #name = "";
  #id: string;
  #data: string[] = [];
  #dataLength = 0;

  /** An id applies until the stream sends another one, so a resumed stream starts with its last id. */
  constructor(lastEventId: string) {
    this.lastEventId = lastEventId;
    this.#id = lastEventId;
  }

  /**
   * Parses more text and returns the events that it completes; throws a RangeError past 1,048,576 characters in one
   * event.
   */
  push(text: string): ServerSentEvent[] {
    if (text === "") return [];
    // A carriage return ended its line immediately; the line feed of the same pair may arrive later.
    const input = this.#endedOnCarriageReturn && text.startsWith("\n") ? text.slice(1) : text;
    this.#endedOnCarriageReturn = text.endsWith("\r");
    const lines = (this.#incompleteLine + input).split(/\r\n|\n|\r/);
    this.#incompleteLine = lines.pop() ?? "";
    const events = lines.map((line) => this.#parseLine(line)).filter((event) => event !== null);
    if (this.#incompleteLine.length + this.#dataLength > EVENT_LENGTH_MAX) {
      throw new RangeError("An event of the stream is too long.");
    }
    return events;
  }

  #parseLine(line: string): ServerSentEvent | null {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") this.#name = value;
    if (field === "data") {
      this.#data.push(value);
      this.#dataLength += value.length + 1;
    }
    if (field === "id" && !value.includes("\0")) this.#id = value;
    if (field === "retry" && /^[0-9]+$/.test(value)) this.retryMs = Number(value);
    return null;
  }

  #dispatch(): ServerSentEvent | null {
    const name = this.#name === "" ? "message" : this.#name;
    const data = this.#data;
    this.lastEventId = this.#id;
    this.#name = "";
    this.#data = [];
    this.#dataLength = 0;
    return data.length === 0 ? null : { name, id: this.#id, data: data.join("\n") };
  }
}
