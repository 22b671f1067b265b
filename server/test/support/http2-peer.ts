import { once } from "node:events";
import { createSecureServer, createServer } from "node:http2";
import type {
  Http2SecureServer,
  Http2Server,
  Http2Session,
  IncomingHttpHeaders,
  ServerHttp2Session,
  ServerHttp2Stream,
  Settings,
} from "node:http2";
import { createServer as createTcpServer } from "node:net";
import type { ServerOpts, Socket } from "node:net";
import type { TestContext } from "node:test";
import { createHttp2Client } from "../../src/providers/http2/client.ts";
import type { Http2ClientSettings } from "../../src/providers/http2/client.ts";
import type { Http2Client, Http2Exchange, Http2Request } from "../../src/providers/http2/http2.ts";
import { Arrivals } from "../doubles/arrivals.ts";
import type { Certificate } from "../doubles/certificate.ts";
import { listen } from "../doubles/listen.ts";

/** One request as the server sees it. */
export interface Asked {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly stream: ServerHttp2Stream;
  readonly session: Http2Session;
}

/** A real HTTP/2 server of Node's on the loopback address. */
export interface Http2Peer {
  readonly origin: string;
  readonly server: Http2Server | Http2SecureServer;
  readonly asked: Arrivals<Asked>;
  readonly sessions: Arrivals<ServerHttp2Session>;
  /** Connections that are open now. */
  readonly sockets: ReadonlySet<Socket>;
}

export interface Http2PeerOptions {
  /** The values of the first SETTINGS. */
  readonly settings?: Settings;
  /** Speaks TLS with it. */
  readonly certificate?: Certificate;
}

export type OnAsked = (asked: Asked) => void;

/** Starts a server that gives each request to `onAsked`; it ends with the test. */
export async function startHttp2Peer(
  t: TestContext,
  onAsked: OnAsked,
  { settings = {}, certificate }: Http2PeerOptions = {},
): Promise<Http2Peer> {
  const asked = new Arrivals<Asked>("requests");
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
    const one = { path: headers[":path"] ?? "", headers, stream, session };
    asked.add(one);
    onAsked(one);
  });
  const sockets = trackSockets(server);
  const port = await listen(server);
  t.after(async () => endServer(server, sockets));
  const scheme = certificate === undefined ? "http" : "https";
  return { origin: `${scheme}://127.0.0.1:${port}`, server, asked, sessions, sockets };
}

/** A server that knows nothing of HTTP/2. */
export interface RawPeer {
  readonly origin: string;
  readonly connections: Arrivals<Socket>;
}

export interface Frame {
  readonly type: number;
  readonly flags?: number;
  /** 0, the connection itself, if not given. */
  readonly streamId?: number;
  readonly payload?: Buffer;
}

/** Starts a TCP server that gives each connection to `onSocket`; it ends with the test. */
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

/** Returns one frame (RFC 9113 section 4.1), for servers that say what Node's would not. */
export function frame({ type, flags = 0, streamId = 0, payload = Buffer.alloc(0) }: Frame): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(streamId, 5);
  return Buffer.concat([head, payload]);
}

/** Returns a GOAWAY frame (RFC 9113 section 6.8). */
export function goawayFrame(lastStreamId: number, code: number): Buffer {
  const payload = Buffer.alloc(8);
  payload.writeUInt32BE(lastStreamId, 0);
  payload.writeUInt32BE(code, 4);
  return frame({ type: 7, payload });
}

/** A SETTINGS frame that says nothing (RFC 9113 section 6.5). */
export const EMPTY_SETTINGS = frame({ type: 4 });

/** Returns a client of the origin that ends with the test: one connection, 100 streams, no jitter, a still clock. */
export function clientOf(
  t: TestContext,
  origin: string,
  change: Partial<Http2ClientSettings> = {},
): Http2Client {
  const client = createHttp2Client({
    origin,
    connectionsMax: 1,
    streamsMax: 100,
    elapsed: () => 0,
    random: () => 0,
    ...change,
  });
  t.after(async () => client.close());
  return client;
}

/** Returns a small request that nothing cancels. */
export function requestTo(path: string, change: Partial<Http2Request> = {}): Http2Request {
  return {
    path,
    headers: { "content-type": "application/json" },
    neverIndexed: [],
    body: Buffer.from("{}"),
    signal: new AbortController().signal,
    ...change,
  };
}

/** Makes so many requests at once, to `/0`, `/1` and so on, and returns how they ended. */
export async function askFor(
  client: Http2Client,
  count: number,
): Promise<readonly Http2Exchange[]> {
  const paths = Array.from({ length: count }, (_, index) => `/${index}`);
  return Promise.all(paths.map(async (path) => client.request(requestTo(path))));
}

/** Returns how many requests ended in which way, those unsent by their cause. */
export function kindsOf(exchanges: readonly Http2Exchange[]): Readonly<Record<string, number>> {
  const names = exchanges.map((one) => (one.kind === "unsent" ? one.cause : one.kind));
  const groups = Map.groupBy(names, (name) => name);
  return Object.fromEntries([...groups].map(([name, all]) => [name, all.length]));
}

/** Resolves when the client has seen what the server sent so far, and the server what the client did upon it. */
export async function roundTrip(session: Http2Session | undefined): Promise<void> {
  if (session === undefined) throw new Error("There is no session yet.");
  await new Promise<void>((resolve) => {
    session.ping(() => resolve());
  });
}

/** Answers 200 with the path as the body. */
export function answerOk({ stream, path }: Asked): void {
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
