import type { IncomingMessage, Server as HttpServer, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** Where a request's head ends, and its body that comes in chunks (RFC 9112 sections 2.1 and 7.1). */
const BLANK_LINE = Buffer.from("\r\n\r\n");
const NOTHING: Buffer = Buffer.alloc(0);

/**
 * Makes the requests that a client sends without waiting for answers (RFC 9112 section 9.3.2) wait their turn: one of a connection
 * is under way at a time. Node itself parses and starts all that came in one read, a thousand requests and more, and holds
 * the answers of those that nobody takes.
 */
export function answerInTurn(server: HttpServer): void {
  const pipelines = new WeakMap<Duplex, Pipeline>();
  const turns = new KeyedQueue();
  server.on("connection", (socket) => pipelines.set(socket, new Pipeline(socket, turns)));
  server.on("request", (request, response) => {
    pipelines.get(request.socket)?.begin(request, response);
  });
  // Node's parser is taken from a connection that becomes a tunnel.
  server.on("connect", ({ socket }) => pipelines.get(socket)?.leave());
}

/** Hands one connection's bytes to Node's parser, a request at a time; what must wait stays with the socket, which is paused. */
class Pipeline {
  readonly #socket: Socket;
  readonly #turns: KeyedQueue;
  readonly #parse: (bytes: Buffer) => void;
  readonly #answers = new Set<ServerResponse>();
  #last: IncomingMessage | null = null;
  /** Bytes that the last request's body still lacks, where its length was said beforehand. */
  #bodyBytes = 0;
  /** The end of what was parsed, as a blank line may come in two pieces. */
  #tail = NOTHING;
  #isWaiting = false;
  #isTunnel = false;

  constructor(socket: Socket, turns: KeyedQueue) {
    this.#socket = socket;
    this.#turns = turns;
    this.#parse = takeParser(socket);
    socket.on("data", this.#take);
    socket.once("end", () => this.#endWithAnswer());
  }

  /** Notes a request that has begun. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    this.#last = request;
    this.#bodyBytes = Number(request.headers["content-length"] ?? 0);
    this.#answers.add(response);
    // Also where the connection ends before it is answered.
    response.once("close", () => {
      this.#answers.delete(response);
      this.#goOn();
    });
  }

  /** Parses nothing from now on. */
  leave(): void {
    this.#isTunnel = true;
  }

  readonly #take = (bytes: Buffer): void => {
    let rest = bytes;
    while (rest.length > 0 && this.#isOpen()) {
      // Node pauses a socket whose request's body is not read.
      if (!this.#isFree() || this.#socket.isPaused()) {
        this.#wait(rest);
        return;
      }
      const size = this.#sizeOfNext(rest);
      this.#parse(rest.subarray(0, size));
      rest = rest.subarray(size);
    }
  };

  /** False once nothing more is to be parsed: the connection is gone, ends with an answer that is on its way, or is a tunnel. */
  #isOpen(): boolean {
    return this.#socket.writable && !this.#isTunnel;
  }

  /** True while nothing is unanswered but one request whose body still comes. */
  #isFree(): boolean {
    return this.#answers.size === 0 || (this.#answers.size === 1 && this.#last?.complete === false);
  }

  #wait(rest: Buffer): void {
    this.#socket.pause();
    this.#socket.unshift(rest);
    this.#isWaiting = true;
  }

  #goOn(): void {
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    this.#turns.await(() => this.#socket.resume());
  }

  /** Node itself notes that the last answer ends the connection, but may forget it when it writes the head. */
  #endWithAnswer(): void {
    for (const answer of this.#answers) answer.shouldKeepAlive = false;
  }

  /** Returns how many of the bytes belong to the request that is being parsed, or to its head at least. */
  #sizeOfNext(bytes: Buffer): number {
    if (this.#bodyBytes > 0) {
      const size = Math.min(bytes.length, this.#bodyBytes);
      this.#bodyBytes -= size;
      return size;
    }
    const end = endOfBlankLine(this.#tail, bytes);
    this.#tail = end === null ? lastOf(this.#tail, bytes) : NOTHING;
    return end ?? bytes.length;
  }
}

/** Requests that waited begin for so long in each turn of the event loop: it accepts one new connection in each. */
const TURN_MS = 1;

/** The line in which connections wait for their next request to begin, of all that a server has. */
class KeyedQueue {
  readonly #line: (() => void)[] = [];
  #next: Turn = { startedAt: null };

  /** Calls back when it is the caller's turn. */
  await(begin: () => void): void {
    this.#line.push(begin);
    this.#schedule();
  }

  #schedule(): void {
    const turn = this.#next;
    setImmediate(() => this.#run(turn));
  }

  #run(turn: Turn): void {
    const now = performance.now();
    if (turn.startedAt === null) {
      turn.startedAt = now;
      // Node runs what is scheduled from here on in the next turn.
      this.#next = { startedAt: null };
    }
    if (now - turn.startedAt < TURN_MS) this.#line.shift()?.();
    else this.#schedule();
  }
}

interface Turn {
  startedAt: number | null;
}

/** Returns what feeds Node's parser, and keeps the socket's bytes from it. */
function takeParser(socket: Socket): (bytes: Buffer) => void {
  const [parse] = socket.listeners("data");
  if (parse === undefined) throw new Error("Node parses a connection's bytes in another way.");
  // Listeners of `data` take what is read.
  const listener = parse as (bytes: Buffer) => void;
  socket.off("data", listener);
  return listener;
}

/** Returns where the first blank line ends that may have begun in the bytes before; null where there is none. */
function endOfBlankLine(tail: Buffer, bytes: Buffer): number | null {
  if (tail.length > 0) {
    const seam = Buffer.concat([tail, bytes.subarray(0, BLANK_LINE.length - 1)]);
    const start = seam.indexOf(BLANK_LINE);
    if (start !== -1) return start + BLANK_LINE.length - tail.length;
  }
  const start = bytes.indexOf(BLANK_LINE);
  return start === -1 ? null : start + BLANK_LINE.length;
}

function lastOf(tail: Buffer, bytes: Buffer): Buffer {
  const size = BLANK_LINE.length - 1;
  return Buffer.concat([tail, bytes.subarray(-size)]).subarray(-size);
}
