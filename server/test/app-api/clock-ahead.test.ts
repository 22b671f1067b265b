import assert from "node:assert/strict";
import { Writable } from "node:stream";
import test, { type TestContext } from "node:test";
import { createClient } from "@tocsin/sdk";
import { pino } from "pino";
import { PushService } from "../doubles/push-service.ts";
import { addDevice, signUp, startApp, type TestApp } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { idOf, isOver, recordOnce } from "../support/log.ts";

const HELLO = { title: "Hello", body: "World" };
const DAY_MS = 24 * 3_600_000;
const AHEAD_MS = 40 * DAY_MS;

/** Returns a function that restarts the server on the same data with another clock offset. */
async function setUp(t: TestContext) {
  const clock = { offset: 0 };
  const now = () => Date.now() + clock.offset;
  const push = await PushService.start({ now });
  t.after(() => push.close());
  const warnings: string[] = [];
  const lines = new Writable({
    write(line: Buffer, _encoding, done) {
      const { level, msg } = JSON.parse(String(line)) as { level: number; msg: string }; // pino writes this shape.
      if (level >= 40) warnings.push(msg);
      done();
    },
  });
  let last: TestApp | null = null;
  const start = async (offset = 0) => {
    await last?.app.stop();
    clock.offset = offset;
    const before = last === null ? {} : { dataDir: last.dataDir };
    last = await startApp(t, {
      ...before,
      now,
      elapsed: () => performance.now(),
      push,
      log: pino(lines),
      random: () => 0,
      isOneProcess: true,
    });
    return last;
  };
  return { start, warnings };
}

test("a start with a clock 40 days ahead deletes no history and expires no notification", async (t) => {
  const { start, warnings } = await setUp(t);
  const first = await start();
  const ann = await signUp(first, "Ann");
  await addDevice(first, ann, "There");
  const { phone } = await addDevice(first, ann, "Busy");
  phone.script({ kind: "answer", status: 429, headers: { "retry-after": "600" } });
  const id = idOf(await ann.client.notify(HELLO, { ttlSeconds: 3_600 }));
  await recordOnce(ann.client, id, ({ counts }) => counts.retrying === 1 && counts.accepted === 1);
  const { token: accessToken } = await ann.client.accessTokens.create({ label: "later" });
  const clientAt = ({ url }: TestApp) => createClient({ baseUrl: url, accessToken });

  // Starts twice, as each start checks for expired and due jobs.
  await start(AHEAD_MS);
  const ahead = clientAt(await start(AHEAD_MS));
  const { counts } = await ahead.notifications.get(id);
  assert.deepEqual([counts.accepted, counts.expired, counts.retrying], [1, 0, 1]);
  assert.deepEqual(
    (await ahead.feed.list()).items.map((item) => item.id),
    [id],
  );
  const clockWarnings = warnings.filter((line) =>
    line.startsWith("the clock is more than a day ahead"),
  );
  assert.equal(clockWarnings.length, 2, "one warning per process");

  const client = clientAt(await start());
  const record = await recordOnce(client, id, isOver);
  assert.equal(record.counts.accepted, 2);
  await eventually(
    async () => phone.messages.length,
    (count) => count === 1,
  );
});

test("notifications accepted with a clock ahead are sent and expire by that clock", async (t) => {
  const { start } = await setUp(t);
  await start();
  const app = await start(AHEAD_MS);
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  phone.script({ kind: "answer", status: 429, headers: { "retry-after": "600" } });
  const expiredId = idOf(await ann.client.notify(HELLO, { ttlSeconds: 1 }));
  assert.equal((await recordOnce(ann.client, expiredId, isOver)).counts.expired, 1);
  const id = idOf(await ann.client.notify(HELLO));
  assert.equal((await recordOnce(ann.client, id, isOver)).counts.accepted, 1);
});
