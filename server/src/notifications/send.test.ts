import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { EMPTY_CONTENT } from "@tocsin/sdk";
import { unavailableError } from "../../test/support/database.ts";
import { addDevice, createNode, statesOf } from "../../test/support/delivery-bench.ts";
import { insertAccount, testContext } from "../../test/support/room.ts";
import { ScriptedProvider } from "../../test/support/scripted-provider.ts";
import type { QueryResult } from "kysely";
import type { Compilable } from "#database/database.ts";
import { InDoubtError } from "#database/in-doubt-error.ts";
import { ReadDeadline } from "./read-deadline.ts";
import { send } from "./send.ts";

type Commit = (queries: readonly Compilable[]) => Promise<readonly QueryResult<unknown>[]>;

/** Returns a sender on a database whose commits a test may replace. */
async function setUp(t: TestContext) {
  const real = await testContext(t);
  const accountId = await insertAccount(real);
  const commits: { count: number; instead: ((commit: Commit) => Commit) | null } = {
    count: 0,
    instead: null,
  };
  const database = {
    ...real.database,
    async atomically(queries: readonly Compilable[]) {
      commits.count += 1;
      const { instead } = commits;
      commits.instead = null;
      const commit: Commit = (all) => real.database.atomically(all);
      return (instead === null ? commit : instead(commit))(queries);
    },
  };
  const context = { ...real, database };
  const provider = new ScriptedProvider();
  const published: string[] = [];
  const delivery = createNode({
    context,
    providers: [provider],
    onAccepted: ({ id }) => published.push(id),
  });
  t.after(() => delivery.worker.stop(0));
  const bench = { context, accountId, provider, delivery };
  const sendOne = (idempotencyKey: string | null, title = "Hello") =>
    send(
      { context, delivery },
      {
        keyId: null,
        senderId: accountId,
        audience: { kind: "account", accountId },
        draft: { ...DRAFT, title },
        ttlSeconds: 60,
        idempotencyKey,
        isAwaited: false,
        readDeadline: new ReadDeadline(0),
        onAudience: () => {},
      },
    );
  return { ...bench, bench, commits, published, sendOne, stored: () => storedIn(real) };
}

const DRAFT = { ...EMPTY_CONTENT, title: "Hello" };

/** Returns the notification ids in each table. */
async function storedIn({ database: { db } }: Awaited<ReturnType<typeof testContext>>) {
  const [notifications, entries, jobs, keys] = await Promise.all([
    db.selectFrom("notification").select("id").orderBy("id").execute(),
    db.selectFrom("feed_entry").select("notification_id as id").orderBy("id").execute(),
    db.selectFrom("send_job").select("notification_id as id").orderBy("id").execute(),
    db.selectFrom("idempotency").select("notification_id as id").orderBy("id").execute(),
  ]);
  const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);
  return {
    notifications: ids(notifications),
    entries: ids(entries),
    jobs: ids(jobs),
    keys: ids(keys),
  };
}

const NO_ROWS = { notifications: [], entries: [], jobs: [], keys: [] };

/** With an idempotency key, other statements insert the rows. */
const VARIANTS = [
  ["without an idempotency key", null],
  ["under an idempotency key", "key"],
] as const;

for (const [variant, key] of VARIANTS) {
  test(`${variant}, one commit stores notification, feed entry and job, and one settles it`, async (t) => {
    const { bench, commits, delivery, sendOne, stored } = await setUp(t);
    await addDevice(bench, "a");
    commits.count = 0;
    const { notificationId } = await sendOne(key);
    assert.equal(commits.count, 1);
    const { notifications, entries, keys } = await stored();
    assert.deepEqual([notifications, entries], [[notificationId], [notificationId]]);
    assert.deepEqual(keys, key === null ? [] : [notificationId]);
    await delivery.worker.idle();
    assert.equal(commits.count, 2);
    assert.deepEqual(await statesOf(bench, notificationId), ["accepted"]);
    assert.deepEqual((await stored()).entries, [notificationId]);
  });

  test(`${variant}, nothing is published, sent or answered before the commit has ended`, async (t) => {
    const { bench, commits, provider, published, sendOne, stored } = await setUp(t);
    await addDevice(bench, "a");
    const started = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    commits.instead = (commit) => async (queries) => {
      started.resolve();
      await gate.promise;
      return commit(queries);
    };
    let isAnswered = false;
    const sending = sendOne(key).then((sent) => {
      isAnswered = true;
      return sent;
    });
    await started.promise;
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(isAnswered, false);
    assert.deepEqual([published, provider.attempts, await stored()], [[], [], NO_ROWS]);
    gate.resolve();
    const { notificationId } = await sending;
    assert.deepEqual(published, [notificationId]);
  });

  test(`${variant}, a failed commit stores and publishes nothing`, async (t) => {
    const { commits, published, sendOne, stored } = await setUp(t);
    commits.instead = () => () => Promise.reject(unavailableError());
    await assert.rejects(sendOne(key), { code: "unavailable" });
    assert.deepEqual([published, await stored()], [[], NO_ROWS]);
  });

  test(`${variant}, an in-doubt commit that was stored has its feed entry and is published once`, async (t) => {
    const { commits, delivery, published, sendOne, stored } = await setUp(t);
    commits.instead = (commit) => async (queries) => {
      await commit(queries);
      throw new InDoubtError(new Error("the answer was lost"), commit);
    };
    const { notificationId } = await sendOne(key);
    await delivery.worker.idle();
    assert.deepEqual(published, [notificationId]);
    assert.deepEqual((await stored()).entries, [notificationId]);
  });

  test(`${variant}, an in-doubt commit that was lost stores and publishes nothing`, async (t) => {
    const { commits, published, sendOne, stored } = await setUp(t);
    commits.instead = (commit) => async () => {
      throw new InDoubtError(new Error("it never arrived"), commit);
    };
    await assert.rejects(sendOne(key), { code: "unavailable" });
    assert.deepEqual([published, await stored()], [[], NO_ROWS]);
  });
}

test("a repetition, and another notification under the same key, store no feed entry", async (t) => {
  const { delivery, published, sendOne, stored } = await setUp(t);
  const { notificationId } = await sendOne("key");
  const repeated = await sendOne("key");
  assert.equal(repeated.notificationId, notificationId);
  const mismatched = await sendOne("key", "Something else");
  assert.equal(mismatched.handedOver.kind, "mismatch");
  await delivery.worker.idle();
  const { notifications, entries } = await stored();
  assert.deepEqual([notifications, entries], [[notificationId], [notificationId]]);
  assert.deepEqual(published, [notificationId]);
});
