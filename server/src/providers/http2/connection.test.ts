import assert from "node:assert/strict";
import { once } from "node:events";
import { constants } from "node:http2";
import { connect, type Socket } from "node:net";
import { test, type TestContext } from "node:test";
import { Arrivals } from "../../../test/doubles/arrivals.ts";
import {
  respondOk,
  createTestClient,
  encodeFrame,
  createHttp2Request,
  startHttp2Peer,
  startRawPeer,
  type PeerRequest,
  type Http2Peer,
  type OnRequest,
} from "../../../test/support/http2-peer.ts";
import type { Http2Client, Http2Connection } from "./http2.ts";
import { FRAME_TYPE } from "./wire/codes.ts";
import { startStealFreeTimer } from "../../../test/support/steal-time.ts";

/** Starts a server behind a router that can forget its flows: packets on them are dropped without a reset. */
async function startPeerBehindRouter(t: TestContext, onRequest: OnRequest) {
  const peer = await startHttp2Peer(t, onRequest);
  const flows: Socket[] = [];
  const router = await startRawPeer(t, (socket) => {
    const upstream = connect(Number(new URL(peer.origin).port), "127.0.0.1");
    upstream.on("error", () => {});
    socket.pipe(upstream).pipe(socket);
    flows.push(socket, upstream);
  });
  const dropFlows = (): void => {
    for (const flow of flows.splice(0)) flow.unpipe().pause();
  };
  return { origin: router.origin, router, peer, dropFlows };
}

async function requestAndGetConnection(
  client: Http2Client,
  path: string,
): Promise<Http2Connection> {
  const exchange = await client.request(createHttp2Request(path));
  return exchange.kind === "answered" ? exchange.connection : assert.fail(exchange.kind);
}

async function watchPings({ sessions }: Http2Peer): Promise<Arrivals<unknown>> {
  const pings = new Arrivals<unknown>("pings");
  const session = await sessions.next();
  session.on("ping", (payload) => pings.add(payload));
  return pings;
}

test("a silent connection with a request is closed if its ping is not answered", async (t) => {
  const { origin, router, dropFlows } = await startPeerBehindRouter(t, respondOk);
  const client = createTestClient(t, origin, { readIdleTimeoutMs: 40, pingTimeoutMs: 40 });
  await requestAndGetConnection(client, "/proof");
  dropFlows();
  assert.equal((await client.request(createHttp2Request("/lost"))).kind, "lost");
  await requestAndGetConnection(client, "/next");
  assert.equal(router.connections.all.length, 2);
});

test("a connection with an unanswered ping gets no new request", async (t) => {
  const { origin, router, dropFlows } = await startPeerBehindRouter(t, respondOk);
  const client = createTestClient(t, origin, {
    readIdleTimeoutMs: 20,
    pingTimeoutMs: 60_000,
    streamsMax: 2,
  });
  await requestAndGetConnection(client, "/proof");
  dropFlows();
  const controllers = [new AbortController(), new AbortController(), new AbortController()];
  const requests = controllers.map(async ({ signal }) =>
    client.request(createHttp2Request("/", { signal })),
  );
  // The third request waits until the full connection becomes suspect, and then gets a new one.
  assert.equal((await requests[2])?.kind, "answered");
  assert.equal(router.connections.all.length, 2);
  for (const controller of controllers) controller.abort();
  const kinds = (await Promise.all(requests)).map(({ kind }) => kind);
  assert.deepEqual(kinds, ["lost", "lost", "answered"]);
});

test("a cancelled request does not hide a dead connection", async (t) => {
  const { origin, router, dropFlows } = await startPeerBehindRouter(t, respondOk);
  const client = createTestClient(t, origin, { readIdleTimeoutMs: 40, pingTimeoutMs: 40 });
  await requestAndGetConnection(client, "/proof");
  dropFlows();
  const { socket } = await runUntilClosed(router.connections.all[0], async () => {
    const signal = AbortSignal.timeout(10);
    assert.equal((await client.request(createHttp2Request("/lost", { signal }))).kind, "lost");
  });
  assert.ok(socket.destroyed);
  await requestAndGetConnection(client, "/next");
});

/** Runs the action, during which the socket reads nothing. Resolves when the socket is closed. */
async function runUntilClosed(socket: Socket | undefined, action: () => Promise<void>) {
  assert.ok(socket !== undefined);
  socket.removeAllListeners("data");
  await action();
  socket.resume();
  if (!socket.destroyed) await once(socket, "close");
  return { socket };
}

test("a slow server that answers pings keeps its connection and its request", async (t) => {
  const heldRequests: PeerRequest[] = [];
  const peer = await startHttp2Peer(t, (request) => {
    if (request.path === "/slow") heldRequests.push(request);
    else respondOk(request);
  });
  const client = createTestClient(t, peer.origin, { readIdleTimeoutMs: 60, pingTimeoutMs: 5_000 });
  await requestAndGetConnection(client, "/proof");
  const pings = await watchPings(peer);
  const slowExchange = client.request(createHttp2Request("/slow"));
  await pings.waitForCount(3);
  for (const request of heldRequests) respondOk(request);
  assert.equal((await slowExchange).kind, "answered");
  await requestAndGetConnection(client, "/quick");
  assert.equal(peer.sessions.all.length, 1);
});

test("a response that trickles in causes no ping", async (t) => {
  const peer = await startHttp2Peer(t, ({ stream }) => {
    let chunksLeft = 30;
    stream.respond({ ":status": 200 });
    const trickle = setInterval(() => {
      chunksLeft -= 1;
      if (chunksLeft > 0) stream.write("x");
      else stream.end(() => clearInterval(trickle));
    }, 10);
  });
  const client = createTestClient(t, peer.origin, { readIdleTimeoutMs: 200 });
  const connected = requestAndGetConnection(client, "/");
  const pings = await watchPings(peer);
  await connected;
  assert.equal(pings.all.length, 0);
});

test("an idle connection is closed without a ping", async (t) => {
  const peer = await startHttp2Peer(t, respondOk);
  const client = createTestClient(t, peer.origin, { readIdleTimeoutMs: 10, idleTimeoutMs: 150 });
  await requestAndGetConnection(client, "/first");
  const pings = await watchPings(peer);
  const [session] = peer.sessions.all;
  assert.ok(session !== undefined);
  await once(session, "close");
  assert.equal(pings.all.length, 0);
  await requestAndGetConnection(client, "/second");
  assert.equal(peer.sessions.all.length, 2);
});

test("a connection with a pending request is not idle", async (t) => {
  const peer = await startHttp2Peer(t, (request) => {
    if (request.path === "/slow") setTimeout(respondOk, 150, request);
    else respondOk(request);
  });
  const client = createTestClient(t, peer.origin, { idleTimeoutMs: 75 });
  for (const path of ["/first", "/slow", "/last"]) await requestAndGetConnection(client, path);
  assert.equal(peer.sessions.all.length, 1);
});

test("a retired connection finishes its requests and gets no new one", async (t) => {
  const heldRequests: PeerRequest[] = [];
  const peer = await startHttp2Peer(t, (request) => {
    if (request.path === "/held") heldRequests.push(request);
    else respondOk(request);
  });
  const client = createTestClient(t, peer.origin);
  const connection = await requestAndGetConnection(client, "/first");
  const pending = client.request(createHttp2Request("/held"));
  await peer.requests.waitForCount(2);
  connection.retire();
  connection.retire();
  await requestAndGetConnection(client, "/next");
  assert.equal(peer.sessions.all.length, 2);
  const [session] = peer.sessions.all;
  assert.ok(session !== undefined);
  const goaway = once(session, "goaway");
  for (const request of heldRequests) respondOk(request);
  assert.equal((await pending).kind, "answered");
  assert.equal((await goaway)[0], constants.NGHTTP2_NO_ERROR);
  await requestAndGetConnection(client, "/last");
  assert.equal(peer.sessions.all.length, 2);
});

test("retiring a connection causes no backoff", async (t) => {
  const peer = await startHttp2Peer(t, respondOk);
  const client = createTestClient(t, peer.origin);
  for (const path of ["/1", "/2", "/3", "/4"])
    (await requestAndGetConnection(client, path)).retire();
  assert.equal(peer.sessions.all.length, 4);
});

test("close ends sent requests as lost and queued ones as unprocessed", async (t) => {
  const peer = await startHttp2Peer(t, () => {}, { settings: { maxConcurrentStreams: 1 } });
  const client = createTestClient(t, peer.origin);
  const sentExchange = client.request(createHttp2Request("/sent"));
  const waitingExchange = client.request(createHttp2Request("/waiting"));
  await peer.requests.next();
  await client.close();
  await client.close();
  assert.equal((await sentExchange).kind, "lost");
  for (const exchange of [
    await waitingExchange,
    await client.request(createHttp2Request("/late")),
  ]) {
    assert.equal(exchange.kind === "unprocessed" && exchange.cause, "aborted");
  }
  assert.equal(peer.sessions.all.length, 1);
});

test("close ends a connection that is still being opened", async (t) => {
  const peer = await startRawPeer(t, () => {});
  const client = createTestClient(t, peer.origin.replace("http:", "https:"));
  const waitingExchange = client.request(createHttp2Request("/"));
  const socket = await peer.connections.next();
  await client.close();
  const exchange = await waitingExchange;
  assert.equal(exchange.kind === "unprocessed" && exchange.cause, "aborted");
  if (!socket.destroyed) await once(socket.resume(), "close");
});

test("close does not wait for a server that reads nothing", async (t) => {
  const peer = await startRawPeer(t, (socket) => {
    socket.pause();
    socket.write(Buffer.concat([SETTINGS_WITH_ONE_LARGE_STREAM, LARGE_CONNECTION_WINDOW]));
  });
  const client = createTestClient(t, peer.origin, { readIdleTimeoutMs: 20, pingTimeoutMs: 60_000 });
  // The body is larger than the buffers of the system.
  const stuckExchange = client.request(createHttp2Request("/", { body: Buffer.alloc(32_000_000) }));
  // This request gets its own connection once the first one is suspect, after it got stuck.
  const secondExchange = client.request(createHttp2Request("/other"));
  await peer.connections.waitForCount(2);
  const getElapsedMs = startStealFreeTimer();
  await client.close();
  // An orderly close may take up to a second.
  assert.ok(getElapsedMs() < 900);
  assert.equal((await stuckExchange).kind, "lost");
  assert.notEqual((await secondExchange).kind, "answered");
});

/** SETTINGS_MAX_CONCURRENT_STREAMS and SETTINGS_INITIAL_WINDOW_SIZE (RFC 9113 section 6.5.2). */
const SETTINGS_WITH_ONE_LARGE_STREAM = encodeFrame({
  type: FRAME_TYPE.settings,
  payload: Buffer.from("000300000001000440000000", "hex"),
});
/** WINDOW_UPDATE of stream 0 (RFC 9113 section 6.9). */
const LARGE_CONNECTION_WINDOW = encodeFrame({
  type: FRAME_TYPE.windowUpdate,
  payload: Buffer.from("40000000", "hex"),
});

test("a server that never closes its end does not keep a retired connection open", async (t) => {
  const peer = await startHttp2Peer(t, respondOk);
  const openedSockets = new Arrivals<Socket>("connections");
  const router = await startRawPeer(
    t,
    (socket) => {
      const upstream = connect(Number(new URL(peer.origin).port), "127.0.0.1");
      upstream.on("error", () => {});
      socket.pipe(upstream, { end: false });
      upstream.pipe(socket, { end: false });
      openedSockets.add(socket);
    },
    { allowHalfOpen: true },
  );
  const socket = openedSockets.next();
  (await requestAndGetConnection(createTestClient(t, router.origin), "/")).retire();
  const openSocket = await socket;
  await once(openSocket, "end");
  // Only a fully closed socket answers this with a reset.
  const writeInterval = setInterval(() => openSocket.write("x"), 20);
  await new Promise((resolve) => openSocket.once("close", resolve));
  clearInterval(writeInterval);
});

test("a connection with only a cancelled request is closed as idle", async (t) => {
  const peer = await startHttp2Peer(t, () => {});
  const client = createTestClient(t, peer.origin, { idleTimeoutMs: 20 });
  for (const _ of [1, 2, 3]) {
    const controller = new AbortController();
    const cancelled = client.request(createHttp2Request("/", { signal: controller.signal }));
    const session = await peer.sessions.next();
    const closed = once(session, "close");
    await peer.requests.next();
    controller.abort();
    assert.equal((await cancelled).kind, "lost");
    await closed;
  }
});
