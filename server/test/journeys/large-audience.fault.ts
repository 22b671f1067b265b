import assert from "node:assert/strict";
import test from "node:test";
import { SimulatedDevice } from "../doubles/simulated-device.ts";
import { addDevice, signUp, startApp, type TestApp, type TestPerson } from "../support/app.ts";
import { insertDevice } from "../support/room.ts";
import { idOf, isOver, recordOnce } from "../support/log.ts";

const COUNT = 1_201;

test("a notification to more than 500 devices is accepted at once and reaches each exactly once", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const phones = await addMany(app, ann, COUNT);
  const answer = await ann.client.notify({ title: "All hands", body: "Now" });
  assert.equal(answer.success, true);
  assert.deepEqual(answer.responses, []);
  assert.match(answer.message, /more than 500 devices/);
  const record = await recordOnce(
    ann.client,
    idOf(answer),
    (seen) => seen.counts.accepted === COUNT && isOver(seen),
  );
  assert.equal(record.counts.accepted, COUNT);
  assert.deepEqual(
    phones.filter(({ judged }) => judged.length !== 1),
    [],
  );
  assert.equal(record.deliveries.length, 500);
});

/** Registers devices in the store itself: an account may register 100 through the API. */
async function addMany(
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
    const address = { provider: "webpush", endpoint, keys } as const;
    const { accountId } = person;
    const registration = { accountId, name: "Phone", platform: "web", address } as const;
    await insertDevice(app.app.context, registration);
  }
  return phones;
}
