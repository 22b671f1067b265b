import assert from "node:assert/strict";
import { createECDH, randomBytes } from "node:crypto";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { Worker } from "node:worker_threads";
import { decrypt } from "http_ece";
import { MAX_PLAINTEXT_BYTES, UnusableKeysError } from "../encrypt.ts";
import { Encryptor } from "./encryptor.ts";

function browser() {
  const privateKey = createECDH("prime256v1");
  const p256dh = privateKey.generateKeys("base64url");
  const auth = randomBytes(16).toString("base64url");
  const open = (body: Buffer): string =>
    decrypt(body, { version: "aes128gcm", privateKey, authSecret: auth }).toString();
  return { keys: { p256dh, auth }, open };
}

function start(t: TestContext, threadsMax = 2): Encryptor {
  const encryptor = new Encryptor(threadsMax);
  t.after(() => encryptor.close());
  return encryptor;
}

/** Counts the threads that start from now on. */
function countThreads(t: TestContext) {
  const post = t.mock.method(Worker.prototype, "postMessage");
  return () => new Set(post.mock.calls.map((call) => call.this)).size;
}

test("every message of many at once is encrypted for its own device", async (t) => {
  const encryptor = start(t);
  const threads = countThreads(t);
  const shared = Buffer.from("Shared by many");
  const browsers = Array.from({ length: 100 }, browser);
  const bodies = await Promise.all(
    browsers.map(async ({ keys }, index) => {
      const plaintext = index % 3 === 0 ? shared : Buffer.from(`Message ${index}`);
      return encryptor.encrypt({ keys, plaintext });
    }),
  );
  for (const [index, { open }] of browsers.entries()) {
    const body = bodies[index] ?? assert.fail("It was not encrypted.");
    assert.equal(open(body), index % 3 === 0 ? "Shared by many" : `Message ${index}`);
  }
  assert.ok(threads() >= 1);
});

test("a few messages are encrypted where they come up", async (t) => {
  const encryptor = start(t);
  const threads = countThreads(t);
  for (let message = 0; message < 5; message += 1) {
    const { keys, open } = browser();
    const body = await encryptor.encrypt({ keys, plaintext: Buffer.from("One") });
    assert.equal(open(body), "One");
    await new Promise(setImmediate);
  }
  assert.equal(threads(), 0);
});

test("unusable keys fail only their device, and a plaintext that is too long only its message", async (t) => {
  const encryptor = start(t);
  const { keys, open } = browser();
  const plaintext = Buffer.from("To all");
  const wrong = { ...keys, auth: "AAAA" };
  const sent = [keys, keys, keys, wrong, keys, { ...keys, p256dh: "BAAA" }, keys];
  const ends = await Promise.allSettled(
    sent.map(async (each) => encryptor.encrypt({ keys: each, plaintext })),
  );
  assert.deepEqual(
    ends.map((end) => (end.status === "fulfilled" ? open(end.value) : end.reason.name)),
    ["To all", "To all", "To all", "UnusableKeysError", "To all", "UnusableKeysError", "To all"],
  );
  const [, , , unusable] = ends;
  assert.ok(unusable?.status === "rejected" && unusable.reason instanceof UnusableKeysError);
  assert.equal(unusable.reason.message, "The auth secret is not 16 bytes.");
  const long = Buffer.alloc(MAX_PLAINTEXT_BYTES + 1);
  await assert.rejects(encryptor.encrypt({ keys, plaintext: long }), RangeError);
});

test("a push that is with a thread that ends is encrypted all the same", async (t) => {
  const encryptor = start(t);
  const { keys, open } = browser();
  const plaintext = Buffer.from("Still sealed");
  const post = t.mock.method(Worker.prototype, "postMessage", function (this: Worker) {
    void this.terminate();
  });
  const bodies = await Promise.all(
    Array.from({ length: 40 }, async () => encryptor.encrypt({ keys, plaintext })),
  );
  assert.ok(post.mock.callCount() > 0);
  assert.ok(bodies.every((body) => open(body) === "Still sealed"));
});

test("messages that busy threads would reach late are encrypted here", async (t) => {
  const encryptor = start(t);
  t.mock.method(Worker.prototype, "postMessage", () => {});
  const plaintext = Buffer.from("Many");
  const { keys, open } = browser();
  const far = Array.from({ length: 1_000 }, async () => encryptor.encrypt({ keys, plaintext }));
  await new Promise(setImmediate);
  const near = Array.from({ length: 6 }, async () => encryptor.encrypt({ keys, plaintext }));
  // Two at once, and at least one of the others.
  assert.equal(open((await Promise.all(near.slice(0, 3)))[2] ?? Buffer.alloc(0)), "Many");
  await encryptor.close();
  for (const body of await Promise.all([...far, ...near])) assert.equal(open(body), "Many");
});

test("where there are no threads, many are encrypted turn by turn", async (t) => {
  const encryptor = start(t, 0);
  const threads = countThreads(t);
  const { keys, open } = browser();
  const plaintext = Buffer.from("Alone");
  let encrypted = 0;
  const bodies = Array.from({ length: 400 }, async () => {
    const body = await encryptor.encrypt({ keys, plaintext });
    encrypted += 1;
    return body;
  });
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  // Too little time for 400 messages on any machine.
  assert.ok(encrypted > 2 && encrypted < 400, `${encrypted} encrypted`);
  for (const body of await Promise.all(bodies)) assert.equal(open(body), "Alone");
  assert.equal(threads(), 0);
});

test("after its end an encryptor encrypts without threads", async (t) => {
  const encryptor = new Encryptor(2);
  const { keys, open } = browser();
  const plaintext = Buffer.from("Late");
  const under = Array.from({ length: 20 }, async () => encryptor.encrypt({ keys, plaintext }));
  await encryptor.close();
  const threads = countThreads(t);
  const late = Array.from({ length: 20 }, async () => encryptor.encrypt({ keys, plaintext }));
  for (const body of await Promise.all([...under, ...late])) assert.equal(open(body), "Late");
  assert.equal(threads(), 0);
});
