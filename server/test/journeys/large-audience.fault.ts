import assert from "node:assert/strict";
import test from "node:test";
import { SimulatedDevice } from "../doubles/simulated-device.ts";
import { addDevice, signUp, startApp, type TestApp, type TestPerson } from "../support/app.ts";
import { insertDevice } from "../support/context.ts";
import {
  getNotificationId,
  areDeliveriesFinished,
  waitForRecord,
} from "../support/notification-records.ts";

/** More than twice 500, and not a multiple of it. */
const DEVICE_COUNT = 1_201;

test("a send to more than 500 devices returns no result per device, and reaches each exactly once", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const phones = await insertDevices(app, ann, DEVICE_COUNT);
  const response = await ann.client.notify({ title: "All hands", body: "Now" });
  assert.equal(response.success, true);
  assert.deepEqual(response.responses, []);
  assert.match(response.message, /more than 500 devices/);
  const record = await waitForRecord(
    ann.client,
    getNotificationId(response),
    (current) => current.counts.accepted === DEVICE_COUNT && areDeliveriesFinished(current),
  );
  assert.equal(record.counts.accepted, DEVICE_COUNT);
  assert.deepEqual(
    phones.filter(({ requests }) => requests.length !== 1),
    [],
  );
  assert.equal(record.deliveries.length, 500);
});

/** Inserts devices directly into the database: the API allows only 100 per account. */
async function insertDevices(
  app: TestApp,
  person: TestPerson,
  count: number,
): Promise<SimulatedDevice[]> {
  const { device } = await addDevice(app, person);
  await person.client.devices.remove(device.id);
  const { publicKey } = await person.client.webPushKey();
  const phones = Array.from({ length: count }, () => new SimulatedDevice(app.push, publicKey));
  for (const phone of phones) {
    const { endpoint, keys } = phone.subscription;
    const subscription = { provider: "webpush", endpoint, keys } as const;
    const { accountId } = person;
    const registration = {
      accountId,
      name: "Phone",
      platform: "web",
      address: subscription,
    } as const;
    await insertDevice(app.app.context, registration);
  }
  return phones;
}
