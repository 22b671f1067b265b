import assert from "node:assert/strict";
import { once } from "node:events";
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

const QUEUE_MAX = 5_000;

/** Records the largest number of concurrent requests on one session. */
function trackConcurrency() {
  const openStreamCounts = new Map<object, number>();
  const peak = { count: 0 };
  return {
    peak,
    record: ({ session, stream }: PeerRequest): void => {
      const count = (openStreamCounts.get(session) ?? 0) + 1;
      openStreamCounts.set(session, count);
      peak.count = Math.max(peak.count, count);
      stream.once("close", () =>
        openStreamCounts.set(session, (openStreamCounts.get(session) ?? 0) - 1),
      );
    },
  };
}

test("200 concurrent requests over one stream at a time are all answered", async (t) => {
  const { peak, record } = trackConcurrency();
  const peer = await startHttp2Peer(
    t,
    (request) => {
      record(request);
      respondOk(request);
    },
    { settings: { maxConcurrentStreams: 1 } },
  );
  const client = createTestClient(t, peer.origin);
  assert.deepEqual(countResults(await requestMany(client, 200)), { answered: 200 });
  assert.equal(peer.requests.all.length, 200);
  assert.equal(peer.sessions.all.length, 1);
  assert.equal(peak.count, 1);
});

test("the first request opens the only connection", async (t) => {
  const peer = await startHttp2Peer(t, respondOk);
  const client = createTestClient(t, peer.origin);
  assert.equal(peer.sessions.all.length, 0);
  for (const path of ["/first", "/second"]) {
    const exchange = await client.request(createHttp2Request(path));
    assert.equal(exchange.kind === "answered" && exchange.response.body, path);
  }
  assert.equal(peer.sessions.all.length, 1);
});

test("the lower of the server's and the client's stream limits applies", async (t) => {
  for (const [maxConcurrentStreams, streamsMax] of [
    [4, 100],
    [100, 7],
  ] as const) {
    const heldRequests: PeerRequest[] = [];
    const peer = await startHttp2Peer(t, (request) => heldRequests.push(request), {
      settings: { maxConcurrentStreams },
    });
    const limit = Math.min(maxConcurrentStreams, streamsMax);
    const exchanges = requestMany(createTestClient(t, peer.origin, { streamsMax }), 20);
    await peer.requests.waitForCount(limit);
    await waitForRoundTrip(heldRequests[0]?.session);
    assert.equal(peer.requests.all.length, limit);
    while (heldRequests.length > 0) {
      for (const request of heldRequests.splice(0)) respondOk(request);
      await peer.requests.waitForCount(Math.min(20, peer.requests.all.length + 1));
    }
    assert.deepEqual(countResults(await exchanges), { answered: 20 });
  }
});

test("later SETTINGS raise and lower the stream limit", async (t) => {
  const heldRequests: PeerRequest[] = [];
  const peer = await startHttp2Peer(t, (request) => heldRequests.push(request), {
    settings: { maxConcurrentStreams: 2 },
  });
  const exchanges = requestMany(createTestClient(t, peer.origin), 30);
  await peer.requests.waitForCount(2);
  const session = heldRequests[0]?.session;
  session?.settings({ maxConcurrentStreams: 5 });
  await peer.requests.waitForCount(5);
  session?.settings({ maxConcurrentStreams: 1 });
  await waitForRoundTrip(heldRequests[0]?.session);
  const requestsAtHigherLimit = heldRequests.splice(0);
  for (const request of requestsAtHigherLimit.slice(1)) await respondAndWaitForClose(request);
  await waitForRoundTrip(requestsAtHigherLimit[0]?.session);
  assert.equal(peer.requests.all.length, 5);
  for (const request of requestsAtHigherLimit.slice(0, 1)) await respondAndWaitForClose(request);
  await peer.requests.waitForCount(6);
  await waitForRoundTrip(heldRequests[0]?.session);
  assert.equal(peer.requests.all.length, 6);
  session?.settings({ maxConcurrentStreams: 30 });
  await peer.requests.waitForCount(30);
  for (const request of heldRequests) respondOk(request);
  assert.deepEqual(countResults(await exchanges), { answered: 30 });
});

async function respondAndWaitForClose(request: PeerRequest): Promise<void> {
  const closed = once(request.stream, "close");
  respondOk(request);
  await closed;
}

test("requests wait for a server that allows no streams at first", async (t) => {
  const peer = await startHttp2Peer(t, respondOk, { settings: { maxConcurrentStreams: 0 } });
  const exchanges = requestMany(createTestClient(t, peer.origin), 10);
  const session = await peer.sessions.next();
  for (const _ of [1, 2]) {
    await waitForRoundTrip(session);
  }
  assert.equal(peer.requests.all.length, 0);
  session.settings({ maxConcurrentStreams: 10 });
  assert.deepEqual(countResults(await exchanges), { answered: 10 });
  assert.equal(peer.requests.all.length, 10);
});

test("requests wait for a server that allows no streams for a while", async (t) => {
  const peer = await startHttp2Peer(t, respondOk, { settings: { maxConcurrentStreams: 1 } });
  const client = createTestClient(t, peer.origin);
  assert.deepEqual(countResults(await requestMany(client, 1)), { answered: 1 });
  const session = await peer.sessions.next();
  await new Promise<void>((resolve) => {
    session.settings({ maxConcurrentStreams: 0 }, () => resolve());
  });
  const exchanges = requestMany(client, 10);
  await waitForRoundTrip(session);
  assert.equal(peer.requests.all.length, 1);
  session.settings({ maxConcurrentStreams: 10 });
  assert.deepEqual(countResults(await exchanges), { answered: 10 });
});

test("requests beyond the queue limit end immediately", async (t) => {
  // The peer never answers the TLS handshake.
  const peer = await startRawPeer(t, () => {});
  const client = createTestClient(t, peer.origin.replace("http:", "https:"));
  const waitingExchanges = requestMany(client, QUEUE_MAX);
  for (const exchange of await requestMany(client, 3)) {
    assert.equal(exchange.kind === "unprocessed" && exchange.cause, "aborted");
    assert.match(
      exchange.kind === "unprocessed" ? exchange.error.message : "",
      /Too many requests wait/u,
    );
  }
  await client.close();
  assert.equal((await waitingExchanges).length, QUEUE_MAX);
});

test("requests keep their headers, and secret ones are never indexed", async (t) => {
  const peer = await startHttp2Peer(t, respondOk);
  const client = createTestClient(t, peer.origin);
  const headers = { authorization: "bearer secret", "apns-topic": "org.example.app" };
  const neverIndexed = ["authorization", ":path"];
  await client.request(createHttp2Request("/3/device/ab", { headers, neverIndexed }));
  const { headers: received } = await peer.requests.next();
  assert.equal(received[":method"], "POST");
  assert.equal(received[":path"], "/3/device/ab");
  assert.equal(received[":scheme"], "http");
  assert.equal(received[":authority"], new URL(peer.origin).host);
  assert.equal(received["authorization"], "bearer secret");
  assert.equal(received["apns-topic"], "org.example.app");
  assert.equal(received["content-length"], "2");
  assert.deepEqual(listNeverIndexed(received).toSorted(), [":path", "authorization"]);
});

function listNeverIndexed(headers: object): readonly string[] {
  const [symbol] = Object.getOwnPropertySymbols(headers);
  const names: unknown = symbol === undefined ? [] : Reflect.get(headers, symbol);
  return Array.isArray(names) ? names.map(String) : [];
}
