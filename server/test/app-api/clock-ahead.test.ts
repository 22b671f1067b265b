import assert from "node:assert/strict";
import { Writable } from "node:stream";
import test, { type TestContext } from "node:test";
import { createClient } from "@tocsin/sdk";
import { pino } from "pino";
import { PushService } from "../doubles/push-service.ts";
import { addDevice, signUp, startApp, type TestApp } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import {
  getNotificationId,
  areDeliveriesFinished,
  waitForRecord,
} from "../support/notification-records.ts";

const HELLO = { title: "Hello", body: "World" };
const DAY_MS = 24 * 3_600_000;
const AHEAD_MS = 40 * DAY_MS;
/** The level of pino's lines with `warn`. */
const WARN_LEVEL = 40;

/** Returns a function that restarts the server on the same data with another clock offset, and the logged warnings. */
async function createRestarter(t: TestContext) {
  const clock = { offsetMs: 0 };
  const now = () => Date.now() + clock.offsetMs;
  const push = await PushService.start({ now });
  t.after(() => push.close());
  const warnings: string[] = [];
  const lines = new Writable({
    write(line: Buffer, _encoding, done) {
      const { level, msg } = JSON.parse(String(line)) as { level: number; msg: string }; // pino writes this shape.
      if (level >= WARN_LEVEL) warnings.push(msg);
      done();
    },
  });
  let previousApp: TestApp | null = null;
  const restart = async (offsetMs = 0) => {
    await previousApp?.app.stop();
    clock.offsetMs = offsetMs;
    const data = previousApp === null ? {} : { dataDir: previousApp.dataDir };
    previousApp = await startApp(t, {
      ...data,
      now,
      elapsed: () => performance.now(),
      push,
      log: pino(lines),
      random: () => 0,
      isSingleProcess: true,
    });
    return previousApp;
  };
  return { restart, warnings };
}

test("a server that starts with a clock 40 days ahead deletes no history and expires no notification", async (t) => {
  const { restart, warnings } = await createRestarter(t);
  const first = await restart();
  const ann = await signUp(first, "Ann");
  await addDevice(first, ann, "There");
  const { phone } = await addDevice(first, ann, "Busy");
  phone.script({ kind: "answer", status: 429, headers: { "retry-after": "600" } });
  const id = getNotificationId(await ann.client.notify(HELLO, { ttlSeconds: 3_600 }));
  await waitForRecord(
    ann.client,
    id,
    ({ counts }) => counts.retrying === 1 && counts.accepted === 1,
  );
  const { token: accessToken } = await ann.client.accessTokens.create({ label: "later" });
  const createClientFor = ({ url }: TestApp) => createClient({ baseUrl: url, accessToken });

  // Starts twice, as each start checks for expired and due jobs.
  await restart(AHEAD_MS);
  const clientAhead = createClientFor(await restart(AHEAD_MS));
  const { counts } = await clientAhead.notifications.get(id);
  assert.deepEqual([counts.accepted, counts.expired, counts.retrying], [1, 0, 1]);
  assert.deepEqual(
    (await clientAhead.feed.list()).items.map((item) => item.id),
    [id],
  );
  const clockWarnings = warnings.filter((line) =>
    line.startsWith("the clock is more than a day ahead"),
  );
  assert.equal(clockWarnings.length, 2, "one warning per process");

  const client = createClientFor(await restart());
  const record = await waitForRecord(client, id, areDeliveriesFinished);
  assert.equal(record.counts.accepted, 2);
  await eventually(
    async () => phone.messages.length,
    (count) => count === 1,
  );
});

test("notifications accepted with a clock ahead are sent and expire by that clock", async (t) => {
  const { restart } = await createRestarter(t);
  await restart();
  const app = await restart(AHEAD_MS);
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  phone.script({ kind: "answer", status: 429, headers: { "retry-after": "600" } });
  const expiredId = getNotificationId(await ann.client.notify(HELLO, { ttlSeconds: 1 }));
  assert.equal(
    (await waitForRecord(ann.client, expiredId, areDeliveriesFinished)).counts.expired,
    1,
  );
  const id = getNotificationId(await ann.client.notify(HELLO));
  assert.equal((await waitForRecord(ann.client, id, areDeliveriesFinished)).counts.accepted, 1);
});
