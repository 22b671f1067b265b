import assert from "node:assert/strict";
import test from "node:test";
import { insertDevice } from "../support/room.ts";
import { SimulatedDevice } from "../doubles/simulated-device.ts";
import { signUp, startApp } from "../support/app.ts";
import { idOf, isOver, recordOnce } from "../support/log.ts";

/** More than one chunk, and more than are tried at once. */
const COUNT = 520;

test("of a large audience, the log counts what is still queued", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { publicKey } = await ann.client.webPushKey();
  const released = Promise.withResolvers<void>();
  for (let count = 0; count < COUNT; count += 1) {
    const phone = new SimulatedDevice(app.push, publicKey);
    phone.script({ kind: "verdict", after: released.promise });
    // In the store itself: an account may register 100 devices through the API.
    const address = { provider: "webpush", ...phone.subscription } as const;
    const device = { accountId: ann.accountId, name: "Phone", platform: "web", address } as const;
    await insertDevice(app.app.context, device);
  }
  const id = idOf(await ann.client.notify({ title: "All hands", body: "Now" }));
  const underWay = await recordOnce(ann.client, id, ({ counts }) => counts.queued === COUNT);
  assert.equal(isOver(underWay), false);
  released.resolve();
  const { counts } = await recordOnce(ann.client, id, isOver);
  assert.deepEqual([counts.accepted, counts.queued], [COUNT, 0]);
});
