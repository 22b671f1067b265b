import { once } from "node:events";
import {
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type Settings,
} from "node:http2";
import { createServer as createTcpServer, type ServerOpts, type Socket } from "node:net";
import type { TestContext } from "node:test";
import { createHttp2Client, type Http2ClientDeps } from "../../src/providers/http2/client.ts";
import type { Http2Client, Http2Exchange, Http2Request } from "../../src/providers/http2/http2.ts";
import { Arrivals } from "../doubles/arrivals.ts";
import type { Certificate } from "../doubles/certificate.ts";
import { listen } from "../doubles/listen.ts";

/** A request as the server receives it. */
export interface PeerRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly stream: ServerHttp2Stream;
  readonly session: Http2Session;
}

/** Node's HTTP/2 server on the loopback address. */
export interface Http2Peer {
  readonly origin: string;
  readonly server: Http2Server | Http2SecureServer;
  readonly requests: Arrivals<PeerRequest>;
  readonly sessions: Arrivals<ServerHttp2Session>;
  /** Open connections. */
  readonly sockets: ReadonlySet<Socket>;
}

/** Options of `startHttp2Peer`. */
export interface Http2PeerOptions {
  /** The values of the first SETTINGS. */
  readonly settings?: Settings;
  /** The certificate for TLS; without it, the server uses no TLS. */
  readonly certificate?: Certificate;
}

/** Handles a request, usually by responding. */
export type OnRequest = (request: PeerRequest) => void;

/** Starts a server that passes each request to `onRequest`. It ends with the test. */
export async function startHttp2Peer(
  t: TestContext,
  onRequest: OnRequest,
  { settings = {}, certificate }: Http2PeerOptions = {},
): Promise<Http2Peer> {
  const requests = new Arrivals<PeerRequest>("requests");
  const sessions = new Arrivals<ServerHttp2Session>("sessions");
  const server =
    certificate === undefined
      ? createServer({ settings })
      : createSecureServer({ settings, key: certificate.key, cert: certificate.cert });
  server.on("session", (session) => {
    session.on("error", () => {});
    sessions.add(session);
  });
  server.on("stream", (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    stream.on("error", () => {});
    const { session } = stream;
    if (session === undefined) return;
    const request = { path: headers[":path"] ?? "", headers, stream, session };
    requests.add(request);
    onRequest(request);
  });
  const sockets = trackSockets(server);
  const port = await listen(server);
  t.after(async () => endServer(server, sockets));
  const scheme = certificate === undefined ? "http" : "https";
  return { origin: `${scheme}://127.0.0.1:${port}`, server, requests, sessions, sockets };
}

/** A TCP server without HTTP/2. */
export interface RawPeer {
  readonly origin: string;
  readonly connections: Arrivals<Socket>;
}

/** The parts of an HTTP/2 frame (RFC 9113 section 4.1). */
export interface Frame {
  readonly type: number;
  readonly flags?: number;
  /** 0, the connection itself, by default. */
  readonly streamId?: number;
  readonly payload?: Buffer;
}

/** Starts a TCP server that passes each connection to `onSocket`. It ends with the test. */
export async function startRawPeer(
  t: TestContext,
  onSocket: (socket: Socket) => void,
  options: ServerOpts = {},
): Promise<RawPeer> {
  const connections = new Arrivals<Socket>("connections");
  const server = createTcpServer(options, (socket) => {
    socket.on("error", () => {});
    connections.add(socket);
    onSocket(socket);
  });
  const sockets = trackSockets(server);
  const port = await listen(server);
  t.after(async () => endServer(server, sockets));
  return { origin: `http://127.0.0.1:${port}`, connections };
}

const FRAME_HEADER_BYTES = 9;
/** Frame types of RFC 9113 section 6. */
const SETTINGS_TYPE = 4;
const GOAWAY_TYPE = 7;

/** Encodes a frame, for frames that Node's server would not send. */
export function encodeFrame({
  type,
  flags = 0,
  streamId = 0,
  payload = Buffer.alloc(0),
}: Frame): Buffer {
  const header = Buffer.alloc(FRAME_HEADER_BYTES);
  header.writeUIntBE(payload.length, 0, 3);
  header.writeUInt8(type, 3);
  header.writeUInt8(flags, 4);
  header.writeUInt32BE(streamId, 5);
  return Buffer.concat([header, payload]);
}

/** Encodes a GOAWAY frame (RFC 9113 section 6.8). */
export function encodeGoawayFrame(lastStreamId: number, code: number): Buffer {
  const payload = Buffer.alloc(8);
  payload.writeUInt32BE(lastStreamId, 0);
  payload.writeUInt32BE(code, 4);
  return encodeFrame({ type: GOAWAY_TYPE, payload });
}

/** A SETTINGS frame without settings (RFC 9113 section 6.5). */
export const EMPTY_SETTINGS = encodeFrame({ type: SETTINGS_TYPE });

/** Creates a client that ends with the test: one connection, 100 streams, no jitter, a stopped clock. */
export function createTestClient(
  t: TestContext,
  origin: string,
  overrides: Partial<Http2ClientDeps> = {},
): Http2Client {
  const client = createHttp2Client({
    origin,
    connectionsMax: 1,
    streamsMax: 100,
    elapsed: () => 0,
    random: () => 0,
    ...overrides,
  });
  t.after(async () => client.close());
  return client;
}

/** Returns a small request that is never cancelled. */
export function createHttp2Request(
  path: string,
  overrides: Partial<Http2Request> = {},
): Http2Request {
  return {
    path,
    headers: { "content-type": "application/json" },
    neverIndexed: [],
    body: Buffer.from("{}"),
    signal: new AbortController().signal,
    ...overrides,
  };
}

/** Makes `count` concurrent requests to `/0`, `/1` and so on, and returns their results. */
export async function requestMany(
  client: Http2Client,
  count: number,
): Promise<readonly Http2Exchange[]> {
  const paths = Array.from({ length: count }, (_, index) => `/${index}`);
  return Promise.all(paths.map(async (path) => client.request(createHttp2Request(path))));
}

/** Counts requests by result; unprocessed requests count by their cause. */
export function countResults(
  exchanges: readonly Http2Exchange[],
): Readonly<Record<string, number>> {
  const names = exchanges.map((exchange) =>
    exchange.kind === "unprocessed" ? exchange.cause : exchange.kind,
  );
  const groups = Map.groupBy(names, (name) => name);
  return Object.fromEntries([...groups].map(([name, all]) => [name, all.length]));
}

/** Resolves when the client has received everything sent so far, and the server has received the client's reaction. */
export async function waitForRoundTrip(session: Http2Session | undefined): Promise<void> {
  if (session === undefined) throw new Error("There is no session yet.");
  await new Promise<void>((resolve) => {
    session.ping(() => resolve());
  });
}

/** Responds 200 with the path as the body. */
export function respondOk({ stream, path }: PeerRequest): void {
  stream.respond({ ":status": 200 });
  stream.end(path);
}

type AnyServer = ReturnType<typeof createTcpServer> | Http2Server | Http2SecureServer;

function trackSockets(server: AnyServer): Set<Socket> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  return sockets;
}

async function endServer(server: AnyServer, sockets: ReadonlySet<Socket>): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, "close");
  server.close();
  for (const socket of sockets) socket.destroy();
  await closed;
}
