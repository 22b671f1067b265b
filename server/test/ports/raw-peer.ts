import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import { createServer, type Socket } from "node:net";
import type { TestContext } from "node:test";
import { buffer } from "node:stream/consumers";
import { generateCertificate } from "../doubles/certificate.ts";
import { LOOPBACK, listen } from "../doubles/listen.ts";
import type { Peer } from "./provider-under-test.ts";

/** A complete request. */
export interface RawRequest {
  readonly path: string;
  readonly authorization: string;
  readonly body: string;
}

/** Starts a TLS server for HTTP/1.1 and HTTP/2 that passes each request to `serve`. It ends with the test. */
export async function startHttpsPeer(
  test: TestContext,
  serve: (response: Http2ServerResponse, request: RawRequest) => void,
): Promise<Peer> {
  const { key, cert } = generateCertificate([LOOPBACK]);
  const http = createSecureServer({ key, cert, allowHTTP1: true });
  http.on("request", (request: Http2ServerRequest, response: Http2ServerResponse) => {
    // Some tests abort requests.
    response.on("error", ignore);
    // An aborted request needs no response.
    readRequest(request).then((rawRequest) => serve(response, rawRequest), ignore);
  });
  const port = await startListener(test, (socket) => http.emit("connection", socket));
  return { origin: `https://${LOOPBACK}:${port}`, ca: cert };
}

/** Starts a TCP server that passes each connection to a function and never responds. It ends with the test. */
export async function startSocketPeer(
  test: TestContext,
  onConnection: (socket: Socket) => void,
): Promise<Peer> {
  const { cert } = generateCertificate([LOOPBACK]);
  const port = await startListener(test, onConnection);
  return { origin: `https://${LOOPBACK}:${port}`, ca: cert };
}

/** Returns the address of a closed server, which refuses every connection. */
export async function createRefusingPeer(): Promise<Peer> {
  const { cert } = generateCertificate([LOOPBACK]);
  const server = createServer();
  const port = await listen(server);
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  await promise;
  return { origin: `https://${LOOPBACK}:${port}`, ca: cert };
}

async function readRequest(request: Http2ServerRequest): Promise<RawRequest> {
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
