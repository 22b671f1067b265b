import { once } from "node:events";
import {
  createSecureServer,
  type Http2SecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import { createServer, type Server, type Socket } from "node:net";
import { generateCertificate } from "../certificate.ts";
import { LOOPBACK, listen } from "../listen.ts";
import { ApnsConnection, type GoawayOptions } from "./apns-connection.ts";

/** The host name of the certificate, and the stream limits of a connection. */
export interface ApnsListenerOptions {
  /** Name in the certificate in addition to the address and localhost. */
  readonly host: string;
  /** If false, a connection allows many streams before its first valid token, which Apple never does. */
  readonly isCold?: boolean;
  /** Stream limit of a trusted connection. */
  readonly maxConcurrentStreams?: number;
}

/** A request whose headers have arrived. */
export interface IncomingRequest {
  readonly connection: ApnsConnection;
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  /** The names of all header fields, with duplicates. */
  readonly fieldNames: readonly string[];
}

/** Stream limit before the first valid token. */
const COLD_STREAMS = 1;
/** Stream limit after the first valid token, from a log of real connections (jchambers/pushy, issue 878). */
const TRUSTED_STREAMS = 1_000;
const HEADER_LIST_MAX_BYTES = 8_000;

/** The service's port and its connections. */
export class ApnsListener {
  /** The certificate to trust, PEM. */
  readonly ca: string;
  readonly port: number;
  readonly #tcpServer: Server;
  readonly #http2: Http2SecureServer;
  readonly #isCold: boolean;
  readonly #sockets = new Set<Socket>();
  readonly #connections = new Set<ApnsConnection>();
  #streamLimit: number;
  #connectionCount = 0;

  /** Opens a free port of the loopback address. */
  static async open(options: ApnsListenerOptions): Promise<ApnsListener> {
    const { key, cert } = generateCertificate([LOOPBACK, "localhost", options.host]);
    const http2 = createSecureServer({ key, cert });
    // The TCP server listens instead of the HTTP/2 server, so that connections survive a closed port and can be reset
    // below TLS.
    const tcpServer = createServer((socket) => http2.emit("connection", socket));
    const port = await listen(tcpServer);
    return new ApnsListener({ tcpServer, http2, port, ca: cert }, options);
  }

  private constructor(
    servers: {
      readonly tcpServer: Server;
      readonly http2: Http2SecureServer;
      readonly port: number;
      readonly ca: string;
    },
    { isCold = true, maxConcurrentStreams = TRUSTED_STREAMS }: ApnsListenerOptions,
  ) {
    this.ca = servers.ca;
    this.port = servers.port;
    this.#tcpServer = servers.tcpServer;
    this.#http2 = servers.http2;
    this.#isCold = isCold;
    this.#streamLimit = maxConcurrentStreams;
    this.#announceLimits();
    servers.tcpServer.on("connection", (socket: Socket) => this.#track(socket));
  }

  /** Passes every request to the handler. */
  serve(handler: (request: IncomingRequest) => void): void {
    this.#http2.on("session", (session: ServerHttp2Session) =>
      this.#acceptSession(session, handler),
    );
  }

  /** The open connections, in the order of connecting. */
  get connections(): readonly ApnsConnection[] {
    return [...this.#connections];
  }

  /** Number of connections so far. */
  get connectionCount(): number {
    return this.#connectionCount;
  }

  /** Sends GOAWAY on every open connection. Throws if `lastStreamId` is below a processed stream of one of them. */
  goaway(options: GoawayOptions = {}): void {
    for (const connection of this.connections) connection.goaway(options);
  }

  /** Cuts every open connection with a TCP reset. */
  reset(): void {
    for (const connection of this.connections) connection.reset();
  }

  /**
   * Announces another stream limit on every connection. Before its first valid token, a connection of a cold service
   * gets at most one stream. 0 stops all new requests.
   */
  setStreamLimit(streams: number): void {
    this.#streamLimit = streams;
    this.#announceLimits();
    for (const connection of this.connections) {
      connection.announceStreamLimit(
        connection.isTrusted ? streams : this.#getInitialStreamLimit(),
      );
    }
  }

  /** Grants a connection the full stream limit. */
  trust(connection: ApnsConnection): void {
    connection.trust(this.#streamLimit);
  }

  /** Refuses new connections until `listenAgain`. Open ones stay. */
  stopListening(): void {
    this.#tcpServer.close();
  }

  /** Accepts connections again on the same port. */
  async listenAgain(): Promise<void> {
    this.#tcpServer.listen(this.port, LOOPBACK);
    await once(this.#tcpServer, "listening");
  }

  /** Closes the port and cuts every connection. */
  async close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#tcpServer.close(() => resolve());
    for (const socket of this.#sockets) socket.destroy();
    await promise;
  }

  /** Returns the stream limit of a connection before its first valid token. */
  #getInitialStreamLimit(): number {
    return this.#isCold ? Math.min(COLD_STREAMS, this.#streamLimit) : this.#streamLimit;
  }

  #announceLimits(): void {
    const maxConcurrentStreams = this.#getInitialStreamLimit();
    this.#http2.updateSettings({ maxConcurrentStreams, maxHeaderListSize: HEADER_LIST_MAX_BYTES });
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
  }

  #acceptSession(session: ServerHttp2Session, handler: (request: IncomingRequest) => void): void {
    // The session has the TLS socket. The TCP socket below it has the same remote port.
    const { remotePort } = session.socket;
    const socket = [...this.#sockets].find((candidate) => candidate.remotePort === remotePort);
    if (socket === undefined) {
      session.destroy();
      return;
    }
    this.#connectionCount += 1;
    const connection = new ApnsConnection(this.#connectionCount, session, socket);
    this.#connections.add(connection);
    session.once("close", () => this.#connections.delete(connection));
    session.on("stream", (stream, headers, _flags, rawHeaders) => {
      stream.on("error", ignore);
      // Names and values alternate.
      const fieldNames = rawHeaders.filter((_text, index) => index % 2 === 0);
      if (connection.addRequest(stream)) handler({ connection, stream, headers, fieldNames });
    });
  }
}

function ignore(): void {}
