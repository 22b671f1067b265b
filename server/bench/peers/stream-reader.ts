import { once } from "node:events";
import { connect, type Socket } from "node:net";

const NOTIFICATION_EVENT = Buffer.from("event: notification");
const STREAM_START = Buffer.from("id: ");

/** A reader of a live stream that counts its notifications, with as little computation as possible. */
export class StreamReader {
  readonly #socket: Socket;
  #received = 0;
  #expected = 0;
  #arrival: PromiseWithResolvers<void> | null = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (bytes: Buffer) => this.#receive(bytes));
    socket.on("error", (error) => this.#arrival?.reject(error));
    socket.on("close", () => this.#arrival?.reject(new Error("The stream has ended.")));
  }

  /** Opens the live stream of an access token, and resolves once it has started. */
  static async open(url: string, accessToken: string): Promise<StreamReader> {
    const { hostname, port, host } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    socket.write(
      `GET /api/app/v1/live HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${accessToken}\r\n\r\n`,
    );
    let head = Buffer.alloc(0);
    while (!head.includes(STREAM_START)) {
      const [bytes] = (await once(socket, "data")) as [Buffer]; // Node's signature of the event.
      head = Buffer.concat([head, bytes]);
      if (!head.toString("latin1").startsWith("HTTP/1.1 200"))
        throw new Error(head.toString("utf8"));
    }
    return new StreamReader(socket);
  }

  /** Resolves once one more notification has arrived than at the last call. */
  async waitForNext(): Promise<void> {
    this.#expected += 1;
    if (this.#received >= this.#expected) return;
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
      let at = bytes.indexOf(NOTIFICATION_EVENT);
      at >= 0;
      at = bytes.indexOf(NOTIFICATION_EVENT, at + 1)
    )
      this.#received += 1;
    if (this.#received >= this.#expected) this.#arrival?.resolve();
  }
}
