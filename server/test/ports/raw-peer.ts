import { createSecureServer } from "node:http2";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { createServer } from "node:net";
import type { Socket } from "node:net";
import type { TestContext } from "node:test";
import { buffer } from "node:stream/consumers";
import { makeCertificate } from "../doubles/certificate.ts";
import { LOOPBACK, listen } from "../doubles/listen.ts";
import type { Peer } from "./provider-under-test.ts";

/** One request with all that it said. */
export interface RawRequest {
  readonly path: string;
  readonly authorization: string;
  readonly body: string;
}

/** Starts a server, for either version of HTTP, that does with each request what a test likes. */
export async function startRawPeer(
  test: TestContext,
  serve: (response: Http2ServerResponse, request: RawRequest) => void,
): Promise<Peer> {
  const { key, cert } = makeCertificate([LOOPBACK]);
  const http = createSecureServer({ key, cert, allowHTTP1: true });
  http.on("request", (request: Http2ServerRequest, response: Http2ServerResponse) => {
    // A client that hangs up is what some tests are about.
    response.on("error", ignore);
    // A request that breaks off has nobody to answer to.
    read(request).then((asked) => serve(response, asked), ignore);
  });
  const port = await startListener(test, (socket) => http.emit("connection", socket));
  return { origin: `https://${LOOPBACK}:${port}`, ca: cert };
}

/** Starts what takes connections and gives each to a test instead of answering. */
export async function startDoor(
  test: TestContext,
  onConnection: (socket: Socket) => void,
): Promise<Peer> {
  const { cert } = makeCertificate([LOOPBACK]);
  const port = await startListener(test, onConnection);
  return { origin: `https://${LOOPBACK}:${port}`, ca: cert };
}

/** Returns a server that refuses every connection, because it is gone. */
export async function startNobody(): Promise<Peer> {
  const { cert } = makeCertificate([LOOPBACK]);
  const server = createServer();
  const port = await listen(server);
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  await promise;
  return { origin: `https://${LOOPBACK}:${port}`, ca: cert };
}

async function read(request: Http2ServerRequest): Promise<RawRequest> {
  const { authorization = "" } = request.headers;
  return { path: request.url, authorization, body: (await buffer(request)).toString() };
}

function ignore(): void {}

async function startListener(
  test: TestContext,
  onConnection: (socket: Socket) => void,
): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", ignore);
    socket.on("close", () => sockets.delete(socket));
    onConnection(socket);
  });
  const port = await listen(server);
  test.after(async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    server.close(() => resolve());
    for (const socket of sockets) socket.destroy();
    await promise;
  });
  return port;
}
