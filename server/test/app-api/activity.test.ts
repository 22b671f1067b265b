import assert from "node:assert/strict";
import test from "node:test";
import { addDevice, signUp, startApp } from "../support/app.ts";
import { getNotificationId, waitForRecord } from "../support/notification-records.ts";

const HELLO = { title: "Hello", body: "World" };

test("activity counts an account's own notifications by outcome, and only an administrator sees the server's", async (t) => {
  const app = await startApp(t, { random: () => 0 });
  const ann = await signUp(app, "Ann");
  const bob = await signUp(app, "Bob");
  await addDevice(app, ann, "There");
  const goneDevice = await addDevice(app, ann, "Gone");
  const busy = await addDevice(app, ann, "Busy");
  goneDevice.phone.unsubscribe();
  busy.phone.script({ kind: "answer", status: 429, headers: { "retry-after": "600" } });
  const id = getNotificationId(await ann.client.notify(HELLO));
  await waitForRecord(ann.client, id, ({ counts }) => counts.retrying === 1 && counts.gone === 1);
  const { days, providers, errors, handOverMs, waiting, queue } = await ann.client.activity();
  assert.equal(days.length, 7);
  const today = days.at(-1);
  assert.deepEqual(today, {
    day: new Date().toISOString().slice(0, 10),
    sent: 1,
    delivered: 1,
    failed: 1,
    skipped: 0,
  });
  assert.deepEqual(providers, [{ provider: "webpush", delivered: 1, failed: 1, skipped: 0 }]);
  assert.deepEqual(errors, [{ code: "device_gone", count: 1 }]);
  assert.ok(handOverMs !== null && handOverMs.p50 >= 1 && handOverMs.p50 < 10_000);
  assert.deepEqual([waiting, queue], [1, null]);
  const bobActivity = await bob.client.activity({ days: 90 });
  assert.equal(bobActivity.days.length, 90);
  assert.deepEqual(
    [bobActivity.days.at(-1)?.sent, bobActivity.waiting, bobActivity.errors],
    [0, 0, []],
  );
  const forbidden = { status: 403, code: "forbidden" };
  await assert.rejects(bob.client.activity({ scope: "server" }), forbidden);
});
