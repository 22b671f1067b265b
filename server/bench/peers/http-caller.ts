import { once } from "node:events";
import { connect, type Socket } from "node:net";

const HEAD_END = Buffer.from("\r\n\r\n");
const LENGTH = /^content-length: (\d+)\r?$/im;

/** One connection that sends a request and waits for the answer, with as little computation as possible. */
export class HttpCaller {
  readonly #socket: Socket;
  #received: Buffer[] = [];
  #answer: PromiseWithResolvers<HttpAnswer> | null = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (bytes: Buffer) => this.#receive(bytes));
    socket.on("error", (error) => this.#answer?.reject(error));
    socket.on("close", () => this.#answer?.reject(new Error("The connection was closed.")));
  }

  static async connect(url: string): Promise<HttpCaller> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    return new HttpCaller(socket);
  }

  /** Sends the bytes of a request and resolves with the answer. */
  ask(request: Buffer): Promise<HttpAnswer> {
    this.#answer = Promise.withResolvers();
    this.#socket.write(request);
    return this.#answer.promise;
  }

  close(): void {
    this.#answer = null;
    this.#socket.destroy();
  }

  #receive(bytes: Buffer): void {
    this.#received.push(bytes);
    const whole = this.#received.length === 1 ? bytes : Buffer.concat(this.#received);
    const headEnd = whole.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const head = whole.toString("latin1", 0, headEnd);
    const bodyAt = headEnd + HEAD_END.length;
    const length = Number(LENGTH.exec(head)?.[1] ?? 0);
    if (whole.length < bodyAt + length) return;
    this.#received = [];
    const status = Number(head.slice("HTTP/1.1 ".length, "HTTP/1.1 200".length));
    this.#answer?.resolve({ status, body: whole.toString("utf8", bodyAt) });
  }
}

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

/** Returns the bytes of a POST of JSON. */
export function postOf(
  url: string,
  {
    path,
    headers,
    body,
  }: { path: string; headers: Readonly<Record<string, string>>; body: object },
): Buffer {
  const json = JSON.stringify(body);
  const lines = Object.entries({
    host: new URL(url).host,
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(json)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n${json}`);
}
