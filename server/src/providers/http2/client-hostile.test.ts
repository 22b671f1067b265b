import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { constants } from "node:http2";
import type { Socket } from "node:net";
import { after, test, type TestContext } from "node:test";
import {
  EMPTY_SETTINGS,
  respondOk,
  requestMany,
  createTestClient,
  encodeFrame,
  encodeGoawayFrame,
  createHttp2Request,
  startHttp2Peer,
  startRawPeer,
  type PeerRequest,
} from "../../../test/support/http2-peer.ts";
import { FRAME_FLAG, FRAME_TYPE } from "./wire/codes.ts";

/** The field `:status: 200` of the static table (RFC 7541 appendix A). */
const STATUS_200 = Buffer.of(0x88);

const uncaughtErrors: unknown[] = [];
process.on("uncaughtException", (error) => uncaughtErrors.push(error));
process.on("unhandledRejection", (error) => uncaughtErrors.push(error));
after(() => assert.deepEqual(uncaughtErrors, []));

/** Sends ten requests to a server that repeats the same bytes endlessly, and checks that none is answered. */
async function assertNoneAnswered(t: TestContext, bytes: Buffer): Promise<void> {
  const peer = await startRawPeer(t, (socket) => {
    socket.write(EMPTY_SETTINGS);
    writeEndlessly(socket, bytes);
  });
  const client = createTestClient(t, peer.origin, { requestTimeoutMs: 1_000 });
  const exchanges = await requestMany(client, 10);
  assert.ok(exchanges.every(({ kind }) => kind !== "answered"));
  await client.close();
}

function writeEndlessly(socket: Socket, bytes: Buffer): void {
  const write = (): void => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on("drain", write);
  write();
}

test("bytes that are not HTTP/2 end every request", async (t) => {
  for (const text of ["HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n", "\0\0\0\0", ""]) {
    const peer = await startRawPeer(t, (socket) => socket.end(text));
    const exchanges = await requestMany(createTestClient(t, peer.origin), 10);
    assert.ok(exchanges.every(({ kind }) => kind !== "answered"));
    assert.ok(exchanges.filter(({ kind }) => kind === "lost").length <= 1);
    assert.equal(peer.connections.all.length, 1);
  }
});

test("a flood of SETTINGS ends every request", async (t) => {
  await assertNoneAnswered(t, Buffer.concat(Array.from({ length: 500 }, () => EMPTY_SETTINGS)));
});

test("a flood of PINGs ends every request", async (t) => {
  const ping = encodeFrame({ type: FRAME_TYPE.ping, payload: Buffer.alloc(8) });
  await assertNoneAnswered(t, Buffer.concat(Array.from({ length: 500 }, () => ping)));
});

test("a flood of GOAWAYs ends every request", async (t) => {
  const goawayFrames = Array.from({ length: 500 }, () =>
    encodeGoawayFrame(0, constants.NGHTTP2_NO_ERROR),
  );
  await assertNoneAnswered(t, Buffer.concat(goawayFrames));
});

test("frames of unopened streams end every request", async (t) => {
  const headers = encodeFrame({
    type: FRAME_TYPE.headers,
    flags: FRAME_FLAG.endHeaders,
    streamId: 99,
    payload: STATUS_200,
  });
  await assertNoneAnswered(t, headers);
});

test("endless headers end every request", async (t) => {
  const headers = encodeFrame({ type: FRAME_TYPE.headers, streamId: 1, payload: STATUS_200 });
  const continuation = encodeFrame({
    type: FRAME_TYPE.continuation,
    streamId: 1,
    payload: encodeLiteralField("x-filler", "y".repeat(8_000)),
  });
  const peer = await startRawPeer(t, (socket) => {
    socket.write(EMPTY_SETTINGS);
    socket.once("data", () => {
      socket.write(headers);
      writeEndlessly(socket, continuation);
    });
  });
  const exchanges = await requestMany(
    createTestClient(t, peer.origin, { requestTimeoutMs: 2_000 }),
    3,
  );
  assert.ok(exchanges.every(({ kind }) => kind !== "answered"));
});

/**
 * Returns a header field that is never indexed (RFC 7541 section 6.2.3). The name must have fewer than 127 bytes, the
 * value at least 127, so that its length needs more than one byte (RFC 7541 section 5.1).
 */
function encodeLiteralField(name: string, value: string): Buffer {
  const lengthBytes: number[] = [0x7f];
  let remaining = value.length - 0x7f;
  for (; remaining >= 0x80; remaining = Math.floor(remaining / 0x80))
    lengthBytes.push((remaining % 0x80) | 0x80);
  lengthBytes.push(remaining);
  const parts = [Buffer.of(0x10, name.length), Buffer.from(name), Buffer.from(lengthBytes)];
  return Buffer.concat([...parts, Buffer.from(value)]);
}

test("a response with headers that are too large fails only its own request", async (t) => {
  const peer = await startHttp2Peer(t, (request) => {
    if (request.path === "/small") respondOk(request);
    else request.stream.respond({ ":status": 200, "x-filler": "y".repeat(60_000) });
  });
  const client = createTestClient(t, peer.origin, { requestTimeoutMs: 2_000 });
  await client.request(createHttp2Request("/small"));
  assert.equal((await client.request(createHttp2Request("/large"))).kind, "lost");
  assert.equal((await client.request(createHttp2Request("/small"))).kind, "answered");
});

test("endless interim responses end with the request timeout", async (t) => {
  const peer = await startHttp2Peer(t, ({ stream }) => {
    const sendInterim = (): void => {
      if (stream.destroyed) return;
      stream.additionalHeaders({ ":status": 103 });
      setImmediate(sendInterim);
    };
    sendInterim();
  });
  const client = createTestClient(t, peer.origin, { requestTimeoutMs: 200 });
  const [exchange] = await requestMany(client, 1);
  assert.equal(exchange?.kind, "lost");
});

test("a server that refuses every stream gets each request four times", async (t) => {
  const peer = await startHttp2Peer(t, ({ stream }) => {
    stream.close(constants.NGHTTP2_REFUSED_STREAM);
  });
  const exchanges = await requestMany(createTestClient(t, peer.origin), 200);
  assert.ok(
    exchanges.every((exchange) => exchange.kind === "unprocessed" && exchange.cause === "refused"),
  );
  assert.equal(peer.requests.all.length, 4 * 200);
});

test("2,000 requests that end in different ways leave no resources open", async (t) => {
  const heldRequests = new Set<PeerRequest>();
  const getKind = (path: string): number => Number(path.slice(1)) % 7;
  const peer = await startHttp2Peer(t, (request) => {
    const kind = getKind(request.path);
    if (kind === 0) request.stream.close(constants.NGHTTP2_REFUSED_STREAM);
    else if (kind === 1) request.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    else if (kind === 2) heldRequests.add(request);
    else respondOk(request);
  });
  const client = createTestClient(t, peer.origin, { connectionsMax: 2 });
  const { signal } = new AbortController();
  const paths = Array.from({ length: 2_000 }, (_, index) => `/${index}`);
  const exchangePromises = paths.map(async (path) =>
    client.request(createHttp2Request(path, { signal })),
  );
  const timer = setInterval(() => {
    for (const request of heldRequests) respondOk(request);
    heldRequests.clear();
  }, 5);
  const exchanges = await Promise.all(exchangePromises);
  clearInterval(timer);
  const answeredCount = exchanges.filter(({ kind }) => kind === "answered").length;
  assert.equal(answeredCount, paths.filter((path) => getKind(path) > 1).length);
  const socketClosures = [...peer.sockets].map(
    async (socket) => new Promise((resolve) => socket.once("close", resolve)),
  );
  await client.close();
  await Promise.all(socketClosures);
  assert.equal(peer.sockets.size, 0);
  assert.equal(getEventListeners(signal, "abort").length, 0);
  assert.ok(peer.sessions.all.length <= 2);
});
