import { once } from "node:events";
import { WebSocket } from "ws";

/** The request that opens the WebSocket of an app. */
export interface AppRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A part of every message, and of no other text. */
const MESSAGE_TEXT = '"event":"message"';
/** The number of WebSockets that are opened at a time. */
const OPENING_MAX = 100;

/** Apps that read messages over WebSockets, and answer every ping. They have no other work. */
export class WebSocketApps {
  readonly #sockets: readonly WebSocket[];
  /** The number of messages of each app. */
  readonly #counts: Uint32Array;

  private constructor(sockets: readonly WebSocket[]) {
    this.#sockets = sockets;
    this.#counts = new Uint32Array(sockets.length);
    for (const [index, socket] of sockets.entries())
      socket.on("message", (bytes: Buffer) => {
        if (bytes.includes(MESSAGE_TEXT)) this.#counts[index] = (this.#counts[index] ?? 0) + 1;
      });
  }

  /** Opens a WebSocket for each request. Each takes a file descriptor here, and one of the server. */
  static async open(url: string, requests: readonly AppRequest[]): Promise<WebSocketApps> {
    const sockets: WebSocket[] = [];
    for (let start = 0; start < requests.length; start += OPENING_MAX) {
      const batch = requests.slice(start, start + OPENING_MAX);
      sockets.push(...(await Promise.all(batch.map((request) => openSocket(url, request)))));
    }
    return new WebSocketApps(sockets);
  }

  /** Throws unless every app is connected and has this many messages. */
  requireMessages(count: number): void {
    const open = this.#sockets.filter(({ readyState }) => readyState === WebSocket.OPEN).length;
    const complete = this.#counts.filter((received) => received === count).length;
    if (open < this.#sockets.length || complete < this.#sockets.length)
      throw new Error(`${open} apps are connected, and ${complete} have ${count} messages.`);
  }

  close(): void {
    for (const socket of this.#sockets) socket.terminate();
  }
}

async function openSocket(url: string, { path, headers }: AppRequest): Promise<WebSocket> {
  const options = { headers, perMessageDeflate: false };
  const socket = new WebSocket(`${url.replace("http", "ws")}${path}`, options);
  await once(socket, "open");
  // A connection that fails closes, which `requireMessages` notices.
  socket.on("error", () => {});
  return socket;
}
