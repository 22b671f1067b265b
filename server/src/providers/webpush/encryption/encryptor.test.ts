import assert from "node:assert/strict";
import { createECDH, randomBytes } from "node:crypto";
import { test, type TestContext } from "node:test";
import { Worker } from "node:worker_threads";
import { decrypt } from "http_ece";
import { PLAINTEXT_MAX_BYTES, UnusableKeysError } from "../encrypt.ts";
import { Encryptor } from "./encryptor.ts";

function createBrowser() {
  const privateKey = createECDH("prime256v1");
  const p256dh = privateKey.generateKeys("base64url");
  const auth = randomBytes(16).toString("base64url");
  const decryptBody = (body: Buffer): string =>
    decrypt(body, { version: "aes128gcm", privateKey, authSecret: auth }).toString();
  return { keys: { p256dh, auth }, decryptBody };
}

function startEncryptor(t: TestContext, threadsMax = 2): Encryptor {
  const encryptor = new Encryptor(threadsMax);
  t.after(() => encryptor.close());
  return encryptor;
}

/** Creates a function that returns the number of threads that got a batch since the creation. */
function createThreadCounter(t: TestContext) {
  const postMessage = t.mock.method(Worker.prototype, "postMessage");
  return () => new Set(postMessage.mock.calls.map((call) => call.this)).size;
}

test("many concurrent messages are each encrypted for their own device", async (t) => {
  const encryptor = startEncryptor(t);
  const getThreadCount = createThreadCounter(t);
  const shared = Buffer.from("Shared by many");
  const browsers = Array.from({ length: 100 }, createBrowser);
  const bodies = await Promise.all(
    browsers.map(async ({ keys }, index) => {
      const plaintext = index % 3 === 0 ? shared : Buffer.from(`Message ${index}`);
      return encryptor.encrypt({ keys, plaintext });
    }),
  );
  for (const [index, { decryptBody }] of browsers.entries()) {
    const body = bodies[index] ?? assert.fail("It was not encrypted.");
    assert.equal(decryptBody(body), index % 3 === 0 ? "Shared by many" : `Message ${index}`);
  }
  assert.ok(getThreadCount() >= 1);
});

test("a few messages are encrypted on the main thread", async (t) => {
  const encryptor = startEncryptor(t);
  const getThreadCount = createThreadCounter(t);
  for (let message = 0; message < 5; message += 1) {
    const { keys, decryptBody } = createBrowser();
    const body = await encryptor.encrypt({ keys, plaintext: Buffer.from("One") });
    assert.equal(decryptBody(body), "One");
    await new Promise(setImmediate);
  }
  assert.equal(getThreadCount(), 0);
});

test("unusable keys fail only their message, and a plaintext that is too long is refused", async (t) => {
  const encryptor = startEncryptor(t);
  const { keys, decryptBody } = createBrowser();
  const plaintext = Buffer.from("To all");
  const wrongAuth = { ...keys, auth: "AAAA" };
  const deviceKeys = [keys, keys, keys, wrongAuth, keys, { ...keys, p256dh: "BAAA" }, keys];
  const results = await Promise.allSettled(
    deviceKeys.map(async (keysOfOne) => encryptor.encrypt({ keys: keysOfOne, plaintext })),
  );
  assert.deepEqual(
    results.map((result) =>
      result.status === "fulfilled" ? decryptBody(result.value) : result.reason.name,
    ),
    ["To all", "To all", "To all", "UnusableKeysError", "To all", "UnusableKeysError", "To all"],
  );
  const [, , , unusable] = results;
  assert.ok(unusable?.status === "rejected" && unusable.reason instanceof UnusableKeysError);
  assert.equal(unusable.reason.message, "The auth secret is not 16 bytes.");
  const longPlaintext = Buffer.alloc(PLAINTEXT_MAX_BYTES + 1);
  await assert.rejects(encryptor.encrypt({ keys, plaintext: longPlaintext }), RangeError);
});

test("the messages of a thread that ends are still encrypted", async (t) => {
  const encryptor = startEncryptor(t);
  const { keys, decryptBody } = createBrowser();
  const plaintext = Buffer.from("Still encrypted");
  const postMessage = t.mock.method(Worker.prototype, "postMessage", function (this: Worker) {
    void this.terminate();
  });
  const bodies = await Promise.all(
    Array.from({ length: 40 }, async () => encryptor.encrypt({ keys, plaintext })),
  );
  assert.ok(postMessage.mock.callCount() > 0);
  assert.ok(bodies.every((body) => decryptBody(body) === "Still encrypted"));
});

test("the main thread encrypts messages while all threads are busy", async (t) => {
  const encryptor = startEncryptor(t);
  t.mock.method(Worker.prototype, "postMessage", () => {});
  const plaintext = Buffer.from("Many");
  const { keys, decryptBody } = createBrowser();
  const backlog = Array.from({ length: 1_000 }, async () => encryptor.encrypt({ keys, plaintext }));
  await new Promise(setImmediate);
  const latest = Array.from({ length: 6 }, async () => encryptor.encrypt({ keys, plaintext }));
  // Two are encrypted directly, and at least one of the others in a later turn.
  assert.equal(decryptBody((await Promise.all(latest.slice(0, 3)))[2] ?? Buffer.alloc(0)), "Many");
  await encryptor.close();
  for (const body of await Promise.all([...backlog, ...latest]))
    assert.equal(decryptBody(body), "Many");
});

test("many messages are encrypted over several turns of the event loop if there are no threads", async (t) => {
  const encryptor = startEncryptor(t, 0);
  const getThreadCount = createThreadCounter(t);
  const { keys, decryptBody } = createBrowser();
  const plaintext = Buffer.from("Alone");
  let encryptedCount = 0;
  const bodies = Array.from({ length: 400 }, async () => {
    const body = await encryptor.encrypt({ keys, plaintext });
    encryptedCount += 1;
    return body;
  });
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  // Two turns are too short for 400 messages on any machine.
  assert.ok(encryptedCount > 2 && encryptedCount < 400, `${encryptedCount} encrypted`);
  for (const body of await Promise.all(bodies)) assert.equal(decryptBody(body), "Alone");
  assert.equal(getThreadCount(), 0);
});

test("a closed encryptor encrypts without threads", async (t) => {
  const encryptor = new Encryptor(2);
  const { keys, decryptBody } = createBrowser();
  const plaintext = Buffer.from("Late");
  const pending = Array.from({ length: 20 }, async () => encryptor.encrypt({ keys, plaintext }));
  await encryptor.close();
  const getThreadCount = createThreadCounter(t);
  const laterBodies = Array.from({ length: 20 }, async () =>
    encryptor.encrypt({ keys, plaintext }),
  );
  for (const body of await Promise.all([...pending, ...laterBodies]))
    assert.equal(decryptBody(body), "Late");
  assert.equal(getThreadCount(), 0);
});
