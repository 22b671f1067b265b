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

test("a second connection is opened once the first has responded and is full", async (t) => {
  const heldRequests: PeerRequest[] = [];
  let isHolding = true;
  const peer = await startHttp2Peer(
    t,
    (request) => {
      if (request.path === "/0" || !isHolding) answerOk(request);
      else heldRequests.push(request);
    },
    { settings: { maxConcurrentStreams: 4 } },
  );
  const client = clientOf(t, peer.origin, { connectionsMax: 2 });
  const exchanges = requestMany(client, 40);
  // /0 proves the first connection. The second one uses one stream until its SETTINGS arrive.
  await peer.sessions.received(2);
  await peer.requests.received(1 + 4 + 4);
  assert.equal(new Set(heldRequests.map(({ session }) => session)).size, 2);
  isHolding = false;
  for (const request of heldRequests.splice(0)) answerOk(request);
  assert.deepEqual(countResults(await exchanges), { answered: 40 });
  isHolding = true;
  const moreExchanges = ["/a", "/b", "/c", "/d"].map(async (path) =>
    client.request(requestTo(path)),
  );
  await peer.requests.received(40 + 4);
  const shares = Map.groupBy(heldRequests, ({ session }) => session);
  assert.deepEqual(
    [...shares.values()].map(({ length }) => length),
    [2, 2],
  );
  for (const request of heldRequests) answerOk(request);
  assert.deepEqual(countResults(await Promise.all(moreExchanges)), { answered: 4 });
  assert.equal(peer.sessions.all.length, 2);
});

test("requests keep waiting for the first connection if the second fails", async (t) => {
  const heldRequests: PeerRequest[] = [];
  let isHolding = true;
  const peer = await startHttp2Peer(
    t,
    (request) => {
      if (request.path === "/0" || !isHolding) answerOk(request);
      else heldRequests.push(request);
    },
    { settings: { maxConcurrentStreams: 2 } },
  );
  const front = await startRawPeer(t, (socket) => {
    if (front.connections.all.length === 1) peer.server.emit("connection", socket);
    else socket.resetAndDestroy();
  });
  const exchanges = requestMany(clientOf(t, front.origin, { connectionsMax: 2 }), 10);
  await front.connections.received(2);
  await roundTrip(heldRequests[0]?.session);
  await roundTrip(heldRequests[0]?.session);
  isHolding = false;
  for (const request of heldRequests) answerOk(request);
  // One request may have gone to the connection that failed.
  const { answered = 0 } = countResults(await exchanges);
  assert.ok(answered >= 9);
  assert.equal(front.connections.all.length, 2);
});

test("no second connection is opened while the first is unproven or has free streams", async (t) => {
  const heldRequests: PeerRequest[] = [];
  const peer = await startHttp2Peer(t, (request) => heldRequests.push(request), {
    settings: { maxConcurrentStreams: 4 },
  });
  const client = clientOf(t, peer.origin, { connectionsMax: 2 });
  const unproven = requestMany(client, 10);
  await peer.requests.received(4);
  await roundTrip(heldRequests[0]?.session);
  assert.equal(peer.sessions.all.length, 1);
  const idlePeer = await startHttp2Peer(t, answerOk, { settings: { maxConcurrentStreams: 4 } });
  const idleClient = clientOf(t, idlePeer.origin, { connectionsMax: 2 });
  assert.deepEqual(countResults(await requestMany(idleClient, 1)), { answered: 1 });
  assert.deepEqual(countResults(await requestMany(idleClient, 4)), { answered: 4 });
  assert.equal(idlePeer.sessions.all.length, 1);
  await client.close();
  assert.deepEqual(countResults(await unproven), { lost: 4, "given up": 6 });
});

test("draining connections count towards the limit of open connections", async (t) => {
  const heldRequests: PeerRequest[] = [];
  const peer = await startHttp2Peer(t, (request) => {
    if (request.path === "/held") heldRequests.push(request);
    else answerOk(request);
  });
  const client = clientOf(t, peer.origin);
  const heldExchanges = [];
  for (let count = 1; count <= 4; count += 1) {
    const exchange = await client.request(requestTo("/"));
    heldExchanges.push(client.request(requestTo("/held")));
    await peer.requests.received(count * 2);
    if (exchange.kind === "answered") exchange.connection.retire();
  }
  const fifth = client.request(requestTo("/"));
  await roundTrip(heldRequests[0]?.session);
  assert.equal(peer.sessions.all.length, 4);
  for (const request of heldRequests) answerOk(request);
  assert.equal((await fifth).kind, "answered");
  assert.deepEqual(countResults(await Promise.all(heldExchanges)), { answered: 4 });
  assert.equal(peer.sessions.all.length, 5);
});
