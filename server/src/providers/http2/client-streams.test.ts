import assert from "node:assert/strict";
import { constants } from "node:http2";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import {
  respondOk,
  createTestClient,
  createHttp2Request,
  waitForRoundTrip,
  startHttp2Peer,
  type PeerRequest,
} from "../../../test/support/http2-peer.ts";
import { RESPONSE_MAX_BYTES } from "../post.ts";
import type { Http2Exchange } from "./http2.ts";

function requireResponse(exchange: Http2Exchange) {
  assert.equal(exchange.kind, "answered");
  return exchange.kind === "answered" ? exchange.response : assert.fail();
}

async function waitForResetCode({ stream }: PeerRequest): Promise<number | undefined> {
  if (!stream.closed) await new Promise((resolve) => stream.once("close", resolve));
  return stream.rstCode;
}

test("a response has its status, headers and body", async (t) => {
  const peer = await startHttp2Peer(t, ({ stream }) => {
    stream.respond({ ":status": 410, "apns-id": "x", "retry-after": "3" });
    stream.end('{"reason":"Unregistered"}');
  });
  const response = requireResponse(
    await createTestClient(t, peer.origin).request(createHttp2Request("/")),
  );
  assert.equal(response.status, 410);
  assert.equal(response.body, '{"reason":"Unregistered"}');
  assert.equal(response.headers["apns-id"], "x");
  assert.equal(response.headers["retry-after"], "3");
  assert.ok(Object.keys(response.headers).every((name) => !name.startsWith(":")));
});

test("a body arrives whole even if it is empty or larger than the window", async (t) => {
  const bodies: Buffer[] = [];
  const peer = await startHttp2Peer(t, (request) => {
    buffer(request.stream).then((body) => {
      bodies.push(body);
      respondOk(request);
      return body;
    }, assert.ifError);
  });
  const client = createTestClient(t, peer.origin);
  for (const size of [0, 4_096, 200_000]) {
    const body = Buffer.alloc(size, "x");
    requireResponse(await client.request(createHttp2Request("/", { body })));
    assert.deepEqual(bodies.pop(), body);
  }
});

test("interim responses are skipped", async (t) => {
  const peer = await startHttp2Peer(t, (request) => {
    request.stream.additionalHeaders({ ":status": 100 });
    request.stream.additionalHeaders({ ":status": 103 });
    respondOk(request);
  });
  assert.equal(
    requireResponse(await createTestClient(t, peer.origin).request(createHttp2Request("/"))).status,
    200,
  );
});

test("a response body is cut at 4 KB, and the connection stays open", async (t) => {
  const peer = await startHttp2Peer(t, (request) => {
    if (request.path === "/small") respondOk(request);
    else writeEndlessly(request);
  });
  const client = createTestClient(t, peer.origin);
  // Enough rounds for the discarded bytes to fill the window of the connection.
  for (let count = 0; count < 20; count += 1) {
    const { status, body } = requireResponse(await client.request(createHttp2Request("/endless")));
    assert.equal(status, 500);
    assert.equal(body.length, RESPONSE_MAX_BYTES);
    const request = await peer.requests.next();
    assert.equal(await waitForResetCode(request), constants.NGHTTP2_CANCEL);
  }
  assert.equal(requireResponse(await client.request(createHttp2Request("/small"))).body, "/small");
  assert.equal(peer.sessions.all.length, 1);
});

function writeEndlessly({ stream }: PeerRequest): void {
  stream.respond({ ":status": 500 });
  const chunk = Buffer.alloc(16_384, "x");
  const write = (): void => {
    while (!stream.destroyed && stream.write(chunk));
  };
  stream.on("drain", write);
  write();
}

test("a response with a status is kept even if its body breaks off or its request is aborted", async (t) => {
  const controller = new AbortController();
  const peer = await startHttp2Peer(t, ({ path, stream }) => {
    stream.respond({ ":status": 200 });
    stream.write("begun", () => {
      if (path === "/reset") stream.close(constants.NGHTTP2_INTERNAL_ERROR);
      if (path === "/refuse") stream.close(constants.NGHTTP2_REFUSED_STREAM);
      if (path === "/cut") for (const socket of peer.sockets) socket.resetAndDestroy();
    });
  });
  const client = createTestClient(t, peer.origin);
  for (const path of ["/reset", "/refuse", "/cut"]) {
    const { status } = requireResponse(await client.request(createHttp2Request(path)));
    assert.equal(status, 200);
  }
  const hanging = client.request(createHttp2Request("/hang", { signal: controller.signal }));
  const request = (await peer.requests.waitForCount(4)).at(-1);
  await waitForRoundTrip(request?.session);
  controller.abort();
  assert.equal(requireResponse(await hanging).status, 200);
});

test("an aborted request on the wire is lost, and its stream is cancelled", async (t) => {
  for (const overrides of [{}, { requestTimeoutMs: 60_000 }]) {
    const controller = new AbortController();
    const peer = await startHttp2Peer(t, () => controller.abort(new Error("shut down")));
    const client = createTestClient(t, peer.origin, overrides);
    const exchange = await client.request(createHttp2Request("/", { signal: controller.signal }));
    assert.equal(exchange.kind, "lost");
    assert.equal(await waitForResetCode(await peer.requests.next()), constants.NGHTTP2_CANCEL);
  }
});

test("an aborted request in the queue ends as unprocessed", async (t) => {
  const controller = new AbortController();
  const peer = await startHttp2Peer(t, () => {}, { settings: { maxConcurrentStreams: 1 } });
  const client = createTestClient(t, peer.origin);
  const firstRequest = client.request(createHttp2Request("/first"));
  await peer.requests.next();
  const { signal } = controller;
  const waitingExchange = client.request(createHttp2Request("/waiting", { signal }));
  controller.abort();
  for (const exchange of [
    await waitingExchange,
    await client.request(createHttp2Request("/late", { signal })),
  ]) {
    assert.equal(exchange.kind === "unprocessed" && exchange.cause, "aborted");
  }
  await client.close();
  assert.equal((await firstRequest).kind, "lost");
  assert.equal(peer.requests.all.length, 1);
});

test("the request timeout bounds requests on the wire and in the queue", async (t) => {
  for (const [maxConcurrentStreams, result] of [
    [1, "lost"],
    [0, "aborted"],
  ] as const) {
    const peer = await startHttp2Peer(t, () => {}, { settings: { maxConcurrentStreams } });
    const client = createTestClient(t, peer.origin, { requestTimeoutMs: 100 });
    const exchange = await client.request(createHttp2Request("/"));
    assert.equal(exchange.kind === "unprocessed" ? exchange.cause : exchange.kind, result);
  }
});

test("a malformed request is rejected, and the connection stays open", async (t) => {
  const peer = await startHttp2Peer(t, respondOk);
  const client = createTestClient(t, peer.origin);
  await client.request(createHttp2Request("/first"));
  const headers = { "bad name": "x" };
  await assert.rejects(client.request(createHttp2Request("/bad", { headers })), TypeError);
  assert.equal(requireResponse(await client.request(createHttp2Request("/good"))).body, "/good");
  assert.equal(peer.sessions.all.length, 1);
});
