import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from "node:http2";
import { createServer, type Server, type Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { once } from "node:events";
import { generateCertificate } from "../certificate.ts";
import { LOOPBACK, listen } from "../listen.ts";
import { ConnectionLog, type ConnectionReport } from "./connection-log.ts";
import { Exchange, NGHTTP2_NO_ERROR, NGHTTP2_PROTOCOL_ERROR } from "./exchange.ts";
import { readBody } from "../read-body.ts";

/** The names, limits and request handler of a front end. */
export interface GoogleFrontEndOptions {
  /** Host names in the certificate, in addition to the loopback address. */
  readonly names: readonly string[];
  readonly maxConcurrentStreams: number;
  /** If false, the limit is not announced but still applies. */
  readonly announcesLimit: boolean;
  readonly serve: (exchange: Exchange) => Promise<void>;
}

/** A TLS server for HTTP/2 and HTTP/1.1 on the loopback address that counts streams and can simulate faults. */
export class GoogleFrontEnd {
  readonly port: number;
  /** The certificate to trust, PEM. */
  readonly ca: string;
  /** Client errors for which Google would end the connection. */
  readonly violations: string[] = [];
  readonly #options: GoogleFrontEndOptions;
  readonly #server: Http2SecureServer;
  readonly #logs: ConnectionLog[] = [];
  /** Open connections by the client's port, which a TLS socket and the TCP socket below it share. */
  readonly #openConnections = new Map<number | undefined, ConnectionLog>();
  #listener: Server;

  /** Starts the server on a free port. */
  static async start(options: GoogleFrontEndOptions): Promise<GoogleFrontEnd> {
    const { key, cert } = generateCertificate([LOOPBACK, "localhost", ...options.names]);
    const { announcesLimit, maxConcurrentStreams } = options;
    const settings = announcesLimit ? { maxConcurrentStreams } : {};
    const server = createSecureServer({ key, cert, allowHTTP1: true, settings });
    const listener = createServer();
    const port = await listen(listener);
    return new GoogleFrontEnd({ server, listener, port, ca: cert }, options);
  }

  private constructor(
    servers: {
      readonly server: Http2SecureServer;
      readonly listener: Server;
      readonly port: number;
      readonly ca: string;
    },
    options: GoogleFrontEndOptions,
  ) {
    this.port = servers.port;
    this.ca = servers.ca;
    this.#options = options;
    this.#server = servers.server;
    this.#listener = servers.listener;
    this.#listener.on("connection", (socket) => this.#accept(socket));
    servers.server.on("secureConnection", (socket: TLSSocket) => this.#recordProtocol(socket));
    servers.server.on("session", (session) => this.#startSession(session));
    servers.server.on("request", (request, response) => {
      void this.#handle(request, response);
    });
  }

  /** Every connection so far, in order, including those that never used HTTP. */
  get connections(): readonly ConnectionReport[] {
    return this.#logs;
  }

  /** Sends GOAWAY to every HTTP/2 client and finishes pending requests (RFC 9113 section 6.8). */
  goaway(): void {
    for (const { session } of this.#openConnections.values()) {
      if (session?.destroyed === false) session.goaway(NGHTTP2_NO_ERROR);
    }
  }

  /** Resets every connection. */
  cutConnections(): void {
    for (const log of this.#openConnections.values()) log.reset();
  }

  /** Refuses new connections. Open ones stay. */
  refuseConnections(): void {
    this.#listener.close();
  }

  /** Accepts connections again on the same port. */
  async acceptConnections(): Promise<void> {
    if (this.#listener.listening) return;
    this.#listener = createServer((socket) => this.#accept(socket));
    this.#listener.listen(this.port, LOOPBACK);
    await once(this.#listener, "listening");
  }

  /** Stops the server and aborts pending requests. */
  async close(): Promise<void> {
    const listenerClosed = this.#listener.listening ? once(this.#listener, "close") : null;
    this.#listener.close();
    await Promise.all([...this.#openConnections.values()].map(async (log) => log.close()));
    await listenerClosed;
  }

  #accept(socket: Socket): void {
    const { remotePort } = socket;
    const log = new ConnectionLog(socket);
    this.#logs.push(log);
    this.#openConnections.set(remotePort, log);
    socket.on("close", () => this.#openConnections.delete(remotePort));
    this.#server.emit("connection", socket);
  }

  #recordProtocol({ alpnProtocol, remotePort }: TLSSocket): void {
    const log = this.#openConnections.get(remotePort);
    if (log !== undefined) log.protocol = alpnProtocol === "h2" ? "h2" : "http/1.1";
  }

  #startSession(session: ServerHttp2Session): void {
    const log = this.#openConnections.get(session.socket.remotePort);
    if (log !== undefined) log.session = session;
    session.on("error", (error: NodeJS.ErrnoException) => {
      // nghttp2 enforces the announced limit once the client has acknowledged it.
      if (error.code === "ERR_HTTP2_ERROR") this.violations.push(error.message);
    });
  }

  async #handle(request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> {
    const connection = this.#openConnections.get(request.socket.remotePort);
    if (connection === undefined) return;
    connection.begin(response, request.url);
    response.on("close", () => connection.end(response));
    if (connection.concurrentCount > this.#options.maxConcurrentStreams) {
      this.violations.push(`${connection.concurrentCount} concurrent streams`);
      // The reason of Google's front end (firebase/firebase-admin-node issue 2943).
      const reason = Buffer.from("exceeded_max_concurrent_streams");
      connection.session?.goaway(NGHTTP2_PROTOCOL_ERROR, 0, reason);
      return;
    }
    // A client may disconnect while its request is being read.
    const body = await readBody(request).catch(() => null);
    if (body === null) response.destroy();
    else await this.#options.serve(new Exchange(request, response, { body, connection }));
  }
}
