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

/** Starts servers one after the other on the same data, with a clock that is set in between. */
async function stage(t: TestContext) {
  const clock = { offset: 0 };
  const now = () => Date.now() + clock.offset;
  const push = await PushService.start({ now });
  t.after(() => push.close());
  const warnings: string[] = [];
  const lines = new Writable({
    write(line: Buffer, _encoding, done) {
      const { level, msg } = JSON.parse(String(line)) as { level: number; msg: string }; // As pino writes.
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

test("a start by a clock 40 days ahead deletes no history and ends nothing that was accepted", async (t) => {
  const { start, warnings } = await stage(t);
  const first = await start();
  const ann = await signUp(first, "Ann");
  await addDevice(first, ann, "There");
  const { phone } = await addDevice(first, ann, "Busy");
  phone.script({ kind: "answer", status: 429, headers: { "retry-after": "600" } });
  const id = idOf(await ann.client.notify(HELLO, { ttlSeconds: 3_600 }));
  await recordOnce(ann.client, id, ({ counts }) => counts.retrying === 1 && counts.accepted === 1);
  const { token: accessToken } = await ann.client.accessTokens.create({ label: "later" });
  const clientAt = ({ url }: TestApp) => createClient({ baseUrl: url, accessToken });

  // Each looks for what is old, and for what is due, as it starts; the second one finds what the first left.
  await start(AHEAD_MS);
  const ahead = clientAt(await start(AHEAD_MS));
  const { counts } = await ahead.notifications.get(id);
  assert.deepEqual([counts.accepted, counts.expired, counts.retrying], [1, 0, 1]);
  assert.deepEqual(
    (await ahead.feed.list()).items.map((item) => item.id),
    [id],
  );
  const doubts = warnings.filter((line) => line.startsWith("the clock is more than a day ahead"));
  assert.equal(doubts.length, 2, "once a process");

  const right = clientAt(await start());
  const record = await recordOnce(right, id, isOver);
  assert.equal(record.counts.accepted, 2);
  await eventually(
    async () => phone.messages.length,
    (count) => count === 1,
  );
});

test("a notification accepted by a clock that is ahead is sent, and ends, by it", async (t) => {
  const { start } = await stage(t);
  await start();
  const app = await start(AHEAD_MS);
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  phone.script({ kind: "answer", status: 429, headers: { "retry-after": "600" } });
  const late = idOf(await ann.client.notify(HELLO, { ttlSeconds: 1 }));
  assert.equal((await recordOnce(ann.client, late, isOver)).counts.expired, 1);
  const id = idOf(await ann.client.notify(HELLO));
  assert.equal((await recordOnce(ann.client, id, isOver)).counts.accepted, 1);
});
