import type { IncomingMessage, Server as HttpServer, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** Ends a request's header section, and a chunked body (RFC 9112 sections 2.1 and 7.1). */
const BLANK_LINE = Buffer.from("\r\n\r\n");
const EMPTY_BUFFER: Buffer = Buffer.alloc(0);

/**
 * Serialises the requests that a client pipelines (RFC 9112 section 9.3.2): a connection has only one at a time. Node
 * itself parses and starts everything that arrives in one read, which can be over a thousand requests, and buffers the
 * responses that the client does not read.
 */
export function serialiseRequests(server: HttpServer): void {
  const pipelines = new WeakMap<Duplex, Pipeline>();
  const resumes = new ResumeQueue();
  server.on("connection", (socket) => pipelines.set(socket, new Pipeline(socket, resumes)));
  server.on("request", (request, response) => {
    pipelines.get(request.socket)?.recordStart(request, response);
  });
  // Node detaches its parser from a connection that becomes a tunnel.
  server.on("connect", ({ socket }) => pipelines.get(socket)?.stopParsing());
  server.on("upgrade", ({ socket }) => pipelines.get(socket)?.handOver());
}

/** Passes a connection's bytes to Node's parser, one request at a time. Pending bytes stay in the paused socket. */
class Pipeline {
  readonly #socket: Socket;
  readonly #resumes: ResumeQueue;
  readonly #parse: (bytes: Buffer) => void;
  readonly #responses = new Set<ServerResponse>();
  #lastRequest: IncomingMessage | null = null;
  /** The missing bytes of the last request's body, if its length was declared. */
  #remainingBodyBytes = 0;
  /** The last parsed bytes, because a blank line may arrive in two pieces. */
  #tail = EMPTY_BUFFER;
  #isWaiting = false;
  #isTunnel = false;
  #isHandedOver = false;

  constructor(socket: Socket, resumes: ResumeQueue) {
    this.#socket = socket;
    this.#resumes = resumes;
    this.#parse = detachParser(socket);
    socket.on("data", this.#onData);
    socket.once("end", () => this.#closeAfterResponse());
  }

  /** Records a request that has started. */
  recordStart(request: IncomingMessage, response: ServerResponse): void {
    this.#lastRequest = request;
    this.#remainingBodyBytes = Number(request.headers["content-length"] ?? 0);
    this.#responses.add(response);
    // Fires even if the connection ends before the response.
    response.once("close", () => {
      this.#responses.delete(response);
      this.#resume();
    });
  }

  /** Stops parsing, because the connection has become a tunnel. */
  stopParsing(): void {
    this.#isTunnel = true;
  }

  /** Stops reading the connection, because it has changed its protocol. */
  handOver(): void {
    this.stopParsing();
    this.#isHandedOver = true;
    this.#socket.off("data", this.#onData);
  }

  readonly #onData = (bytes: Buffer): void => {
    let remaining = bytes;
    while (remaining.length > 0 && this.#isOpen()) {
      // Node pauses a socket when nothing reads its request's body.
      if (!this.#mayParseNext() || this.#socket.isPaused()) {
        this.#pause(remaining);
        return;
      }
      const size = this.#takeNextSize(remaining);
      this.#parse(remaining.subarray(0, size));
      remaining = remaining.subarray(size);
    }
    // The other protocol begins with the remaining bytes.
    if (this.#isHandedOver && remaining.length > 0) this.#socket.unshift(remaining);
  };

  /**
   * Returns false once there is nothing more to parse: the connection is closed, ends with a response that has started,
   * is a tunnel, or has changed its protocol.
   */
  #isOpen(): boolean {
    return this.#socket.writable && !this.#isTunnel;
  }

  /** Returns whether every request is answered, or the only unanswered one is still receiving its body. */
  #mayParseNext(): boolean {
    return (
      this.#responses.size === 0 ||
      (this.#responses.size === 1 && this.#lastRequest?.complete === false)
    );
  }

  #pause(remaining: Buffer): void {
    this.#socket.pause();
    this.#socket.unshift(remaining);
    this.#isWaiting = true;
  }

  #resume(): void {
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    this.#resumes.add(() => this.#socket.resume());
  }

  /**
   * Marks the responses as the last ones of the connection, because Node may lose its own mark when it writes the
   * headers.
   */
  #closeAfterResponse(): void {
    for (const response of this.#responses) response.shouldKeepAlive = false;
  }

  /** Returns how many bytes to parse next: the rest of a body of declared length, or those up to a blank line. */
  #takeNextSize(bytes: Buffer): number {
    if (this.#remainingBodyBytes > 0) {
      const size = Math.min(bytes.length, this.#remainingBodyBytes);
      this.#remainingBodyBytes -= size;
      return size;
    }
    const end = findEndOfBlankLine(this.#tail, bytes);
    this.#tail = end === null ? takeTail(this.#tail, bytes) : EMPTY_BUFFER;
    return end ?? bytes.length;
  }
}

/** The time for pending requests per turn of the event loop, which accepts one new connection in each. */
const TURN_BUDGET_MS = 1;

/** The queue of all connections of a server that wait to start their next request. */
class ResumeQueue {
  readonly #queue: (() => void)[] = [];
  #nextTurn: Turn = { startedAt: null };

  /** Calls `resume` when the connection is first in the queue. */
  add(resume: () => void): void {
    this.#queue.push(resume);
    this.#schedule();
  }

  #schedule(): void {
    const turn = this.#nextTurn;
    setImmediate(() => this.#run(turn));
  }

  #run(turn: Turn): void {
    const now = performance.now();
    if (turn.startedAt === null) {
      turn.startedAt = now;
      // Immediates scheduled from here on run in the next turn.
      this.#nextTurn = { startedAt: null };
    }
    if (now - turn.startedAt < TURN_BUDGET_MS) this.#queue.shift()?.();
    else this.#schedule();
  }
}

/** One turn of the event loop, with the time at which its first pending request was started. */
interface Turn {
  startedAt: number | null;
}

/** Returns the function that feeds Node's parser, and detaches the parser from the socket. */
function detachParser(socket: Socket): (bytes: Buffer) => void {
  const [parse] = socket.listeners("data");
  if (parse === undefined) throw new Error("Node does not listen for the bytes of a connection.");
  // Listeners of `data` receive a buffer.
  const listener = parse as (bytes: Buffer) => void;
  socket.off("data", listener);
  return listener;
}

/** Returns the end of the first blank line, which may start in the previous bytes; null if there is none. */
function findEndOfBlankLine(tail: Buffer, bytes: Buffer): number | null {
  if (tail.length > 0) {
    const joined = Buffer.concat([tail, bytes.subarray(0, BLANK_LINE.length - 1)]);
    const start = joined.indexOf(BLANK_LINE);
    if (start !== -1) return start + BLANK_LINE.length - tail.length;
  }
  const start = bytes.indexOf(BLANK_LINE);
  return start === -1 ? null : start + BLANK_LINE.length;
}

/** Returns the last bytes, in which a blank line may have started. */
function takeTail(tail: Buffer, bytes: Buffer): Buffer {
  const size = BLANK_LINE.length - 1;
  return Buffer.concat([tail, bytes.subarray(-size)]).subarray(-size);
}
