import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { EMPTY_CONTENT } from "@tocsin/sdk";
import { createUnavailableError } from "../../test/support/database.ts";
import { addDevice, createDeliveryNode, readStates } from "../../test/support/delivery-bench.ts";
import { insertAccount, createRoomContext } from "../../test/support/context.ts";
import { ScriptedProvider } from "../../test/support/scripted-provider.ts";
import type { Compilable, Database } from "#database/database.ts";
import { InDoubtError } from "#database/in-doubt-error.ts";
import { ReadDeadline } from "./read-deadline.ts";
import { send } from "./send.ts";

const DRAFT = { ...EMPTY_CONTENT, title: "Hello" };

/** Runs a commit, or does something else instead. */
type CommitInterceptor = <T>(commit: () => Promise<T>) => Promise<T>;

/** Returns a sender on a database whose commits a test may replace. */
async function setUp(t: TestContext) {
  const real = await createRoomContext(t);
  const accountId = await insertAccount(real);
  const commits: { count: number; replacement: CommitInterceptor | null } = {
    count: 0,
    replacement: null,
  };
  const intercept: CommitInterceptor = (commit) => {
    commits.count += 1;
    const { replacement } = commits;
    commits.replacement = null;
    return replacement === null ? commit() : replacement(commit);
  };
  const context = { ...real, database: interceptCommits(real.database, intercept) };
  const read = (queries: readonly Compilable[]) => real.database.atomically(queries);
  const provider = new ScriptedProvider();
  const published: string[] = [];
  const delivery = createDeliveryNode({
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
        charge: () => {},
      },
    );
  return {
    ...bench,
    bench,
    commits,
    published,
    read,
    sendOne,
    readStoredIds: () => listStoredIds(real),
  };
}

/** Returns a database that runs its commits through a function: those of statements, and those of procedures. */
function interceptCommits(database: Database, intercept: CommitInterceptor): Database {
  const { defineProcedure } = database;
  return {
    ...database,
    atomically: (queries) => intercept(() => database.atomically(queries)),
    defineProcedure:
      defineProcedure === null
        ? null
        : (module) => {
            const call = defineProcedure(module);
            return (inputs, getStatements) => intercept(() => call(inputs, getStatements));
          },
  };
}

/** Returns the notification ids in each table. */
async function listStoredIds({ database: { db } }: Awaited<ReturnType<typeof createRoomContext>>) {
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

const NOTHING_STORED = { notifications: [], entries: [], jobs: [], keys: [] };

/** With an idempotency key, other statements insert the rows. */
const VARIANTS = [
  ["without an idempotency key", null],
  ["under an idempotency key", "key"],
] as const;

for (const [variant, key] of VARIANTS) {
  test(`${variant}, one commit stores a notification with its feed entry, and one settles its delivery`, async (t) => {
    const { bench, commits, delivery, sendOne, readStoredIds } = await setUp(t);
    await addDevice(bench, "a");
    commits.count = 0;
    const { notificationId } = await sendOne(key);
    assert.equal(commits.count, 1);
    const { notifications, entries, keys } = await readStoredIds();
    assert.deepEqual([notifications, entries], [[notificationId], [notificationId]]);
    assert.deepEqual(keys, key === null ? [] : [notificationId]);
    await delivery.worker.waitUntilIdle();
    assert.equal(commits.count, 2);
    assert.deepEqual(await readStates(bench, notificationId), ["accepted"]);
    assert.deepEqual((await readStoredIds()).entries, [notificationId]);
  });

  test(`${variant}, nothing is published, sent or returned before the commit has ended`, async (t) => {
    const { bench, commits, provider, published, sendOne, readStoredIds } = await setUp(t);
    await addDevice(bench, "a");
    const started = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    commits.replacement = async (commit) => {
      started.resolve();
      await gate.promise;
      return commit();
    };
    let hasReturned = false;
    const sending = sendOne(key).then((sent) => {
      hasReturned = true;
      return sent;
    });
    await started.promise;
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(hasReturned, false);
    assert.deepEqual(
      [published, provider.attempts, await readStoredIds()],
      [[], [], NOTHING_STORED],
    );
    gate.resolve();
    const { notificationId } = await sending;
    assert.deepEqual(published, [notificationId]);
  });

  test(`${variant}, a failed commit stores and publishes nothing`, async (t) => {
    const { commits, published, sendOne, readStoredIds } = await setUp(t);
    commits.replacement = () => Promise.reject(createUnavailableError());
    await assert.rejects(sendOne(key), { code: "unavailable" });
    assert.deepEqual([published, await readStoredIds()], [[], NOTHING_STORED]);
  });

  test(`${variant}, a notification stored by an in-doubt commit has a feed entry and is published once`, async (t) => {
    const { bench, commits, delivery, published, read, sendOne, readStoredIds } = await setUp(t);
    const deviceId = await addDevice(bench, "a");
    commits.replacement = async (commit) => {
      await commit();
      throw new InDoubtError(new Error("the answer was lost"), read);
    };
    const { notificationId, targets } = await sendOne(key);
    assert.deepEqual(
      targets?.map((target) => target.deviceId),
      [deviceId],
    );
    await delivery.worker.waitUntilIdle();
    assert.deepEqual(published, [notificationId]);
    assert.deepEqual(await readStates(bench, notificationId), ["accepted"]);
    assert.deepEqual((await readStoredIds()).entries, [notificationId]);
  });

  test(`${variant}, a notification without a device is found after a commit in doubt, and has no job`, async (t) => {
    const { commits, published, read, sendOne, readStoredIds } = await setUp(t);
    commits.replacement = async (commit) => {
      await commit();
      throw new InDoubtError(new Error("the answer was lost"), read);
    };
    const { notificationId, targets } = await sendOne(key);
    assert.deepEqual([targets, published], [[], [notificationId]]);
    const { notifications, jobs } = await readStoredIds();
    assert.deepEqual([notifications, jobs], [[notificationId], []]);
  });

  test(`${variant}, a commit in doubt that was lost stores and publishes nothing`, async (t) => {
    const { commits, published, read, sendOne, readStoredIds } = await setUp(t);
    commits.replacement = () =>
      Promise.reject(new InDoubtError(new Error("it never arrived"), read));
    await assert.rejects(sendOne(key), { code: "unavailable" });
    assert.deepEqual([published, await readStoredIds()], [[], NOTHING_STORED]);
  });
}

test("a repetition, and another notification under the same key, store no feed entry", async (t) => {
  const { delivery, published, sendOne, readStoredIds } = await setUp(t);
  const { notificationId } = await sendOne("key");
  const repeatedSend = await sendOne("key");
  assert.equal(repeatedSend.notificationId, notificationId);
  const mismatchedSend = await sendOne("key", "Something else");
  assert.equal(mismatchedSend.handedOver.kind, "mismatch");
  await delivery.worker.waitUntilIdle();
  const { notifications, entries } = await readStoredIds();
  assert.deepEqual([notifications, entries], [[notificationId], [notificationId]]);
  assert.deepEqual(published, [notificationId]);
});
