import assert from "node:assert/strict";
import { once } from "node:events";
import { constants } from "node:http2";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { Arrivals } from "../../../test/doubles/arrivals.ts";
import {
  answerOk,
  clientOf,
  frame,
  requestTo,
  startHttp2Peer,
  startRawPeer,
} from "../../../test/support/http2-peer.ts";
import type { PeerRequest, Http2Peer, OnRequest } from "../../../test/support/http2-peer.ts";
import type { Http2Client, Http2Connection } from "./http2.ts";
import { startOwnTime } from "../../../test/support/own-time.ts";

/** Starts a server behind a router that can forget its flows: packets on them are dropped without a reset. */
async function startForgetfulPeer(t: TestContext, onRequest: OnRequest) {
  const peer = await startHttp2Peer(t, onRequest);
  const flows: Socket[] = [];
  const router = await startRawPeer(t, (socket) => {
    const upstream = connect(Number(new URL(peer.origin).port), "127.0.0.1");
    upstream.on("error", () => {});
    socket.pipe(upstream).pipe(socket);
    flows.push(socket, upstream);
  });
  const forget = (): void => {
    for (const flow of flows.splice(0)) flow.unpipe().pause();
  };
  return { origin: router.origin, router, peer, forget };
}

async function requestConnection(client: Http2Client, path: string): Promise<Http2Connection> {
  const exchange = await client.request(requestTo(path));
  return exchange.kind === "answered" ? exchange.connection : assert.fail(exchange.kind);
}

async function watchPings({ sessions }: Http2Peer): Promise<Arrivals<unknown>> {
  const pings = new Arrivals<unknown>("pings");
  const session = await sessions.next();
  session.on("ping", (payload) => pings.add(payload));
  return pings;
}

test("a silent connection with a request is closed if its ping is not answered", async (t) => {
  const { origin, router, forget } = await startForgetfulPeer(t, answerOk);
  const client = clientOf(t, origin, { readIdleMs: 40, pingTimeoutMs: 40 });
  await requestConnection(client, "/proof");
  forget();
  assert.equal((await client.request(requestTo("/lost"))).kind, "lost");
  await requestConnection(client, "/next");
  assert.equal(router.connections.all.length, 2);
});

test("a connection with an unanswered ping gets no new request", async (t) => {
  const { origin, router, forget } = await startForgetfulPeer(t, answerOk);
  const client = clientOf(t, origin, { readIdleMs: 20, pingTimeoutMs: 60_000, streamsMax: 2 });
  await requestConnection(client, "/proof");
  forget();
  const controllers = [new AbortController(), new AbortController(), new AbortController()];
  const requests = controllers.map(async ({ signal }) =>
    client.request(requestTo("/", { signal })),
  );
  // The third request waits until the full connection becomes suspect, and then gets a new one.
  assert.equal((await requests[2])?.kind, "answered");
  assert.equal(router.connections.all.length, 2);
  for (const controller of controllers) controller.abort();
  const kinds = (await Promise.all(requests)).map(({ kind }) => kind);
  assert.deepEqual(kinds, ["lost", "lost", "answered"]);
});

test("a cancelled request does not hide a dead connection", async (t) => {
  const { origin, router, forget } = await startForgetfulPeer(t, answerOk);
  const client = clientOf(t, origin, { readIdleMs: 40, pingTimeoutMs: 40 });
  await requestConnection(client, "/proof");
  forget();
  const { socket } = await runUntilClosed(router.connections.all[0], async () => {
    const signal = AbortSignal.timeout(10);
    assert.equal((await client.request(requestTo("/lost", { signal }))).kind, "lost");
  });
  assert.ok(socket.destroyed);
  await requestConnection(client, "/next");
});

/** Runs `act` and resolves when the socket is closed. */
async function runUntilClosed(socket: Socket | undefined, act: () => Promise<void>) {
  assert.ok(socket !== undefined);
  socket.removeAllListeners("data");
  await act();
  socket.resume();
  if (!socket.destroyed) await once(socket, "close");
  return { socket };
}

test("a slow server that answers pings keeps its connection and its request", async (t) => {
  const heldRequests: PeerRequest[] = [];
  const peer = await startHttp2Peer(t, (request) => {
    if (request.path === "/slow") heldRequests.push(request);
    else answerOk(request);
  });
  const client = clientOf(t, peer.origin, { readIdleMs: 60, pingTimeoutMs: 5_000 });
  await requestConnection(client, "/proof");
  const pings = await watchPings(peer);
  const slow = client.request(requestTo("/slow"));
  await pings.received(3);
  for (const request of heldRequests) answerOk(request);
  assert.equal((await slow).kind, "answered");
  await requestConnection(client, "/quick");
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
  const client = clientOf(t, peer.origin, { readIdleMs: 200 });
  const connected = requestConnection(client, "/");
  const pings = await watchPings(peer);
  await connected;
  assert.equal(pings.all.length, 0);
});

test("an idle connection is closed without a ping", async (t) => {
  const peer = await startHttp2Peer(t, answerOk);
  const client = clientOf(t, peer.origin, { readIdleMs: 10, idleMs: 150 });
  await requestConnection(client, "/first");
  const pings = await watchPings(peer);
  const [session] = peer.sessions.all;
  assert.ok(session !== undefined);
  await once(session, "close");
  assert.equal(pings.all.length, 0);
  await requestConnection(client, "/second");
  assert.equal(peer.sessions.all.length, 2);
});

test("a connection with a pending request is not idle", async (t) => {
  const peer = await startHttp2Peer(t, (request) => {
    if (request.path === "/slow") setTimeout(answerOk, 150, request);
    else answerOk(request);
  });
  const client = clientOf(t, peer.origin, { idleMs: 75 });
  for (const path of ["/first", "/slow", "/last"]) await requestConnection(client, path);
  assert.equal(peer.sessions.all.length, 1);
});

test("a retired connection finishes its requests and gets no new one", async (t) => {
  const heldRequests: PeerRequest[] = [];
  const peer = await startHttp2Peer(t, (request) => {
    if (request.path === "/held") heldRequests.push(request);
    else answerOk(request);
  });
  const client = clientOf(t, peer.origin);
  const connection = await requestConnection(client, "/first");
  const pending = client.request(requestTo("/held"));
  await peer.requests.received(2);
  connection.retire();
  connection.retire();
  await requestConnection(client, "/next");
  assert.equal(peer.sessions.all.length, 2);
  const [session] = peer.sessions.all;
  assert.ok(session !== undefined);
  const goaway = once(session, "goaway");
  for (const request of heldRequests) answerOk(request);
  assert.equal((await pending).kind, "answered");
  assert.equal((await goaway)[0], constants.NGHTTP2_NO_ERROR);
  await requestConnection(client, "/last");
  assert.equal(peer.sessions.all.length, 2);
});

test("retiring a connection causes no backoff", async (t) => {
  const peer = await startHttp2Peer(t, answerOk);
  const client = clientOf(t, peer.origin);
  for (const path of ["/1", "/2", "/3", "/4"]) (await requestConnection(client, path)).retire();
  assert.equal(peer.sessions.all.length, 4);
});

test("close loses sent requests and leaves queued ones unsent", async (t) => {
  const peer = await startHttp2Peer(t, () => {}, { settings: { maxConcurrentStreams: 1 } });
  const client = clientOf(t, peer.origin);
  const sent = client.request(requestTo("/sent"));
  const waiting = client.request(requestTo("/waiting"));
  await peer.requests.next();
  await client.close();
  await client.close();
  assert.equal((await sent).kind, "lost");
  for (const exchange of [await waiting, await client.request(requestTo("/late"))]) {
    assert.equal(exchange.kind === "unsent" && exchange.cause, "given up");
  }
  assert.equal(peer.sessions.all.length, 1);
});

test("close ends a connection that is still being opened", async (t) => {
  const peer = await startRawPeer(t, () => {});
  const client = clientOf(t, peer.origin.replace("http:", "https:"));
  const waiting = client.request(requestTo("/"));
  const socket = await peer.connections.next();
  await client.close();
  const exchange = await waiting;
  assert.equal(exchange.kind === "unsent" && exchange.cause, "given up");
  if (!socket.destroyed) await once(socket.resume(), "close");
});

test("close does not wait for a server that reads nothing", async (t) => {
  const peer = await startRawPeer(t, (socket) => {
    socket.pause();
    socket.write(Buffer.concat([ONE_STREAM_OF_A_GIGABYTE, CONNECTION_OF_A_GIGABYTE]));
  });
  const client = clientOf(t, peer.origin, { readIdleMs: 20, pingTimeoutMs: 60_000 });
  // More than the system buffers.
  const stuck = client.request(requestTo("/", { body: Buffer.alloc(32_000_000) }));
  // This request gets its own connection once the first one is suspect, after it got stuck.
  const second = client.request(requestTo("/other"));
  await peer.connections.received(2);
  const ownMs = startOwnTime();
  await client.close();
  // An orderly close may take up to a second.
  assert.ok(ownMs() < 900);
  assert.equal((await stuck).kind, "lost");
  assert.notEqual((await second).kind, "answered");
});

/** SETTINGS_MAX_CONCURRENT_STREAMS and SETTINGS_INITIAL_WINDOW_SIZE (RFC 9113 section 6.5.2). */
const ONE_STREAM_OF_A_GIGABYTE = frame({
  type: 4,
  payload: Buffer.from("000300000001000440000000", "hex"),
});
/** WINDOW_UPDATE of stream 0 (RFC 9113 section 6.9). */
const CONNECTION_OF_A_GIGABYTE = frame({ type: 8, payload: Buffer.from("40000000", "hex") });

test("a server that never closes its end does not keep a retired connection open", async (t) => {
  const peer = await startHttp2Peer(t, answerOk);
  const opened = new Arrivals<Socket>("connections");
  const router = await startRawPeer(
    t,
    (socket) => {
      const upstream = connect(Number(new URL(peer.origin).port), "127.0.0.1");
      upstream.on("error", () => {});
      socket.pipe(upstream, { end: false });
      upstream.pipe(socket, { end: false });
      opened.add(socket);
    },
    { allowHalfOpen: true },
  );
  const socket = opened.next();
  (await requestConnection(clientOf(t, router.origin), "/")).retire();
  const open = await socket;
  await once(open, "end");
  // Only a fully closed socket answers this with a reset.
  const writing = setInterval(() => open.write("x"), 20);
  await new Promise((resolve) => open.once("close", resolve));
  clearInterval(writing);
});

test("a connection with only a cancelled request is closed as idle", async (t) => {
  const peer = await startHttp2Peer(t, () => {});
  const client = clientOf(t, peer.origin, { idleMs: 20 });
  for (const _ of [1, 2, 3]) {
    const controller = new AbortController();
    const cancelled = client.request(requestTo("/", { signal: controller.signal }));
    const session = await peer.sessions.next();
    const closed = once(session, "close");
    await peer.requests.next();
    controller.abort();
    assert.equal((await cancelled).kind, "lost");
    await closed;
  }
});
