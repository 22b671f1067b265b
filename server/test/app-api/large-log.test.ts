import assert from "node:assert/strict";
import test from "node:test";
import { insertDevice } from "../support/context.ts";
import { SimulatedDevice } from "../doubles/simulated-device.ts";
import { signUp, startApp } from "../support/app.ts";
import {
  getNotificationId,
  areDeliveriesFinished,
  waitForRecord,
} from "../support/notification-records.ts";

/** More devices than a chunk of a send has, and more than the server sends to at once. */
const DEVICE_COUNT = 520;

test("the log counts the queued deliveries of a bulk notification", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { publicKey } = await ann.client.webPushKey();
  const responseReleased = Promise.withResolvers<void>();
  for (let count = 0; count < DEVICE_COUNT; count += 1) {
    const phone = new SimulatedDevice(app.push, publicKey);
    phone.script({ kind: "verdict", after: responseReleased.promise });
    // Inserted directly into the database: the API allows only 100 devices per account.
    const address = { provider: "webpush", ...phone.subscription } as const;
    const device = { accountId: ann.accountId, name: "Phone", platform: "web", address } as const;
    await insertDevice(app.app.context, device);
  }
  const id = getNotificationId(await ann.client.notify({ title: "All hands", body: "Now" }));
  const inProgress = await waitForRecord(
    ann.client,
    id,
    ({ counts }) => counts.queued === DEVICE_COUNT,
  );
  assert.equal(areDeliveriesFinished(inProgress), false);
  responseReleased.resolve();
  const { counts } = await waitForRecord(ann.client, id, areDeliveriesFinished);
  assert.deepEqual([counts.accepted, counts.queued], [DEVICE_COUNT, 0]);
});
