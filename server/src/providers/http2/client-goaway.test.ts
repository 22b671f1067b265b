import assert from "node:assert/strict";
import { once } from "node:events";
import { constants } from "node:http2";
import type { Socket } from "node:net";
import { test, type TestContext } from "node:test";
import {
  EMPTY_SETTINGS,
  respondOk,
  requestMany,
  createTestClient,
  encodeGoawayFrame,
  countResults,
  createHttp2Request,
  startHttp2Peer,
  startRawPeer,
  type PeerRequest,
} from "../../../test/support/http2-peer.ts";
import type { Http2ClientDeps } from "./client.ts";

const { NGHTTP2_INTERNAL_ERROR, NGHTTP2_NO_ERROR, NGHTTP2_REFUSED_STREAM } = constants;
const HELD_COUNT = 64;
/** The number of held requests that a GOAWAY lets the connection finish, or loses if it has an error code. */
const KEPT_COUNT = 10;
/** The last stream of the first GOAWAY of a graceful shutdown (RFC 9113 section 6.8). */
const STREAM_ID_MAX = 2 ** 31 - 1;
const REASON = Buffer.from(JSON.stringify({ reason: "Shutdown" }));

/**
 * Starts a server whose first connection answers once and then holds 64 requests. Later connections answer all
 * requests but `/hold` immediately. `processed` lists the paths of the answered requests.
 */
async function startHoldingPeer(t: TestContext, overrides: Partial<Http2ClientDeps> = {}) {
  const processed: string[] = [];
  const heldRequests: PeerRequest[] = [];
  const processRequest = (request: PeerRequest): void => {
    processed.push(request.path);
    respondOk(request);
  };
  const peer = await startHttp2Peer(t, (request) => {
    const isFirst = request.session === peer.sessions.all[0];
    if (request.path === "/hold" || (isFirst && request.path !== "/proof"))
      heldRequests.push(request);
    else processRequest(request);
  });
  const client = createTestClient(t, peer.origin, overrides);
  await client.request(createHttp2Request("/proof"));
  const exchanges = requestMany(client, HELD_COUNT);
  await peer.requests.waitForCount(1 + HELD_COUNT);
  const [session] = peer.sessions.all;
  assert.ok(session !== undefined);
  return { peer, client, processed, heldRequests, processRequest, session, exchanges };
}

function getStreamId(request: PeerRequest | undefined): number {
  const id = request?.stream.id;
  assert.ok(id !== undefined);
  return id;
}

test("64 requests in flight survive a GOAWAY and are processed once each", async (t) => {
  const { peer, processed, session, exchanges } = await startHoldingPeer(t);
  session.goaway(NGHTTP2_NO_ERROR, 1, REASON);
  assert.deepEqual(countResults(await exchanges), { answered: HELD_COUNT });
  assert.equal(new Set(processed).size, 1 + HELD_COUNT);
  assert.equal(processed.length, 1 + HELD_COUNT);
  assert.equal(peer.sessions.all.length, 2);
});

test("64 requests survive a GOAWAY on a connection without a response", async (t) => {
  const peer = await startHttp2Peer(t, respondOk);
  const rawPeer = await startRawPeer(t, (socket) => {
    if (rawPeer.connections.all.length > 1) peer.server.emit("connection", socket);
    else closeEarly(socket);
  });
  assert.deepEqual(
    countResults(await requestMany(createTestClient(t, rawPeer.origin), HELD_COUNT)),
    {
      answered: HELD_COUNT,
    },
  );
  assert.equal(rawPeer.connections.all.length, 2);
});

/** Sends a GOAWAY when the first bytes of the connection arrive. */
function closeEarly(socket: Socket, lastStreamId = 0): void {
  socket.once("data", () => {
    socket.write(
      Buffer.concat([EMPTY_SETTINGS, encodeGoawayFrame(lastStreamId, NGHTTP2_NO_ERROR)]),
    );
  });
}

test("streams up to the last one of an orderly GOAWAY finish on their connection", async (t) => {
  const { peer, processed, heldRequests, processRequest, session, client, exchanges } =
    await startHoldingPeer(t);
  const lastStreamId = getStreamId(heldRequests[KEPT_COUNT - 1]);
  session.goaway(NGHTTP2_NO_ERROR, lastStreamId, REASON);
  await peer.requests.waitForCount(1 + HELD_COUNT + (HELD_COUNT - KEPT_COUNT));
  const laterExchange = client.request(createHttp2Request("/later"));
  for (const request of heldRequests.slice(0, KEPT_COUNT)) processRequest(request);
  assert.deepEqual(countResults(await exchanges), { answered: HELD_COUNT });
  assert.equal((await laterExchange).kind, "answered");
  assert.equal(new Set(processed).size, processed.length);
  assert.equal(processed.length, 2 + HELD_COUNT);
});

test("the second GOAWAY of a graceful shutdown decides the last stream", async (t) => {
  const { heldRequests, processRequest, session, processed, exchanges } = await startHoldingPeer(t);
  const lastStreamId = getStreamId(heldRequests[KEPT_COUNT - 1]);
  session.goaway(NGHTTP2_NO_ERROR, STREAM_ID_MAX);
  session.goaway(NGHTTP2_NO_ERROR, lastStreamId);
  for (const request of heldRequests.slice(0, KEPT_COUNT)) processRequest(request);
  assert.deepEqual(countResults(await exchanges), { answered: HELD_COUNT });
  assert.equal(new Set(processed).size, processed.length);
});

test("a GOAWAY with an error loses the streams up to the last one and resends the others", async (t) => {
  const { processed, heldRequests, session, exchanges } = await startHoldingPeer(t);
  session.goaway(NGHTTP2_INTERNAL_ERROR, getStreamId(heldRequests[KEPT_COUNT - 1]), REASON);
  const results = await exchanges;
  assert.deepEqual(countResults(results), { answered: HELD_COUNT - KEPT_COUNT, lost: KEPT_COUNT });
  assert.ok(results.slice(0, KEPT_COUNT).every(({ kind }) => kind === "lost"));
  assert.equal(processed.length, 1 + HELD_COUNT - KEPT_COUNT);
});

test("a request after a GOAWAY uses another connection", async (t) => {
  const { peer, client, session, exchanges } = await startHoldingPeer(t);
  session.goaway(NGHTTP2_NO_ERROR, 1);
  await exchanges;
  const exchange = await client.request(createHttp2Request("/after"));
  assert.equal(exchange.kind, "answered");
  assert.equal(peer.requests.all.at(-1)?.session, peer.sessions.all[1]);
});

test("a refused request is resent at most three times, the first time without jitter", async (t) => {
  let randomCalls = 0;
  const random = (): number => {
    randomCalls += 1;
    return 0;
  };
  for (const [refusals, kind] of [
    [3, "answered"],
    [4, "refused"],
  ] as const) {
    randomCalls = 0;
    let remainingRefusals: number = refusals;
    const peer = await startHttp2Peer(t, (request) => {
      remainingRefusals -= 1;
      if (remainingRefusals >= 0) request.stream.close(NGHTTP2_REFUSED_STREAM);
      else respondOk(request);
    });
    const client = createTestClient(t, peer.origin, { random });
    assert.deepEqual(countResults(await requestMany(client, 1)), { [kind]: 1 });
    assert.equal(peer.requests.all.length, 4);
    assert.equal(randomCalls, 2);
  }
});

test("each later resend waits for a random part of a quarter of a second", async (t) => {
  const peer = await startHttp2Peer(t, ({ stream }) => stream.close(NGHTTP2_REFUSED_STREAM));
  const client = createTestClient(t, peer.origin, { random: () => 0.4 });
  const startedAt = performance.now();
  assert.deepEqual(countResults(await requestMany(client, 1)), { refused: 1 });
  // The second and the third resend each wait for 100 ms. A timer may fire a millisecond early.
  assert.ok(performance.now() - startedAt >= 2 * 99);
});

test("a request that one connection refused is resent on another one", async (t) => {
  const { peer, client, session, heldRequests, processRequest, exchanges } = await startHoldingPeer(
    t,
    {
      connectionsMax: 2,
      streamsMax: HELD_COUNT,
    },
  );
  // The first connection is full, so this opens a second one. The next requests fill it.
  await client.request(createHttp2Request("/other"));
  const moreExchanges = Array.from({ length: HELD_COUNT - 1 }, async () =>
    client.request(createHttp2Request("/hold")),
  );
  await peer.requests.waitForCount(1 + HELD_COUNT + 1 + (HELD_COUNT - 1));
  const [refused] = heldRequests.splice(0, 1);
  refused?.stream.close(NGHTTP2_REFUSED_STREAM);
  await peer.requests.waitForCount(1 + HELD_COUNT + 1 + HELD_COUNT);
  assert.equal(peer.requests.all.at(-1)?.path, refused?.path);
  assert.notEqual(peer.requests.all.at(-1)?.session, session);
  for (const request of heldRequests) processRequest(request);
  assert.deepEqual(countResults(await exchanges), { answered: HELD_COUNT });
  assert.deepEqual(countResults(await Promise.all(moreExchanges)), { answered: HELD_COUNT - 1 });
});

test("a server that closes every connection early causes a backoff", async (t) => {
  const peer = await startRawPeer(t, (socket) => closeEarly(socket));
  const client = createTestClient(t, peer.origin);
  assert.deepEqual(countResults(await requestMany(client, 10)), { unreachable: 10 });
  assert.deepEqual(countResults(await requestMany(client, 10)), { unreachable: 10 });
  assert.equal(peer.connections.all.length, 2);
});

test("a server that closes early but keeps a request causes a backoff", async (t) => {
  const peer = await startRawPeer(t, (socket) => closeEarly(socket, 1));
  const client = createTestClient(t, peer.origin);
  const heldExchanges = [
    client.request(createHttp2Request("/0")),
    client.request(createHttp2Request("/1")),
  ];
  assert.deepEqual(countResults(await requestMany(client, 8)), { unreachable: 8 });
  await client.close();
  assert.deepEqual(countResults(await Promise.all(heldExchanges)), { lost: 2 });
  assert.equal(peer.connections.all.length, 2);
});

test("a request whose stream is reset with another code is lost and not resent", async (t) => {
  const peer = await startHttp2Peer(t, ({ stream }) => stream.close(NGHTTP2_INTERNAL_ERROR));
  assert.deepEqual(countResults(await requestMany(createTestClient(t, peer.origin), 5)), {
    lost: 5,
  });
  assert.equal(peer.requests.all.length, 5);
});

test("a broken connection loses its requests, and the next request reconnects", async (t) => {
  const { peer, client, session, heldRequests, exchanges } = await startHoldingPeer(t);
  const closed = once(session, "close");
  for (const socket of peer.sockets) socket.resetAndDestroy();
  await closed;
  assert.deepEqual(countResults(await exchanges), { lost: HELD_COUNT });
  assert.equal(heldRequests.length, HELD_COUNT);
  assert.equal((await client.request(createHttp2Request("/next"))).kind, "answered");
  assert.equal(peer.sessions.all.length, 2);
});
