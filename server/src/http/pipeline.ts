import type { IncomingMessage, Server as HttpServer, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** Ends a request's header section, and a chunked body (RFC 9112 sections 2.1 and 7.1). */
const BLANK_LINE = Buffer.from("\r\n\r\n");
const EMPTY: Buffer = Buffer.alloc(0);

/**
 * Serialises the requests that a client pipelines (RFC 9112 section 9.3.2): a connection has only one at a time.
 * Node itself parses and starts everything that arrives in one read, which can be over a thousand requests, and
 * buffers the responses that the client does not read.
 */
export function serialiseRequests(server: HttpServer): void {
  const pipelines = new WeakMap<Duplex, Pipeline>();
  const resumes = new ResumeQueue();
  server.on("connection", (socket) => pipelines.set(socket, new Pipeline(socket, resumes)));
  server.on("request", (request, response) => {
    pipelines.get(request.socket)?.begin(request, response);
  });
  // Node detaches its parser from a connection that becomes a tunnel.
  server.on("connect", ({ socket }) => pipelines.get(socket)?.detach());
}

/** Passes a connection's bytes to Node's parser, one request at a time. Pending bytes stay in the paused socket. */
class Pipeline {
  readonly #socket: Socket;
  readonly #resumes: ResumeQueue;
  readonly #parse: (bytes: Buffer) => void;
  readonly #responses = new Set<ServerResponse>();
  #last: IncomingMessage | null = null;
  /** Missing bytes of the last request's body, if its length was declared. */
  #bodyBytes = 0;
  /** The last parsed bytes, because a blank line may arrive in two pieces. */
  #tail = EMPTY;
  #isWaiting = false;
  #isTunnel = false;

  constructor(socket: Socket, resumes: ResumeQueue) {
    this.#socket = socket;
    this.#resumes = resumes;
    this.#parse = detachParser(socket);
    socket.on("data", this.#onData);
    socket.once("end", () => this.#closeAfterResponse());
  }

  /** Records a request that has started. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    this.#last = request;
    this.#bodyBytes = Number(request.headers["content-length"] ?? 0);
    this.#responses.add(response);
    // Fires even if the connection ends before the response.
    response.once("close", () => {
      this.#responses.delete(response);
      this.#resume();
    });
  }

  /** Stops parsing. */
  detach(): void {
    this.#isTunnel = true;
  }

  readonly #onData = (bytes: Buffer): void => {
    let rest = bytes;
    while (rest.length > 0 && this.#isOpen()) {
      // Node pauses a socket when nothing reads its request's body.
      if (!this.#isFree() || this.#socket.isPaused()) {
        this.#pause(rest);
        return;
      }
      const size = this.#nextSize(rest);
      this.#parse(rest.subarray(0, size));
      rest = rest.subarray(size);
    }
  };

  /**
   * False once there is nothing more to parse: the connection is closed, ends with a response that has started, or
   * is a tunnel.
   */
  #isOpen(): boolean {
    return this.#socket.writable && !this.#isTunnel;
  }

  /** True if every request is answered, or the only unanswered one is still receiving its body. */
  #isFree(): boolean {
    return (
      this.#responses.size === 0 || (this.#responses.size === 1 && this.#last?.complete === false)
    );
  }

  #pause(rest: Buffer): void {
    this.#socket.pause();
    this.#socket.unshift(rest);
    this.#isWaiting = true;
  }

  #resume(): void {
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    this.#resumes.enter(() => this.#socket.resume());
  }

  /** Node marks the last response as the end of the connection, but may lose that mark when it writes the headers. */
  #closeAfterResponse(): void {
    for (const response of this.#responses) response.shouldKeepAlive = false;
  }

  /** Returns how many of the bytes belong to the current request, or at least to its headers. */
  #nextSize(bytes: Buffer): number {
    if (this.#bodyBytes > 0) {
      const size = Math.min(bytes.length, this.#bodyBytes);
      this.#bodyBytes -= size;
      return size;
    }
    const end = endOfBlankLine(this.#tail, bytes);
    this.#tail = end === null ? keepTail(this.#tail, bytes) : EMPTY;
    return end ?? bytes.length;
  }
}

/** The time for pending requests in each turn of the event loop, which accepts one new connection per turn. */
const TURN_MS = 1;

/** The queue of all connections of a server that wait to start their next request. */
class ResumeQueue {
  readonly #queue: (() => void)[] = [];
  #next: Turn = { startedAt: null };

  /** Calls `resume` when the connection is first in the queue. */
  enter(resume: () => void): void {
    this.#queue.push(resume);
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
      // Immediates scheduled from here on run in the next turn.
      this.#next = { startedAt: null };
    }
    if (now - turn.startedAt < TURN_MS) this.#queue.shift()?.();
    else this.#schedule();
  }
}

interface Turn {
  startedAt: number | null;
}

/** Returns the function that feeds Node's parser, and detaches the parser from the socket. */
function detachParser(socket: Socket): (bytes: Buffer) => void {
  const [parse] = socket.listeners("data");
  if (parse === undefined) throw new Error("Node parses a connection's bytes in another way.");
  // Listeners of `data` receive a buffer.
  const listener = parse as (bytes: Buffer) => void;
  socket.off("data", listener);
  return listener;
}

/** Returns the end of the first blank line, which may start in the previous bytes; null if there is none. */
function endOfBlankLine(tail: Buffer, bytes: Buffer): number | null {
  if (tail.length > 0) {
    const seam = Buffer.concat([tail, bytes.subarray(0, BLANK_LINE.length - 1)]);
    const start = seam.indexOf(BLANK_LINE);
    if (start !== -1) return start + BLANK_LINE.length - tail.length;
  }
  const start = bytes.indexOf(BLANK_LINE);
  return start === -1 ? null : start + BLANK_LINE.length;
}

function keepTail(tail: Buffer, bytes: Buffer): Buffer {
  const size = BLANK_LINE.length - 1;
  return Buffer.concat([tail, bytes.subarray(-size)]).subarray(-size);
}
