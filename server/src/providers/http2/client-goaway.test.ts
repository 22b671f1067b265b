import assert from "node:assert/strict";
import { once } from "node:events";
import { constants } from "node:http2";
import type { Socket } from "node:net";
import { test } from "node:test";
import type { TestContext } from "node:test";
import {
  EMPTY_SETTINGS,
  answerOk,
  requestMany,
  clientOf,
  goawayFrame,
  countResults,
  requestTo,
  startHttp2Peer,
  startRawPeer,
} from "../../../test/support/http2-peer.ts";
import type { PeerRequest } from "../../../test/support/http2-peer.ts";
import type { Http2ClientSettings } from "./client.ts";

const { NGHTTP2_INTERNAL_ERROR, NGHTTP2_NO_ERROR, NGHTTP2_REFUSED_STREAM } = constants;
const HELD = 64;
const REASON = Buffer.from(JSON.stringify({ reason: "Shutdown" }));

/**
 * Starts a server whose first connection answers once and then holds 64 requests; later connections answer at once.
 * `processed` lists the requests that it acted on.
 */
async function startHoldingPeer(t: TestContext, change: Partial<Http2ClientSettings> = {}) {
  const processed: string[] = [];
  const held: PeerRequest[] = [];
  const process = (asked: PeerRequest): void => {
    processed.push(asked.path);
    answerOk(asked);
  };
  const peer = await startHttp2Peer(t, (asked) => {
    const isFirst = asked.session === peer.sessions.all[0];
    if (asked.path === "/hold" || (isFirst && asked.path !== "/proof")) held.push(asked);
    else process(asked);
  });
  const client = clientOf(t, peer.origin, change);
  await client.request(requestTo("/proof"));
  const exchanges = requestMany(client, HELD);
  await peer.requests.received(1 + HELD);
  const [session] = peer.sessions.all;
  assert.ok(session !== undefined);
  return { peer, client, processed, held, process, session, exchanges };
}

function idOf(asked: PeerRequest | undefined): number {
  const id = asked?.stream.id;
  assert.ok(id !== undefined);
  return id;
}

test("64 requests in flight survive a GOAWAY that names none of them, each processed once", async (t) => {
  const { peer, processed, session, exchanges } = await startHoldingPeer(t);
  session.goaway(NGHTTP2_NO_ERROR, 1, REASON);
  assert.deepEqual(countResults(await exchanges), { answered: HELD });
  assert.equal(new Set(processed).size, 1 + HELD);
  assert.equal(processed.length, 1 + HELD);
  assert.equal(peer.sessions.all.length, 2);
});

test("64 requests survive a GOAWAY on a connection that has answered nothing yet", async (t) => {
  const peer = await startHttp2Peer(t, answerOk);
  const front = await startRawPeer(t, (socket) => {
    if (front.connections.all.length > 1) peer.server.emit("connection", socket);
    else turnAway(socket);
  });
  assert.deepEqual(countResults(await requestMany(clientOf(t, front.origin), HELD)), {
    answered: HELD,
  });
  assert.equal(front.connections.all.length, 2);
});

/** Waits for the first request: it comes after the preface of the connection. */
function turnAway(socket: Socket, lastStreamId = 0): void {
  socket.once("data", () => {
    socket.write(Buffer.concat([EMPTY_SETTINGS, goawayFrame(lastStreamId, NGHTTP2_NO_ERROR)]));
  });
}

test("an orderly GOAWAY lets the streams up to the last one finish where they are", async (t) => {
  const { peer, processed, held, process, session, client, exchanges } = await startHoldingPeer(t);
  const lastId = idOf(held[9]);
  session.goaway(NGHTTP2_NO_ERROR, lastId, REASON);
  await peer.requests.received(1 + HELD + (HELD - 10));
  const later = client.request(requestTo("/later"));
  for (const asked of held.slice(0, 10)) process(asked);
  assert.deepEqual(countResults(await exchanges), { answered: HELD });
  assert.equal((await later).kind, "answered");
  assert.equal(new Set(processed).size, processed.length);
  assert.equal(processed.length, 2 + HELD);
});

test("a GOAWAY twice over, as on a graceful stop, is taken by its second number", async (t) => {
  const { held, process, session, processed, exchanges } = await startHoldingPeer(t);
  const lastId = idOf(held[9]);
  session.goaway(NGHTTP2_NO_ERROR, 2 ** 31 - 1);
  session.goaway(NGHTTP2_NO_ERROR, lastId);
  for (const asked of held.slice(0, 10)) process(asked);
  assert.deepEqual(countResults(await exchanges), { answered: HELD });
  assert.equal(new Set(processed).size, processed.length);
});

test("a GOAWAY with an error loses the streams up to the last one and resends the others", async (t) => {
  const { processed, held, session, exchanges } = await startHoldingPeer(t);
  session.goaway(NGHTTP2_INTERNAL_ERROR, idOf(held[9]), REASON);
  const ends = await exchanges;
  assert.deepEqual(countResults(ends), { answered: HELD - 10, lost: 10 });
  assert.ok(ends.slice(0, 10).every(({ kind }) => kind === "lost"));
  assert.equal(processed.length, 1 + HELD - 10);
});

test("a request made the moment a GOAWAY is known goes over another connection", async (t) => {
  const { peer, client, session, exchanges } = await startHoldingPeer(t);
  session.goaway(NGHTTP2_NO_ERROR, 1);
  await exchanges;
  const exchange = await client.request(requestTo("/after"));
  assert.equal(exchange.kind, "answered");
  assert.equal(peer.requests.all.at(-1)?.session, peer.sessions.all[1]);
});

test("a refused stream is sent again at most three times, with jitter from the second on", async (t) => {
  let randoms = 0;
  const random = (): number => {
    randoms += 1;
    return 0;
  };
  for (const [refusals, kind] of [
    [3, "answered"],
    [4, "refused"],
  ] as const) {
    randoms = 0;
    let left: number = refusals;
    const peer = await startHttp2Peer(t, (asked) => {
      left -= 1;
      if (left >= 0) asked.stream.close(NGHTTP2_REFUSED_STREAM);
      else answerOk(asked);
    });
    const client = clientOf(t, peer.origin, { random });
    assert.deepEqual(countResults(await requestMany(client, 1)), { [kind]: 1 });
    assert.equal(peer.requests.all.length, 4);
    assert.equal(randoms, 2);
  }
});

test("the jitter is up to a quarter of a second", async (t) => {
  const peer = await startHttp2Peer(t, ({ stream }) => stream.close(NGHTTP2_REFUSED_STREAM));
  const client = clientOf(t, peer.origin, { random: () => 0.4 });
  const begunAt = performance.now();
  assert.deepEqual(countResults(await requestMany(client, 1)), { refused: 1 });
  assert.ok(performance.now() - begunAt >= 2 * 99);
});

test("a request that one connection refused goes over another if there is one", async (t) => {
  const { peer, client, session, held, process, exchanges } = await startHoldingPeer(t, {
    connectionsMax: 2,
    streamsMax: HELD,
  });
  // The first connection is full, so this opens a second one and fills it as far.
  await client.request(requestTo("/other"));
  const more = Array.from({ length: HELD - 1 }, async () => client.request(requestTo("/hold")));
  await peer.requests.received(1 + HELD + 1 + (HELD - 1));
  const [refused] = held.splice(0, 1);
  refused?.stream.close(NGHTTP2_REFUSED_STREAM);
  await peer.requests.received(1 + HELD + 1 + HELD);
  assert.equal(peer.requests.all.at(-1)?.path, refused?.path);
  assert.notEqual(peer.requests.all.at(-1)?.session, session);
  for (const asked of held) process(asked);
  assert.deepEqual(countResults(await exchanges), { answered: HELD });
  assert.deepEqual(countResults(await Promise.all(more)), { answered: HELD - 1 });
});

test("a server that turns every connection away is not connected to again and again", async (t) => {
  const peer = await startRawPeer(t, (socket) => turnAway(socket));
  const client = clientOf(t, peer.origin);
  assert.deepEqual(countResults(await requestMany(client, 10)), { unreachable: 10 });
  assert.deepEqual(countResults(await requestMany(client, 10)), { unreachable: 10 });
  assert.equal(peer.connections.all.length, 2);
});

test("nor is one that turns every connection away and keeps a request on each", async (t) => {
  const peer = await startRawPeer(t, (socket) => turnAway(socket, 1));
  const client = clientOf(t, peer.origin);
  const kept = [client.request(requestTo("/0")), client.request(requestTo("/1"))];
  assert.deepEqual(countResults(await requestMany(client, 8)), { unreachable: 8 });
  await client.close();
  assert.deepEqual(countResults(await Promise.all(kept)), { lost: 2 });
  assert.equal(peer.connections.all.length, 2);
});

test("a stream reset with any other code is lost and not sent again", async (t) => {
  const peer = await startHttp2Peer(t, ({ stream }) => stream.close(NGHTTP2_INTERNAL_ERROR));
  assert.deepEqual(countResults(await requestMany(clientOf(t, peer.origin), 5)), { lost: 5 });
  assert.equal(peer.requests.all.length, 5);
});

test("a connection that is cut loses what is on it, and the next request connects anew", async (t) => {
  const { peer, client, session, held, exchanges } = await startHoldingPeer(t);
  const closed = once(session, "close");
  for (const socket of peer.sockets) socket.resetAndDestroy();
  await closed;
  assert.deepEqual(countResults(await exchanges), { lost: HELD });
  assert.equal(held.length, HELD);
  assert.equal((await client.request(requestTo("/next"))).kind, "answered");
  assert.equal(peer.sessions.all.length, 2);
});
