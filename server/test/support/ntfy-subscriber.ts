import { once } from "node:events";
import { get, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import type { TestContext } from "node:test";
import { WebSocket } from "ws";
import { registerDialects } from "#dialects/register.ts";
import { AppError } from "#errors.ts";
import type { Server } from "#http/server.ts";
import { createRoomContext, startTestServer } from "./context.ts";
import { APP_PASSWORD, MemoryApps } from "./memory-apps.ts";

const WRONG_KEYS_MAX = 30;

/** The API key of the server. */
export const API_KEY = "0f8a2c1e-5b7d-4c3e-9a1b-2c3d4e5f6a7b";

/** Returns the header of an app that signs in with its password, as ntfy's apps do. */
export function basic(password = APP_PASSWORD): Readonly<Record<string, string>> {
  return { authorization: `Basic ${Buffer.from(`ann:${password}`).toString("base64")}` };
}

/** Starts a server that speaks only ntfy, and whose only app has its mailbox in memory. */
export async function startNtfyServer(t: TestContext) {
  const context = await createRoomContext(t);
  const apps = new MemoryApps();
  const wrongKeyAddresses: string[] = [];
  let server: Server | null = null;
  const deps = {
    dialects: ["ntfy"],
    context,
    appSignIn: apps,
    appStreams: apps,
    baseUrl: "https://push.example.org",
    rateLimit: { take: () => {} },
    findAppOwner: async () => ({ email: "ann@example.org", sentTodayCount: 3 }),
    findSender: async (key: string) => (key === API_KEY ? {} : null),
    async countWrongKey(ip: string) {
      wrongKeyAddresses.push(ip);
      if (wrongKeyAddresses.length > WRONG_KEYS_MAX)
        throw new AppError("rate_limited", "Too many.");
    },
  };
  const url = await startTestServer(t, context, (startedServer) => {
    server = startedServer;
    // One of our own paths, which tells a balancer that the server is ready.
    startedServer.get("/readyz", async () => ({ isReady: true }));
    // Routes of apps use no other dependencies.
    registerDialects(startedServer, deps as unknown as Parameters<typeof registerDialects>[1]);
  });
  const close = async () => {
    await server?.close();
  };
  /** Resolves with the server's number of connections. */
  const countConnections = () =>
    new Promise<number>((resolve) => {
      server?.server.getConnections((_error, count) => resolve(count));
    });
  return { context, apps, url, close, countConnections, wrongKeyAddresses };
}

/** An open response. */
export interface OpenedStream {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly response: IncomingMessage;
  /** Resolves when the connection has ended, with whether the body was complete. */
  readonly ended: Promise<boolean>;
  /** Reads until the text has arrived, and resolves with everything so far. */
  readonly readUntil: (expected: string) => Promise<string>;
}

/** Opens a stream over HTTP. The connection ends with the test. */
export async function openStream(
  t: TestContext,
  url: string,
  headers: Readonly<Record<string, string>> = basic(),
): Promise<OpenedStream> {
  const request = get(url, { headers, agent: false });
  request.on("error", () => {});
  t.after(() => request.destroy());
  // The event's only argument is the response.
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.on("error", () => {});
  const ended = new Promise<boolean>((resolve) => {
    response.once("close", () => resolve(response.complete));
  });
  let text = "";
  return {
    status: response.statusCode,
    headers: response.headers,
    response,
    ended,
    async readUntil(expected) {
      const onData = (bytes: Buffer) => (text += bytes.toString());
      response.on("data", onData);
      while (!text.includes(expected)) {
        if (response.closed) throw new Error(`The stream closed without “${expected}”: ${text}`);
        await Promise.race([once(response, "data"), ended]);
      }
      response.off("data", onData);
      return text;
    },
  };
}

/** A WebSocket, and the texts and pings that it received. */
export interface OpenedWebSocket {
  readonly webSocket: WebSocket;
  /** Resolves with the next text. */
  readonly next: () => Promise<string>;
  readonly pings: readonly string[];
  /** Resolves when the connection has ended, with its status code (RFC 6455 section 7.1.5). */
  readonly ended: Promise<number>;
}

/** Opens a WebSocket. It ends with the test. Rejects if the server refuses it, with the status in the message. */
export async function openWebSocket(
  t: TestContext,
  url: string,
  headers: Readonly<Record<string, string>> = basic(),
): Promise<OpenedWebSocket> {
  const webSocket = new WebSocket(url.replace("http", "ws"), { headers });
  t.after(() => webSocket.terminate());
  const texts: string[] = [];
  const pings: string[] = [];
  webSocket.on("message", (bytes: Buffer) => texts.push(bytes.toString()));
  webSocket.on("ping", (bytes: Buffer) => pings.push(bytes.toString()));
  const ended = new Promise<number>((resolve) => webSocket.once("close", resolve));
  await once(webSocket, "open");
  webSocket.on("error", () => {});
  return {
    webSocket,
    pings,
    ended,
    async next() {
      while (texts.length === 0) {
        if (webSocket.readyState !== WebSocket.OPEN) throw new Error("The WebSocket has ended.");
        await Promise.race([once(webSocket, "message"), ended]);
      }
      return texts.shift() ?? "";
    },
  };
}

/** A request that a test aborts. */
export interface BrokenRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Sends a request until the signal aborts it, and resolves once its connection is closed. */
export async function sendUntil(
  url: string,
  { path, headers, signal }: BrokenRequest,
): Promise<void> {
  const request = get(`${url}${path}`, { headers, signal, agent: false });
  request.on("error", () => {});
  await new Promise((resolve) => request.once("close", resolve));
}

/** Opens a stream, or a WebSocket for a path that ends in `/ws`, and reads none of its bytes. */
export async function openPaused(t: TestContext, url: string): Promise<Socket> {
  const { hostname, port, pathname, search } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on("error", () => {});
  t.after(() => socket.destroy());
  const upgrade = pathname.endsWith("/ws")
    ? "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    : "";
  const { authorization } = basic();
  socket.pause();
  socket.write(
    `GET ${pathname}${search} HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\n${upgrade}\r\n`,
  );
  return socket;
}
