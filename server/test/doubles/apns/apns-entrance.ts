import { once } from "node:events";
import { createSecureServer } from "node:http2";
import type {
  Http2SecureServer,
  IncomingHttpHeaders,
  ServerHttp2Session,
  ServerHttp2Stream,
} from "node:http2";
import { createServer } from "node:net";
import type { Server, Socket } from "node:net";
import { makeCertificate } from "../certificate.ts";
import { LOOPBACK, listen } from "../listen.ts";
import { ApnsConnection } from "./apns-connection.ts";
import type { Goaway } from "./apns-connection.ts";

export interface ApnsEntranceOptions {
  /** Names in the certificate besides the address and localhost. */
  readonly host: string;
  /** False where a connection takes many streams before it saw a good token, as Apple's never does. */
  readonly isCold?: boolean;
  /** How many streams a connection takes once it is trusted. */
  readonly maxConcurrentStreams?: number;
}

/** One request whose header has arrived. */
export interface Entrant {
  readonly connection: ApnsConnection;
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  /** Every header field's name as often as it was sent. */
  readonly fieldNames: readonly string[];
}

/** Until a good token was seen. */
const COLD_STREAMS = 1;
/** As a log of real connections shows (jchambers/pushy, issue 878). */
const TRUSTED_STREAMS = 1_000;
const MAX_HEADER_LIST_BYTES = 8_000;

/** The port with its connections, and all that can happen to them. */
export class ApnsEntrance {
  /** The certificate to trust, PEM. */
  readonly ca: string;
  readonly port: number;
  readonly #front: Server;
  readonly #http2: Http2SecureServer;
  readonly #isCold: boolean;
  readonly #sockets = new Set<Socket>();
  readonly #connections = new Set<ApnsConnection>();
  #streams: number;
  #count = 0;

  /** Opens a free port of the loopback address. */
  static async open(options: ApnsEntranceOptions): Promise<ApnsEntrance> {
    const { key, cert } = makeCertificate([LOOPBACK, "localhost", options.host]);
    const http2 = createSecureServer({ key, cert });
    // HTTP/2 never listens itself: its connections outlive the end of listening, and can be reset below TLS.
    const front = createServer((socket) => http2.emit("connection", socket));
    const port = await listen(front);
    return new ApnsEntrance({ front, http2, port, ca: cert }, options);
  }

  private constructor(
    at: {
      readonly front: Server;
      readonly http2: Http2SecureServer;
      readonly port: number;
      readonly ca: string;
    },
    { isCold = true, maxConcurrentStreams = TRUSTED_STREAMS }: ApnsEntranceOptions,
  ) {
    this.ca = at.ca;
    this.port = at.port;
    this.#front = at.front;
    this.#http2 = at.http2;
    this.#isCold = isCold;
    this.#streams = maxConcurrentStreams;
    this.#announce();
    at.front.on("connection", (socket: Socket) => this.#keep(socket));
  }

  /** Hands every request of every connection over. */
  serve(handler: (entrant: Entrant) => void): void {
    this.#http2.on("session", (session: ServerHttp2Session) => this.#welcome(session, handler));
  }

  /** The connections that are open, in the order in which they were made. */
  get connections(): readonly ApnsConnection[] {
    return [...this.#connections];
  }

  /** How many connections were made so far. */
  get connectionCount(): number {
    return this.#count;
  }

  /** Sends GOAWAY on every open connection; throws where `lastStreamId` denies what one of them processed already. */
  goaway(goaway: Goaway = {}): void {
    for (const connection of this.connections) connection.goaway(goaway);
  }

  /** Cuts every open connection with a TCP reset. */
  reset(): void {
    for (const connection of this.connections) connection.reset();
  }

  /** Announces another number of streams on trusted connections and on those to come; 0 stops all new requests. */
  grantStreams(streams: number): void {
    this.#streams = streams;
    this.#announce();
    for (const connection of this.connections) {
      connection.grant(connection.isTrusted ? streams : this.#initialStreams());
    }
  }

  /** Lets a connection have as many streams as there are to have. */
  trust(connection: ApnsConnection): void {
    connection.trust(this.#streams);
  }

  /** Refuses new connections until `listenAgain`; those that are open stay. */
  stopListening(): void {
    this.#front.close();
  }

  /** Takes connections again, on the same port. */
  async listenAgain(): Promise<void> {
    this.#front.listen(this.port, LOOPBACK);
    await once(this.#front, "listening");
  }

  /** Closes the port and cuts every connection. */
  async close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#front.close(() => resolve());
    for (const socket of this.#sockets) socket.destroy();
    await promise;
  }

  #initialStreams(): number {
    return this.#isCold ? Math.min(COLD_STREAMS, this.#streams) : this.#streams;
  }

  #announce(): void {
    const maxConcurrentStreams = this.#initialStreams();
    this.#http2.updateSettings({ maxConcurrentStreams, maxHeaderListSize: MAX_HEADER_LIST_BYTES });
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
  }

  #welcome(session: ServerHttp2Session, handler: (entrant: Entrant) => void): void {
    const { remotePort } = session.socket;
    const socket = [...this.#sockets].find((candidate) => candidate.remotePort === remotePort);
    if (socket === undefined) {
      session.destroy();
      return;
    }
    this.#count += 1;
    const connection = new ApnsConnection(this.#count, session, socket);
    this.#connections.add(connection);
    session.once("close", () => this.#connections.delete(connection));
    session.on("stream", (stream, headers, _flags, rawHeaders) => {
      stream.on("error", ignore);
      const fieldNames = rawHeaders.filter((_text, index) => index % 2 === 0);
      if (connection.add(stream)) handler({ connection, stream, headers, fieldNames });
    });
  }
}

function ignore(): void {}
