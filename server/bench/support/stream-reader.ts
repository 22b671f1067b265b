import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { PeerTarget } from "./senders.ts";

const OPEN_TIMEOUT_MS = 30_000;

/** How a live stream is opened and read. */
export interface StreamProtocol {
  /** The status of a response that opens the stream. */
  readonly status: number;
  /** A text that the server sends once the stream is open. */
  readonly startText: string;
  /** A text that each notification contains once, and nothing else contains. */
  readonly eventText: string;
}

/** The request that opens a stream. */
export interface StreamRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Streams of one server, and the target whose notifications they receive. */
export interface StreamsTarget extends StreamProtocol {
  readonly target: PeerTarget;
  readonly streams: readonly StreamRequest[];
}

/** Our own live stream. */
export const TOCSIN_STREAM: StreamProtocol = {
  status: 200,
  startText: "id: ",
  eventText: "event: notification",
};

/** A reader of a live stream that counts its notifications, with as little computation as possible. */
export class StreamReader {
  readonly #socket: Socket;
  readonly #eventText: Buffer;
  #receivedCount = 0;
  #expectedCount = 0;
  #arrival: PromiseWithResolvers<void> | null = null;

  private constructor(socket: Socket, eventText: string) {
    this.#socket = socket;
    this.#eventText = Buffer.from(eventText);
    socket.on("data", (bytes: Buffer) => this.#receive(bytes));
    socket.on("error", (error) => this.#arrival?.reject(error));
    socket.on("close", () => this.#arrival?.reject(new Error("The stream has ended.")));
  }

  /** Opens a live stream, and resolves once it has started. */
  static async open(
    url: string,
    { path, headers }: StreamRequest,
    { status, startText, eventText }: StreamProtocol,
  ): Promise<StreamReader> {
    const { hostname, port, host } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    const fields = Object.entries({ host, ...headers }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    socket.write(`GET ${path} HTTP/1.1\r\n${fields.join("")}\r\n`);
    const signal = AbortSignal.timeout(OPEN_TIMEOUT_MS);
    let head = Buffer.alloc(0);
    while (!head.includes(startText)) {
      const [bytes] = (await once(socket, "data", { signal })) as [Buffer]; // A socket emits one buffer.
      head = Buffer.concat([head, bytes]);
      if (!head.toString("latin1").startsWith(`HTTP/1.1 ${status}`))
        throw new Error(head.toString("utf8"));
    }
    return new StreamReader(socket, eventText);
  }

  /** Resolves once one more notification has arrived than at the last call. */
  async waitForNext(): Promise<void> {
    this.#expectedCount += 1;
    if (this.#receivedCount >= this.#expectedCount) return;
    this.#arrival = Promise.withResolvers();
    await this.#arrival.promise;
  }

  close(): void {
    this.#arrival = null;
    this.#socket.destroy();
  }

  #receive(bytes: Buffer): void {
    // An event is one write of the server, and loopback does not divide writes of this size.
    for (
      let at = bytes.indexOf(this.#eventText);
      at >= 0;
      at = bytes.indexOf(this.#eventText, at + 1)
    )
      this.#receivedCount += 1;
    if (this.#receivedCount >= this.#expectedCount) this.#arrival?.resolve();
  }
}
