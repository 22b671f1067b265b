import assert from "node:assert/strict";
import { test } from "node:test";
import {
  respondOk,
  requestMany,
  createTestClient,
  countResults,
  createHttp2Request,
  waitForRoundTrip,
  startHttp2Peer,
  startRawPeer,
  type PeerRequest,
} from "../../../test/support/http2-peer.ts";

test("a second connection opens once the first has responded and is full, and both share later requests", async (t) => {
  const heldRequests: PeerRequest[] = [];
  let shouldHold = true;
  const peer = await startHttp2Peer(
    t,
    (request) => {
      if (request.path === "/0" || !shouldHold) respondOk(request);
      else heldRequests.push(request);
    },
    { settings: { maxConcurrentStreams: 4 } },
  );
  const client = createTestClient(t, peer.origin, { connectionsMax: 2 });
  const exchanges = requestMany(client, 40);
  // /0 proves the first connection. The second one uses one stream until its SETTINGS arrive.
  await peer.sessions.waitForCount(2);
  await peer.requests.waitForCount(1 + 4 + 4);
  assert.equal(new Set(heldRequests.map(({ session }) => session)).size, 2);
  shouldHold = false;
  for (const request of heldRequests.splice(0)) respondOk(request);
  assert.deepEqual(countResults(await exchanges), { answered: 40 });
  shouldHold = true;
  const moreExchanges = ["/a", "/b", "/c", "/d"].map(async (path) =>
    client.request(createHttp2Request(path)),
  );
  await peer.requests.waitForCount(40 + 4);
  const requestsBySession = Map.groupBy(heldRequests, ({ session }) => session);
  assert.deepEqual(
    [...requestsBySession.values()].map(({ length }) => length),
    [2, 2],
  );
  for (const request of heldRequests) respondOk(request);
  assert.deepEqual(countResults(await Promise.all(moreExchanges)), { answered: 4 });
  assert.equal(peer.sessions.all.length, 2);
});

test("requests keep waiting for the first connection if the second fails", async (t) => {
  const heldRequests: PeerRequest[] = [];
  let shouldHold = true;
  const peer = await startHttp2Peer(
    t,
    (request) => {
      if (request.path === "/0" || !shouldHold) respondOk(request);
      else heldRequests.push(request);
    },
    { settings: { maxConcurrentStreams: 2 } },
  );
  const rawPeer = await startRawPeer(t, (socket) => {
    if (rawPeer.connections.all.length === 1) peer.server.emit("connection", socket);
    else socket.resetAndDestroy();
  });
  const exchanges = requestMany(createTestClient(t, rawPeer.origin, { connectionsMax: 2 }), 10);
  await rawPeer.connections.waitForCount(2);
  await waitForRoundTrip(heldRequests[0]?.session);
  await waitForRoundTrip(heldRequests[0]?.session);
  shouldHold = false;
  for (const request of heldRequests) respondOk(request);
  // One request may have gone to the connection that failed.
  const { answered = 0 } = countResults(await exchanges);
  assert.ok(answered >= 9);
  assert.equal(rawPeer.connections.all.length, 2);
});

test("no second connection is opened while the first is unproven or has free streams", async (t) => {
  const heldRequests: PeerRequest[] = [];
  const peer = await startHttp2Peer(t, (request) => heldRequests.push(request), {
    settings: { maxConcurrentStreams: 4 },
  });
  const client = createTestClient(t, peer.origin, { connectionsMax: 2 });
  const unprovenExchanges = requestMany(client, 10);
  await peer.requests.waitForCount(4);
  await waitForRoundTrip(heldRequests[0]?.session);
  assert.equal(peer.sessions.all.length, 1);
  const idlePeer = await startHttp2Peer(t, respondOk, { settings: { maxConcurrentStreams: 4 } });
  const idleClient = createTestClient(t, idlePeer.origin, { connectionsMax: 2 });
  assert.deepEqual(countResults(await requestMany(idleClient, 1)), { answered: 1 });
  assert.deepEqual(countResults(await requestMany(idleClient, 4)), { answered: 4 });
  assert.equal(idlePeer.sessions.all.length, 1);
  await client.close();
  assert.deepEqual(countResults(await unprovenExchanges), { lost: 4, aborted: 6 });
});

test("draining connections count towards the limit of open connections", async (t) => {
  const heldRequests: PeerRequest[] = [];
  const peer = await startHttp2Peer(t, (request) => {
    if (request.path === "/held") heldRequests.push(request);
    else respondOk(request);
  });
  // The limit of open connections is four times that of usable ones, which is one.
  const client = createTestClient(t, peer.origin);
  const heldExchanges = [];
  for (let count = 1; count <= 4; count += 1) {
    const exchange = await client.request(createHttp2Request("/"));
    heldExchanges.push(client.request(createHttp2Request("/held")));
    await peer.requests.waitForCount(count * 2);
    if (exchange.kind === "answered") exchange.connection.retire();
  }
  const fifthExchange = client.request(createHttp2Request("/"));
  await waitForRoundTrip(heldRequests[0]?.session);
  assert.equal(peer.sessions.all.length, 4);
  for (const request of heldRequests) respondOk(request);
  assert.equal((await fifthExchange).kind, "answered");
  assert.deepEqual(countResults(await Promise.all(heldExchanges)), { answered: 4 });
  assert.equal(peer.sessions.all.length, 5);
});
