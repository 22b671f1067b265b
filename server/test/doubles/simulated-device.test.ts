import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { TEXT_MAX_BYTES, WebPushSender } from "./web-push-sender.ts";
import { PushService } from "./push-service.ts";
import { SimulatedDevice } from "./simulated-device.ts";

async function setUp(t: TestContext) {
  const service = await PushService.start();
  const sender = new WebPushSender();
  t.after(async () => {
    await sender.close();
    await service.close();
  });
  return { sender, device: new SimulatedDevice(service, sender.keys.publicKey) };
}

test("a device decrypts messages of an independent sender, up to 3993 bytes", async (t) => {
  const { sender, device } = await setUp(t);
  for (const text of ["x", "Füße 🦊 \u0000", "y".repeat(TEXT_MAX_BYTES)]) {
    assert.equal(await sender.send(device.subscription, text, { topic: "abcd" }), 201);
    const message = await device.next();
    assert.deepEqual(message, { text, urgency: "high", topic: "abcd", ttlSeconds: 60 });
  }
  assert.equal(device.messages.length, 3);
});

test("a message with a flipped bit is accepted by the service but fails on the device", async (t) => {
  const { sender, device } = await setUp(t);
  const request = sender.composeDamaged(device.subscription, "hello");
  assert.equal((await sender.post(request)).status, 201);
  await assert.rejects(device.next(), /cannot decrypt/u);
  assert.deepEqual(device.messages, []);
});

test("the endpoint of an unsubscribed device answers 410, and the device receives nothing", async (t) => {
  const { sender, device } = await setUp(t);
  device.unsubscribe();
  assert.equal(await sender.send(device.subscription, "hello"), 410);
  assert.equal(device.messages.length, 0);
  assert.equal(device.requests.length, 1);
});
