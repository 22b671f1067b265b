import { once } from "node:events";
import { connect, type Socket } from "node:net";

const HEADER_END = Buffer.from("\r\n\r\n");
const CONTENT_LENGTH_PATTERN = /^content-length: (\d+)\r?$/im;

/** A connection that sends a request and waits for the response, with as little computation as possible. */
export class HttpCaller {
  readonly #socket: Socket;
  #received: Buffer[] = [];
  #response: PromiseWithResolvers<HttpResponse> | null = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (bytes: Buffer) => this.#receive(bytes));
    socket.on("error", (error) => this.#response?.reject(error));
    socket.on("close", () => this.#response?.reject(new Error("The connection was closed.")));
  }

  static async connect(url: string): Promise<HttpCaller> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    return new HttpCaller(socket);
  }

  /** Sends the bytes of a request and resolves with the response. */
  request(request: Buffer): Promise<HttpResponse> {
    this.#response = Promise.withResolvers();
    this.#socket.write(request);
    return this.#response.promise;
  }

  close(): void {
    this.#response = null;
    this.#socket.destroy();
  }

  #receive(bytes: Buffer): void {
    this.#received.push(bytes);
    const message = this.#received.length === 1 ? bytes : Buffer.concat(this.#received);
    const headerEnd = message.indexOf(HEADER_END);
    if (headerEnd < 0) return;
    const header = message.toString("latin1", 0, headerEnd);
    const bodyStart = headerEnd + HEADER_END.length;
    const length = Number(CONTENT_LENGTH_PATTERN.exec(header)?.[1] ?? 0);
    if (message.length < bodyStart + length) return;
    this.#received = [];
    const status = Number(header.slice("HTTP/1.1 ".length, "HTTP/1.1 200".length));
    this.#response?.resolve({ status, body: message.toString("utf8", bodyStart) });
  }
}

/** The part of a response that a load generator checks. */
export interface HttpResponse {
  readonly status: number;
  readonly body: string;
}

/** A POST with a JSON body. */
export interface PostRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

/** Encodes a POST. */
export function encodePost(url: string, { path, headers, body }: PostRequest): Buffer {
  const json = JSON.stringify(body);
  const lines = Object.entries({
    host: new URL(url).host,
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(json)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n${json}`);
}
