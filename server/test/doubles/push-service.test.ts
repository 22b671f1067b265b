import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { createDoubleConnector } from "./double-connector.ts";
import { TEXT_MAX_BYTES, WebPushSender, type ComposedRequest } from "./web-push-sender.ts";
import { PushService, type PushServiceOptions } from "./push-service.ts";
import { SimulatedDevice } from "./simulated-device.ts";

const HOUR_S = 3_600;

interface Fixture {
  readonly service: PushService;
  readonly sender: WebPushSender;
  readonly device: SimulatedDevice;
}

async function setUp(t: TestContext, options: PushServiceOptions = {}): Promise<Fixture> {
  const service = await PushService.start(options);
  const sender = new WebPushSender(options.names ? createDoubleConnector(service) : undefined);
  t.after(async () => {
    await sender.close();
    await service.close();
  });
  return { service, sender, device: new SimulatedDevice(service, sender.keys.publicKey) };
}

test("a message of the npm package web-push is accepted with 201 and a Location", async (t) => {
  const { sender, device } = await setUp(t);
  const response = await sender.post(sender.compose(device.subscription, "hello"));
  assert.equal(response.status, 201);
  assert.match(String(response.headers["location"]), /^http:\/\/127\.0\.0\.1:\d+\/m\/[\w-]+$/u);
  const [record] = await device.waitForRequests(1);
  assert.deepEqual(record?.verdict, {
    kind: "accepted",
    ttlSeconds: 60,
    urgency: "high",
    topic: null,
  });
});

test("a named service is reachable over TLS only at its host names", async (t) => {
  const names = ["fcm.googleapis.com", "jmt17.google.com"] as const;
  const { sender, device } = await setUp(t, { names });
  const { keys, endpoint } = device.subscription;
  assert.match(endpoint, /^https:\/\/fcm\.googleapis\.com\/push\//u);
  for (const name of names) {
    const target = { keys, endpoint: endpoint.replace(names[0], name) };
    assert.equal(await sender.send(target, "hello"), 201, name);
  }
  const unknownTarget = { keys, endpoint: endpoint.replace(names[0], "push.example.org") };
  await assert.rejects(sender.send(unknownTarget, "hello"), /No double serves/u);
  const misdirectedRequest = sender.compose(device.subscription, "hello");
  const host = "push.example.org";
  const response = await sender.post({
    ...misdirectedRequest,
    headers: { ...misdirectedRequest.headers, host },
  });
  assert.equal(response.status, 421);
});

test("headers and body are validated by RFC 8030, 8188 and 8291", async (t) => {
  const { sender, device } = await setUp(t);
  const request = sender.compose(device.subscription, "hello");
  const recordSizeOffset = 16;
  const keyLengthOffset = 20;
  const keyOffset = 21;
  const keyLastByteOffset = 85;
  const flippedByte = (request.body[keyLastByteOffset] ?? 0) ^ 1;
  const recordBytes = request.body.length - keyLastByteOffset - 1;
  const patchBody = (offset: number, ...bytes: readonly number[]): Buffer => {
    const body = Buffer.from(request.body);
    body.set(bytes, offset);
    return body;
  };
  const largestRequest = sender.compose(device.subscription, "x".repeat(TEXT_MAX_BYTES));
  const tooLargeRequest = sender.compose(device.subscription, "x".repeat(TEXT_MAX_BYTES + 1));
  const draftRequest = sender.compose(device.subscription, "hello", { contentEncoding: "aesgcm" });
  const { Authorization: authorization = "" } = request.headers;
  const { TTL: _, ...withoutTtl } = request.headers;
  const withHeader = (name: string, value: string): ComposedRequest => {
    return { ...request, headers: { ...request.headers, [name]: value } };
  };
  const cases: readonly (readonly [string, ComposedRequest, number])[] = [
    ["4096 bytes", largestRequest, 201],
    ["4097 bytes", tooLargeRequest, 413],
    ["a draft's encoding and scheme", draftRequest, 401],
    [
      "a draft's encoding",
      { ...draftRequest, headers: { ...draftRequest.headers, Authorization: authorization } },
      400,
    ],
    ["another encoding's name", withHeader("Content-Encoding", "aesgcm"), 400],
    ["no TTL", { ...request, headers: withoutTtl }, 400],
    ["TTL 0", withHeader("TTL", "0"), 201],
    ["negative TTL", withHeader("TTL", "-1"), 400],
    ["fraction of a TTL", withHeader("TTL", "1.5"), 400],
    ["Urgency urgent", withHeader("Urgency", "urgent"), 400],
    ["Topic of 32 characters", withHeader("Topic", "a".repeat(32)), 201],
    ["Topic of 36 characters", withHeader("Topic", "a".repeat(36)), 400],
    ["Topic of 5 characters, which is no base64url", withHeader("Topic", "abcde"), 400],
    ["Topic with a dot", withHeader("Topic", "a.bc"), 400],
    ["no body", { ...request, body: Buffer.alloc(0) }, 400],
    ["a cut body", { ...request, body: request.body.subarray(0, 100) }, 400],
    [
      "rs as large as the record",
      { ...request, body: patchBody(recordSizeOffset, 0, 0, 0, recordBytes) },
      400,
    ],
    ["idlen 64", { ...request, body: patchBody(keyLengthOffset, 64) }, 400],
    ["a key off the curve", { ...request, body: patchBody(keyLastByteOffset, flippedByte) }, 400],
    ["a compressed key", { ...request, body: patchBody(keyOffset, 2) }, 400],
    ["GET", { ...request, method: "GET" }, 405],
    ["an unknown endpoint", { ...request, endpoint: `${request.endpoint}x` }, 404],
  ];
  for (const [name, { headers, ...request }, status] of cases) {
    const { "Content-Length": _length, ...others } = headers;
    const response = await sender.post({ ...request, headers: others });
    assert.equal(response.status, status, `${name}: ${response.text}`);
  }
});

test("a VAPID token expires by the service's clock", async (t) => {
  const laterMs = Date.now() + 13 * HOUR_S * 1000;
  const { sender, device } = await setUp(t, { now: () => laterMs });
  assert.equal(await sender.send(device.subscription, "hello"), 403);
});

test("scripts decide the next responses, one each, and then the rules apply again", async (t) => {
  const { sender, device } = await setUp(t);
  const headers = { "retry-after": "120" };
  device.script(
    { kind: "answer", status: 429, headers, body: "slow down" },
    { kind: "answer", status: 410 },
  );
  const request = sender.compose(device.subscription, "hello");
  const first = await sender.post(request);
  assert.deepEqual([first.status, first.headers["retry-after"]], [429, "120"]);
  assert.equal(first.text, "slow down");
  assert.equal((await sender.post(request)).status, 410);
  assert.equal(device.messages.length, 0);
  assert.equal((await sender.post(request)).status, 201);
  assert.equal((await device.next()).text, "hello");
  const verdicts = device.requests.map(({ verdict }) => verdict.kind);
  assert.deepEqual(verdicts, ["accepted", "accepted", "accepted"]);
});

test("a held response waits until the test releases it", async (t) => {
  const { sender, device } = await setUp(t);
  const gate = Promise.withResolvers<void>();
  device.script({ kind: "verdict", after: gate.promise });
  const status = sender.send(device.subscription, "hello");
  await device.waitForRequests(1);
  assert.equal(device.messages.length, 0);
  gate.resolve();
  assert.equal(await status, 201);
  assert.equal((await device.next()).text, "hello");
});

test("connections can be cut before or after the headers, with or without delivery", async (t) => {
  const { sender, device } = await setUp(t);
  device.script(
    { kind: "reset-connection", when: "before-headers" },
    { kind: "reset-connection", when: "before-headers", delivers: true },
    { kind: "reset-connection", when: "after-headers" },
  );
  await assert.rejects(sender.send(device.subscription, "lost"), { code: "ECONNRESET" });
  await assert.rejects(sender.send(device.subscription, "arrived"), { code: "ECONNRESET" });
  assert.equal((await device.next()).text, "arrived");
  await assert.rejects(sender.send(device.subscription, "half"), { code: "ECONNRESET" });
  assert.equal(device.messages.length, 1);
});

test("a hanging service logs the request and does not answer it", async (t) => {
  const { service, sender, device } = await setUp(t);
  device.script({ kind: "hang" });
  const rejection = assert.rejects(sender.send(device.subscription, "hello"));
  await service.waitForRequests(1);
  await sender.close();
  await rejection;
});
