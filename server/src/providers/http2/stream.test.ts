import assert from "node:assert/strict";
import { constants } from "node:http2";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import {
  answerOk,
  clientOf,
  requestTo,
  roundTrip,
  startHttp2Peer,
} from "../../../test/support/http2-peer.ts";
import type { PeerRequest } from "../../../test/support/http2-peer.ts";
import { MAX_ANSWER_BYTES } from "../post.ts";
import type { Http2Exchange } from "./http2.ts";

function expectAnswer(exchange: Http2Exchange) {
  assert.equal(exchange.kind, "answered");
  return exchange.kind === "answered" ? exchange.answer : assert.fail();
}

async function resetCode({ stream }: PeerRequest): Promise<number | undefined> {
  if (!stream.closed) await new Promise((resolve) => stream.once("close", resolve));
  return stream.rstCode;
}

test("a response has its status, headers and body", async (t) => {
  const peer = await startHttp2Peer(t, ({ stream }) => {
    stream.respond({ ":status": 410, "apns-id": "x", "retry-after": "3" });
    stream.end('{"reason":"Unregistered"}');
  });
  const answer = expectAnswer(await clientOf(t, peer.origin).request(requestTo("/")));
  assert.equal(answer.status, 410);
  assert.equal(answer.body, '{"reason":"Unregistered"}');
  assert.equal(answer.headers["apns-id"], "x");
  assert.equal(answer.headers["retry-after"], "3");
  assert.ok(Object.keys(answer.headers).every((name) => !name.startsWith(":")));
});

test("a body arrives whole even if it is empty or larger than the window", async (t) => {
  const bodies: Buffer[] = [];
  const peer = await startHttp2Peer(t, (request) => {
    buffer(request.stream).then((body) => {
      bodies.push(body);
      answerOk(request);
      return body;
    }, assert.ifError);
  });
  const client = clientOf(t, peer.origin);
  for (const size of [0, 4_096, 200_000]) {
    const body = Buffer.alloc(size, "x");
    expectAnswer(await client.request(requestTo("/", { body })));
    assert.deepEqual(bodies.pop(), body);
  }
});

test("interim responses are skipped", async (t) => {
  const peer = await startHttp2Peer(t, (request) => {
    request.stream.additionalHeaders({ ":status": 100 });
    request.stream.additionalHeaders({ ":status": 103 });
    answerOk(request);
  });
  assert.equal(expectAnswer(await clientOf(t, peer.origin).request(requestTo("/"))).status, 200);
});

test("a response body is cut at 4 KB, and the connection stays open", async (t) => {
  const peer = await startHttp2Peer(t, (request) => {
    if (request.path === "/small") answerOk(request);
    else writeEndlessly(request);
  });
  const client = clientOf(t, peer.origin);
  // Enough rounds for the discarded bytes to fill the window of the connection.
  for (let count = 0; count < 20; count += 1) {
    const { status, body } = expectAnswer(await client.request(requestTo("/endless")));
    assert.equal(status, 500);
    assert.equal(body.length, MAX_ANSWER_BYTES);
    const request = await peer.requests.next();
    assert.equal(await resetCode(request), constants.NGHTTP2_CANCEL);
  }
  assert.equal(expectAnswer(await client.request(requestTo("/small"))).body, "/small");
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

test("a response with a status is kept even if its body breaks off", async (t) => {
  const controller = new AbortController();
  const peer = await startHttp2Peer(t, ({ path, stream }) => {
    stream.respond({ ":status": 200 });
    stream.write("begun", () => {
      if (path === "/reset") stream.close(constants.NGHTTP2_INTERNAL_ERROR);
      if (path === "/refuse") stream.close(constants.NGHTTP2_REFUSED_STREAM);
      if (path === "/cut") for (const socket of peer.sockets) socket.resetAndDestroy();
    });
  });
  const client = clientOf(t, peer.origin);
  for (const path of ["/reset", "/refuse", "/cut"]) {
    const { status } = expectAnswer(await client.request(requestTo(path)));
    assert.equal(status, 200);
  }
  const hanging = client.request(requestTo("/hang", { signal: controller.signal }));
  const request = (await peer.requests.received(4)).at(-1);
  await roundTrip(request?.session);
  controller.abort();
  assert.equal(expectAnswer(await hanging).status, 200);
});

test("an aborted request on the wire is lost, and its stream is cancelled", async (t) => {
  for (const change of [{}, { requestTimeoutMs: 60_000 }]) {
    const controller = new AbortController();
    const peer = await startHttp2Peer(t, () => controller.abort(new Error("shut down")));
    const client = clientOf(t, peer.origin, change);
    const exchange = await client.request(requestTo("/", { signal: controller.signal }));
    assert.equal(exchange.kind, "lost");
    assert.equal(await resetCode(await peer.requests.next()), constants.NGHTTP2_CANCEL);
  }
});

test("an aborted request in the queue stays unsent", async (t) => {
  const controller = new AbortController();
  const peer = await startHttp2Peer(t, () => {}, { settings: { maxConcurrentStreams: 1 } });
  const client = clientOf(t, peer.origin);
  const first = client.request(requestTo("/first"));
  await peer.requests.next();
  const { signal } = controller;
  const waiting = client.request(requestTo("/waiting", { signal }));
  controller.abort();
  for (const exchange of [await waiting, await client.request(requestTo("/late", { signal }))]) {
    assert.equal(exchange.kind === "unsent" && exchange.cause, "given up");
  }
  await client.close();
  assert.equal((await first).kind, "lost");
  assert.equal(peer.requests.all.length, 1);
});

test("the request timeout bounds requests on the wire and in the queue", async (t) => {
  for (const [maxConcurrentStreams, kind] of [
    [1, "lost"],
    [0, "given up"],
  ] as const) {
    const peer = await startHttp2Peer(t, () => {}, { settings: { maxConcurrentStreams } });
    const client = clientOf(t, peer.origin, { requestTimeoutMs: 100 });
    const exchange = await client.request(requestTo("/"));
    assert.equal(exchange.kind === "unsent" ? exchange.cause : exchange.kind, kind);
  }
});

test("a malformed request is rejected, and the connection stays open", async (t) => {
  const peer = await startHttp2Peer(t, answerOk);
  const client = clientOf(t, peer.origin);
  await client.request(requestTo("/first"));
  const headers = { "bad name": "x" };
  await assert.rejects(client.request(requestTo("/bad", { headers })), TypeError);
  assert.equal(expectAnswer(await client.request(requestTo("/good"))).body, "/good");
  assert.equal(peer.sessions.all.length, 1);
});
