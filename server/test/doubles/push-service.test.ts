import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { dialTo } from "./dial.ts";
import { ForeignSender } from "./foreign-sender.ts";
import type { Letter } from "./foreign-sender.ts";
import { PushService } from "./push-service.ts";
import type { PushServiceOptions } from "./push-service.ts";
import { SimulatedDevice } from "./simulated-device.ts";

const HOUR_S = 3_600;

interface Stage {
  readonly service: PushService;
  readonly sender: ForeignSender;
  readonly device: SimulatedDevice;
}

async function stage(t: TestContext, options: PushServiceOptions = {}): Promise<Stage> {
  const service = await PushService.start(options);
  const sender = new ForeignSender(options.names ? dialTo(service) : undefined);
  t.after(async () => {
    await sender.close();
    await service.close();
  });
  return { service, sender, device: new SimulatedDevice(service, sender.keys.publicKey) };
}

test("a message of the npm package web-push is accepted with 201 and a Location", async (t) => {
  const { sender, device } = await stage(t);
  const answer = await sender.post(sender.compose(device.subscription, "hello"));
  assert.equal(answer.status, 201);
  assert.match(String(answer.headers["location"]), /^http:\/\/127\.0\.0\.1:\d+\/m\/[\w-]+$/u);
  const [judged] = await device.received(1);
  assert.deepEqual(judged?.verdict, {
    kind: "accepted",
    ttlSeconds: 60,
    urgency: "high",
    topic: null,
  });
});

test("a named service is reached over TLS under each of its names and no other", async (t) => {
  const names = ["fcm.googleapis.com", "jmt17.google.com"] as const;
  const { sender, device } = await stage(t, { names });
  const { keys, endpoint } = device.subscription;
  assert.match(endpoint, /^https:\/\/fcm\.googleapis\.com\/push\//u);
  for (const name of names) {
    const target = { keys, endpoint: endpoint.replace(names[0], name) };
    assert.equal(await sender.send(target, "hello"), 201, name);
  }
  const elsewhere = { keys, endpoint: endpoint.replace(names[0], "push.example.org") };
  await assert.rejects(sender.send(elsewhere, "hello"), /No double serves/u);
  const misdirected = sender.compose(device.subscription, "hello");
  const host = "push.example.org";
  const answer = await sender.post({
    ...misdirected,
    headers: { ...misdirected.headers, host },
  });
  assert.equal(answer.status, 421);
});

test("headers and body are refused by RFC 8030, 8188 and 8291", async (t) => {
  const { sender, device } = await stage(t);
  const letter = sender.compose(device.subscription, "hello");
  const patched = (at: number, ...bytes: readonly number[]): Buffer => {
    const body = Buffer.from(letter.body);
    body.set(bytes, at);
    return body;
  };
  const largest = sender.compose(device.subscription, "x".repeat(3_993));
  const tooLarge = sender.compose(device.subscription, "x".repeat(3_994));
  const old = sender.compose(device.subscription, "hello", { contentEncoding: "aesgcm" });
  const { Authorization: authorization = "" } = letter.headers;
  const { TTL: _, ...withoutTtl } = letter.headers;
  const withHeader = (name: string, value: string): Letter => {
    return { ...letter, headers: { ...letter.headers, [name]: value } };
  };
  const cases: readonly (readonly [string, Letter, number])[] = [
    ["4096 bytes", largest, 201],
    ["4097 bytes", tooLarge, 413],
    ["a draft's encoding and scheme", old, 401],
    [
      "a draft's encoding",
      { ...old, headers: { ...old.headers, Authorization: authorization } },
      400,
    ],
    ["another encoding's name", withHeader("Content-Encoding", "aesgcm"), 400],
    ["no TTL", { ...letter, headers: withoutTtl }, 400],
    ["TTL 0", withHeader("TTL", "0"), 201],
    ["negative TTL", withHeader("TTL", "-1"), 400],
    ["fraction of a TTL", withHeader("TTL", "1.5"), 400],
    ["Urgency urgent", withHeader("Urgency", "urgent"), 400],
    ["Topic of 32", withHeader("Topic", "a".repeat(32)), 201],
    ["Topic of 36", withHeader("Topic", "a".repeat(36)), 400],
    ["Topic of 5", withHeader("Topic", "abcde"), 400],
    ["Topic with a dot", withHeader("Topic", "a.bc"), 400],
    ["no body", { ...letter, body: Buffer.alloc(0) }, 400],
    ["a cut body", { ...letter, body: letter.body.subarray(0, 100) }, 400],
    ["rs as large as the record", { ...letter, body: patched(16, 0, 0, 0, 22) }, 400],
    ["idlen 64", { ...letter, body: patched(20, 64) }, 400],
    ["a key off the curve", { ...letter, body: patched(85, (letter.body[85] ?? 0) ^ 1) }, 400],
    ["a compressed key", { ...letter, body: patched(21, 2) }, 400],
    ["GET", { ...letter, method: "GET" }, 405],
    ["an unknown endpoint", { ...letter, endpoint: `${letter.endpoint}x` }, 404],
  ];
  for (const [name, { headers, ...rest }, status] of cases) {
    const { "Content-Length": _length, ...others } = headers;
    const answer = await sender.post({ ...rest, headers: others });
    assert.equal(answer.status, status, `${name}: ${answer.text}`);
  }
});

test("the service's own clock decides what has expired", async (t) => {
  const later = Date.now() + 13 * HOUR_S * 1000;
  const { sender, device } = await stage(t, { now: () => later });
  assert.equal(await sender.send(device.subscription, "hello"), 403);
});

test("a script decides the next answers, one each, and then the rules again", async (t) => {
  const { sender, device } = await stage(t);
  const headers = { "retry-after": "120" };
  device.script(
    { kind: "answer", status: 429, headers, body: "slow down" },
    { kind: "answer", status: 410 },
  );
  const letter = sender.compose(device.subscription, "hello");
  const first = await sender.post(letter);
  assert.deepEqual([first.status, first.headers["retry-after"]], [429, "120"]);
  assert.equal(first.text, "slow down");
  assert.equal((await sender.post(letter)).status, 410);
  assert.equal(device.messages.length, 0);
  assert.equal((await sender.post(letter)).status, 201);
  assert.equal((await device.next()).text, "hello");
  const verdicts = device.judged.map(({ verdict }) => verdict.kind);
  assert.deepEqual(verdicts, ["accepted", "accepted", "accepted"]);
});

test("an answer is held back until the test lets it go", async (t) => {
  const { sender, device } = await stage(t);
  const gate = Promise.withResolvers<void>();
  device.script({ kind: "verdict", after: gate.promise });
  const status = sender.send(device.subscription, "hello");
  await device.received(1);
  assert.equal(device.messages.length, 0);
  gate.resolve();
  assert.equal(await status, 201);
  assert.equal((await device.next()).text, "hello");
});

test("connections are reset before and after the headers, with or without delivery", async (t) => {
  const { sender, device } = await stage(t);
  device.script(
    { kind: "reset", when: "before-headers" },
    { kind: "reset", when: "before-headers", delivers: true },
    { kind: "reset", when: "after-headers" },
  );
  await assert.rejects(sender.send(device.subscription, "lost"), { code: "ECONNRESET" });
  await assert.rejects(sender.send(device.subscription, "arrived"), { code: "ECONNRESET" });
  assert.equal((await device.next()).text, "arrived");
  await assert.rejects(sender.send(device.subscription, "half"), { code: "ECONNRESET" });
  assert.equal(device.messages.length, 1);
});

test("a hanging service still logs the request and can be closed", async (t) => {
  const { service, sender, device } = await stage(t);
  device.script({ kind: "hang" });
  const sent = assert.rejects(sender.send(device.subscription, "hello"));
  await service.received(1);
  await sender.close();
  await sent;
});
