import assert from "node:assert/strict";
import test from "node:test";
import { insertDevice } from "../support/room.ts";
import { SimulatedDevice } from "../doubles/simulated-device.ts";
import { signUp, startApp } from "../support/app.ts";
import { idOf, isOver, recordOnce } from "../support/log.ts";

/** More than one chunk, and more than the concurrency limit. */
const COUNT = 520;

test("the log counts the queued deliveries of a large audience", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { publicKey } = await ann.client.webPushKey();
  const released = Promise.withResolvers<void>();
  for (let count = 0; count < COUNT; count += 1) {
    const phone = new SimulatedDevice(app.push, publicKey);
    phone.script({ kind: "verdict", after: released.promise });
    // Inserted directly into the database: the API allows only 100 devices per account.
    const address = { provider: "webpush", ...phone.subscription } as const;
    const device = { accountId: ann.accountId, name: "Phone", platform: "web", address } as const;
    await insertDevice(app.app.context, device);
  }
  const id = idOf(await ann.client.notify({ title: "All hands", body: "Now" }));
  const inProgress = await recordOnce(ann.client, id, ({ counts }) => counts.queued === COUNT);
  assert.equal(isOver(inProgress), false);
  released.resolve();
  const { counts } = await recordOnce(ann.client, id, isOver);
  assert.deepEqual([counts.accepted, counts.queued], [COUNT, 0]);
});
