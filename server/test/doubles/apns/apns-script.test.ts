import assert from "node:assert/strict";
import { once } from "node:events";
import { constants } from "node:http2";
import { test } from "node:test";
import { ALERT, TOPIC, readReason, setUp } from "./set-up.ts";
import type { RawSender } from "./raw-sender.ts";

const { NGHTTP2_REFUSED_STREAM, NGHTTP2_CANCEL, NGHTTP2_NO_ERROR } = constants;

test("scripts decide the next responses, the device's before the service's", async (t) => {
  const { service, iphone, connect, send } = await setUp(t);
  const sender = await connect();
  service.script({ kind: "answer", status: 503, reason: "Shutdown" });
  iphone.script(
    {
      kind: "answer",
      status: 429,
      reason: "TooManyRequests",
      headers: { "retry-after": "2" },
    },
    { kind: "answer", status: 410, reason: "ExpiredToken", timestampMs: 5 },
    { kind: "answer", status: 502, headers: { "content-type": "text/html" }, body: "<html>" },
  );
  const throttledResponse = await send(sender);
  assert.deepEqual(
    [throttledResponse.status, throttledResponse.headers["retry-after"]],
    [429, "2"],
  );
  assert.equal(throttledResponse.body, '{"reason":"TooManyRequests"}');
  assert.equal((await send(sender)).body, '{"reason":"ExpiredToken","timestamp":5}');
  const proxyResponse = await send(sender);
  assert.deepEqual(
    [proxyResponse.headers["content-type"], proxyResponse.body],
    ["text/html", "<html>"],
  );
  assert.equal(readReason((await send(sender)).body), "Shutdown");
  assert.equal((await send(sender)).status, 200);
  assert.equal(service.requests.length, 5);
  assert.ok(service.requests.every(({ verdict }) => verdict.kind === "accepted"));
  assert.equal(service.delivered.length, 1);
});

test("a permanent script applies until it is removed", async (t) => {
  const { service, connect, send } = await setUp(t);
  const sender = await connect();
  service.setDefaultScript({ kind: "answer", status: 500, reason: "InternalServerError" });
  assert.equal((await send(sender)).status, 500);
  assert.equal((await send(sender)).status, 500);
  service.setDefaultScript(null);
  assert.equal((await send(sender)).status, 200);
});

test("a held response delivers nothing before it is released", async (t) => {
  const { service, iphone, connect, send } = await setUp(t);
  const gate = Promise.withResolvers<void>();
  iphone.script({ kind: "verdict", after: gate.promise });
  const response = send(await connect());
  await iphone.waitForRequests(1);
  assert.equal(service.delivered.length, 0);
  gate.resolve();
  assert.equal((await response).status, 200);
  assert.equal(service.delivered.length, 1);
});

test("a push that its sender cancels in time is not processed", async (t) => {
  const { service, iphone, connect, signJwt } = await setUp(t);
  const gate = Promise.withResolvers<void>();
  iphone.script({ kind: "verdict", after: gate.promise });
  const { session } = await connect();
  const stream = session.request({
    ":method": "POST",
    ":path": `/3/device/${iphone.token}`,
    authorization: `bearer ${signJwt()}`,
    "apns-topic": TOPIC,
    "apns-push-type": "alert",
  });
  stream.on("error", () => {});
  stream.end(ALERT);
  const [request] = await iphone.waitForRequests(1);
  assert.equal(request?.verdict.kind, "accepted");
  stream.close(NGHTTP2_CANCEL);
  // The service answers PING after it has received everything sent before.
  await new Promise((resolve) => session.ping(resolve));
  gate.resolve();
  await new Promise((resolve) => session.ping(resolve));
  assert.equal(service.delivered.length, 0);
});

test("a stream can be reset before or after its headers, with or without delivery", async (t) => {
  const { service, iphone, connect, send } = await setUp(t);
  const sender = await connect();
  iphone.script(
    { kind: "reset-stream", code: NGHTTP2_REFUSED_STREAM },
    { kind: "reset-stream", code: NGHTTP2_CANCEL, when: "after-headers" },
    { kind: "reset-stream", code: NGHTTP2_CANCEL, delivers: true },
  );
  const refusedResponse = await send(sender);
  assert.deepEqual(
    [refusedResponse.status, refusedResponse.resetCode],
    [null, NGHTTP2_REFUSED_STREAM],
  );
  const cutResponse = await send(sender);
  assert.deepEqual([cutResponse.status, cutResponse.resetCode], [200, NGHTTP2_CANCEL]);
  assert.equal(service.delivered.length, 0);
  const deliveredResponse = await send(sender);
  assert.deepEqual([deliveredResponse.status, deliveredResponse.resetCode], [null, NGHTTP2_CANCEL]);
  assert.equal(iphone.messages.length, 1);
  assert.equal((await send(sender)).status, 200);
});

test("a connection can be reset before or after headers, with or without delivery", async (t) => {
  const { service, iphone, connect, send } = await setUp(t);
  const cases = [
    [{ kind: "reset-connection" }, null, 0],
    [{ kind: "reset-connection", when: "after-headers" }, 200, 0],
    [{ kind: "reset-connection", delivers: true }, null, 1],
  ] as const;
  for (const [script, status, deliveredCount] of cases) {
    const sender = await connect();
    iphone.script(script);
    assert.equal((await send(sender)).status, status);
    assert.match(String(await sender.ended), /ECONNRESET/u);
    assert.equal(service.delivered.length, deliveredCount);
  }
  assert.equal((await send(await connect())).status, 200);
});

test("a request can hang while others on the connection are answered", async (t) => {
  const { service, iphone, connect, send } = await setUp(t);
  const sender = await connect();
  assert.equal((await send(sender)).status, 200);
  iphone.script({ kind: "hang", delivers: true });
  const hangingResponse = send(sender);
  await iphone.waitForRequests(2);
  assert.equal((await send(sender)).status, 200);
  assert.equal(service.delivered.length, 3);
  await sender.close();
  assert.equal((await hangingResponse).status, null);
});

/** Resolves with the next GOAWAY. */
async function waitForGoaway(sender: RawSender) {
  const [code, lastStreamId, data]: readonly unknown[] = await once(sender.session, "goaway");
  return { code, lastStreamId, reason: Buffer.isBuffer(data) ? readReason(data.toString()) : "" };
}

test("GOAWAY before a request does not process it, and GOAWAY after a request answers it", async (t) => {
  const { service, iphone, connect, send } = await setUp(t);
  const first = await connect();
  const second = await connect();
  const goaways = Promise.all([waitForGoaway(first), waitForGoaway(second)]);
  assert.equal((await send(first)).status, 200);
  iphone.script({ kind: "goaway", when: "before-request", reason: "Shutdown" });
  const refusedResponse = await send(first);
  assert.deepEqual(
    [refusedResponse.status, refusedResponse.resetCode],
    [null, NGHTTP2_REFUSED_STREAM],
  );
  iphone.script({ kind: "goaway", when: "after-request" });
  const acceptedResponse = await send(second);
  assert.deepEqual([acceptedResponse.status, acceptedResponse.resetCode], [200, NGHTTP2_NO_ERROR]);
  assert.deepEqual(await goaways, [
    { code: NGHTTP2_NO_ERROR, lastStreamId: 1, reason: "Shutdown" },
    { code: NGHTTP2_NO_ERROR, lastStreamId: 1, reason: "" },
  ]);
  assert.equal(service.delivered.length, 2);
});

test("GOAWAY before a connection's first request refuses it", async (t) => {
  const { service, iphone, connect, send } = await setUp(t);
  iphone.script({ kind: "goaway", when: "before-request" });
  const sender = await connect();
  const refusedResponse = await send(sender);
  assert.deepEqual(
    [refusedResponse.status, refusedResponse.resetCode],
    [null, NGHTTP2_REFUSED_STREAM],
  );
  await sender.ended;
  assert.equal(service.delivered.length, 0);
});

test("GOAWAY refuses streams above the last one and answers the others", async (t) => {
  const { service, iphone, connect, send } = await setUp(t);
  const sender = await connect();
  const goaway = waitForGoaway(sender);
  assert.equal((await send(sender)).status, 200);
  const gate = Promise.withResolvers<void>();
  const heldCount = 64;
  iphone.script(...Array.from({ length: heldCount }, () => createHeldScript(gate.promise)));
  const responses = Array.from({ length: heldCount }, () => send(sender));
  await iphone.waitForRequests(1 + heldCount);
  service.listener.goaway({ lastStreamId: 21, reason: "Shutdown" });
  gate.resolve();
  assert.deepEqual(await goaway, { code: NGHTTP2_NO_ERROR, lastStreamId: 21, reason: "Shutdown" });
  assert.deepEqual(
    service.delivered.map(({ streamId }) => streamId),
    [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21],
  );
  const answeredCount = service.delivered.length - 1;
  for (const [index, { status, resetCode }] of (await Promise.all(responses)).entries()) {
    const expected =
      index < answeredCount ? [200, NGHTTP2_NO_ERROR] : [null, NGHTTP2_REFUSED_STREAM];
    assert.deepEqual([status, resetCode], expected);
  }
});

const createHeldScript = (after: Promise<void>) => ({ kind: "verdict", after }) as const;

test("GOAWAY with an error code ends every stream and processes none above the last", async (t) => {
  const { service, iphone, connect, send } = await setUp(t);
  const sender = await connect();
  assert.equal((await send(sender)).status, 200);
  const gate = Promise.withResolvers<void>();
  iphone.script(...Array.from({ length: 4 }, () => createHeldScript(gate.promise)));
  const responses = Array.from({ length: 4 }, () => send(sender));
  await iphone.waitForRequests(5);
  service.listener.goaway({ code: constants.NGHTTP2_INTERNAL_ERROR, lastStreamId: 5 });
  const statuses = (await Promise.all(responses)).map(({ status }) => status);
  assert.deepEqual(statuses, [null, null, null, null]);
  gate.resolve();
  await sender.ended;
  assert.ok(service.delivered.every(({ streamId }) => streamId <= 5));
});

test("GOAWAY cannot exclude a processed request", async (t) => {
  const { service, connect, send } = await setUp(t);
  const sender = await connect();
  await send(sender);
  await send(sender);
  assert.throws(() => service.listener.goaway({ lastStreamId: 1 }), /Stream 3 was processed/u);
});
