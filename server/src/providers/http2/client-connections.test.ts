import assert from "node:assert/strict";
import { test } from "node:test";
import {
  answerOk,
  requestMany,
  clientOf,
  countResults,
  requestTo,
  roundTrip,
  startHttp2Peer,
  startRawPeer,
} from "../../../test/support/http2-peer.ts";
import type { PeerRequest } from "../../../test/support/http2-peer.ts";

test("a second connection is opened once the first has answered and is full, and both share", async (t) => {
  const held: PeerRequest[] = [];
  let isHolding = true;
  const peer = await startHttp2Peer(
    t,
    (asked) => {
      if (asked.path === "/0" || !isHolding) answerOk(asked);
      else held.push(asked);
    },
    { settings: { maxConcurrentStreams: 4 } },
  );
  const client = clientOf(t, peer.origin, { connectionsMax: 2 });
  const exchanges = requestMany(client, 40);
  // /0 proves the first connection. The second takes one stream until it has answered.
  await peer.sessions.received(2);
  await peer.requests.received(1 + 4 + 4);
  assert.equal(new Set(held.map(({ session }) => session)).size, 2);
  isHolding = false;
  for (const asked of held.splice(0)) answerOk(asked);
  assert.deepEqual(countResults(await exchanges), { answered: 40 });
  isHolding = true;
  const more = ["/a", "/b", "/c", "/d"].map(async (path) => client.request(requestTo(path)));
  await peer.requests.received(40 + 4);
  const shares = Map.groupBy(held, ({ session }) => session);
  assert.deepEqual(
    [...shares.values()].map(({ length }) => length),
    [2, 2],
  );
  for (const asked of held) answerOk(asked);
  assert.deepEqual(countResults(await Promise.all(more)), { answered: 4 });
  assert.equal(peer.sessions.all.length, 2);
});

test("requests go on waiting for the first connection if the second fails", async (t) => {
  const held: PeerRequest[] = [];
  let isHolding = true;
  const peer = await startHttp2Peer(
    t,
    (asked) => {
      if (asked.path === "/0" || !isHolding) answerOk(asked);
      else held.push(asked);
    },
    { settings: { maxConcurrentStreams: 2 } },
  );
  const front = await startRawPeer(t, (socket) => {
    if (front.connections.all.length === 1) peer.server.emit("connection", socket);
    else socket.resetAndDestroy();
  });
  const exchanges = requestMany(clientOf(t, front.origin, { connectionsMax: 2 }), 10);
  await front.connections.received(2);
  await roundTrip(held[0]?.session);
  await roundTrip(held[0]?.session);
  isHolding = false;
  for (const asked of held) answerOk(asked);
  // One request may have gone to the connection that failed.
  const { answered = 0 } = countResults(await exchanges);
  assert.ok(answered >= 9);
  assert.equal(front.connections.all.length, 2);
});

test("no second connection is opened while the first has answered nothing, or has room", async (t) => {
  const held: PeerRequest[] = [];
  const peer = await startHttp2Peer(t, (asked) => held.push(asked), {
    settings: { maxConcurrentStreams: 4 },
  });
  const client = clientOf(t, peer.origin, { connectionsMax: 2 });
  const unproven = requestMany(client, 10);
  await peer.requests.received(4);
  await roundTrip(held[0]?.session);
  assert.equal(peer.sessions.all.length, 1);
  const roomy = await startHttp2Peer(t, answerOk, { settings: { maxConcurrentStreams: 4 } });
  const other = clientOf(t, roomy.origin, { connectionsMax: 2 });
  assert.deepEqual(countResults(await requestMany(other, 1)), { answered: 1 });
  assert.deepEqual(countResults(await requestMany(other, 4)), { answered: 4 });
  assert.equal(roomy.sessions.all.length, 1);
  await client.close();
  assert.deepEqual(countResults(await unproven), { lost: 4, "given up": 6 });
});

test("connections that drain are counted, so that a server cannot make us open any number", async (t) => {
  const held: PeerRequest[] = [];
  const peer = await startHttp2Peer(t, (asked) => {
    if (asked.path === "/held") held.push(asked);
    else answerOk(asked);
  });
  const client = clientOf(t, peer.origin);
  const holds = [];
  for (let count = 1; count <= 4; count += 1) {
    const exchange = await client.request(requestTo("/"));
    holds.push(client.request(requestTo("/held")));
    await peer.requests.received(count * 2);
    if (exchange.kind === "answered") exchange.connection.retire();
  }
  const fifth = client.request(requestTo("/"));
  await roundTrip(held[0]?.session);
  assert.equal(peer.sessions.all.length, 4);
  for (const asked of held) answerOk(asked);
  assert.equal((await fifth).kind, "answered");
  assert.deepEqual(countResults(await Promise.all(holds)), { answered: 4 });
  assert.equal(peer.sessions.all.length, 5);
});
