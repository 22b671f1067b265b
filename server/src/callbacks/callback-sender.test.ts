import assert from "node:assert/strict";
import test from "node:test";
import { sql } from "kysely";
import { createCallbackFixture, SOURCE_ID } from "../../test/support/callback-fixture.ts";
import { eventually } from "../../test/support/eventually.ts";
import type { CallbackOutcome } from "./callback.ts";
import { listUndelivered } from "./store/failures.ts";
import { insertCallbackQuery } from "./store/outbox.ts";
import { createSecret } from "./store/secrets.ts";

/** More turns of the event loop than a repeated query would need to show. */
const TICKS = 1_000;
const HOUR_MS = 3_600_000;
/** The number of callbacks in flight with which a source is busy, as in `callback-sender.ts`. */
const BUSY_COUNT = 8;

test("a stored callback is sent at once, with a signature that standardwebhooks accepts", async (t) => {
  const { context, receiver, createSender, store, listRows, results } =
    await createCallbackFixture(t);
  const id = await store({ payload: { incidentId: "i1", title: "Grüße" } });
  createSender().start();
  const [call] = await receiver.waitForCalls(1);
  assert.deepEqual(call?.acceptedSecrets, receiver.secrets);
  assert.equal(call?.path, "/hook?token=canary");
  assert.equal(call?.headers["webhook-id"], id);
  assert.equal(call?.headers["content-type"], "application/json");
  assert.deepEqual(JSON.parse(call?.body ?? ""), {
    type: "incident.acknowledged",
    timestamp: new Date(context.now()).toISOString(),
    data: { incidentId: "i1", title: "Grüße" },
  });
  await eventually(listRows, (rows) => rows.length === 0);
  assert.deepEqual(results, ["delivered"]);
});

test("a callback is not stored if its condition is false or its transaction rolls back", async (t) => {
  const { context, create, listRows } = await createCallbackFixture(t);
  const callback = {
    sourceId: SOURCE_ID,
    event: "prompt.answered",
    subjectId: "p",
    url: "https://hooks.example.org/",
    payload: {},
  } as const;
  const insertWhere = (count: number) =>
    insertCallbackQuery(
      context,
      callback,
      sql<boolean>`(select count(*) from callback_secret) = ${count}`,
    );
  const stored = insertWhere(1);
  const notStored = insertWhere(2);
  await context.database.atomically([stored, notStored]);
  const insert = create();
  await assert.rejects(context.database.atomically([insert, insert]), /unique/i);
  assert.deepEqual(
    (await listRows()).map(({ id }) => id),
    [stored.id],
  );
});

test("a callback is retried after 5 s, 30 s, 5 min, 30 min, 2 h, 6 h and 14 h, and then fails", async (t) => {
  const { context, receiver, createSender, store, listRows, results, readLog } =
    await createCallbackFixture(t);
  receiver.answerWithStatus(500);
  const id = await store();
  const waits: number[] = [];
  for (let attempt = 1; attempt <= 7; attempt += 1) {
    const sender = createSender();
    sender.start();
    await receiver.waitForCalls(attempt);
    await sender.stop();
    const [row] = await listRows();
    const waitMs = (row?.run_at ?? 0) - context.now();
    waits.push(waitMs);
    assert.equal(row?.last_failure, "answered 500");
    context.clock.advance(waitMs);
  }
  assert.deepEqual(waits, [
    5_000,
    30_000,
    300_000,
    1_800_000,
    2 * HOUR_MS,
    6 * HOUR_MS,
    14 * HOUR_MS,
  ]);
  const sender = createSender();
  sender.start();
  const calls = await receiver.waitForCalls(8);
  await sender.stop();
  // Each attempt has its own time, and so its own signature of the same id and body.
  assert.ok(calls.every(({ acceptedSecrets }) => acceptedSecrets.length === 1));
  assert.deepEqual(new Set(calls.map(({ headers }) => headers["webhook-id"])), new Set([id]));
  assert.equal(new Set(calls.map(({ body }) => body)).size, 1);
  assert.equal(new Set(calls.map(({ headers }) => headers["webhook-timestamp"])).size, 8);
  const [failed] = await listUndelivered(context, "incident-1");
  assert.deepEqual(
    [failed?.attempts, failed?.runAt, failed?.failedAt, failed?.lastFailure],
    [8, null, context.now(), "answered 500"],
  );
  assert.deepEqual(results, [...Array.from({ length: 7 }, () => "retried"), "failed"]);
  assert.ok(!readLog().includes("canary"));
});

test("a receiver that answers 410 is not called again, and one of two processes reports the failure once", async (t) => {
  const { context, receiver, createSender, store, listRows } = await createCallbackFixture(t);
  receiver.answerWithStatus(410);
  const id = await store();
  const committed: string[] = [];
  const failures: string[] = [];
  const start = () => {
    const sender = createSender();
    sender.onFailed("incident.", {
      createStatements: ({ reason, subjectId }) => {
        failures.push(`${subjectId} ${reason}`);
        const setting = { name: `failed ${subjectId}`, value: reason, changed_at: 0 };
        return [context.database.db.insertInto("setting").values(setting)];
      },
      onCommitted: (failure) => committed.push(failure.id),
    });
    sender.onFailed("prompt.", { createStatements: () => assert.fail("not a prompt") });
    sender.start();
    return sender;
  };
  const senders = [start(), start()];
  const [failed] = await eventually(listRows, (rows) => rows[0]?.failed_at !== null);
  // The payload may name the person who acted, so the failure erases it.
  assert.equal(failed?.payload, "");
  await Promise.all(senders.map((sender) => sender.stop()));
  context.clock.advance(24 * HOUR_MS);
  await start().stop();
  assert.deepEqual(failures, ["incident-1 answered 410: wants no further calls"]);
  assert.deepEqual(committed, [id]);
  const settings = await context.database.db.selectFrom("setting").select(["value"]).execute();
  assert.deepEqual(settings, [{ value: "answered 410: wants no further calls" }]);
  assert.equal(receiver.calls.length, 1);
});

test("a source whose receiver hangs does not block the callbacks of other sources", async (t) => {
  const { context, receiver, createSender, create } = await createCallbackFixture(t);
  receiver.secrets.push(await createSecret(context, "second-key"));
  const hanging = Array.from({ length: 100 }, () => create());
  await context.database.atomically(hanging);
  const { promise, resolve } = Promise.withResolvers<CallbackOutcome>();
  const begun: string[] = [];
  const sender = createSender(({ headers }) => {
    begun.push(headers["webhook-id"] ?? "");
    return promise;
  });
  sender.start();
  await eventually(
    async () => begun.length,
    (count) => count >= BUSY_COUNT,
  );
  const other = create({ sourceId: "second-key" });
  await context.database.atomically([other]);
  sender.announce();
  await eventually(
    async () => begun,
    (ids) => ids.includes(other.id),
  );
  // A source has at most twice as many callbacks in flight. One more is of the other source.
  assert.ok(begun.length <= 2 * BUSY_COUNT + 1, String(begun.length));
  resolve({ kind: "retry", reason: "answered 503" });
  await sender.stop();
});

test("a stop aborts a slow callback after 5 s, makes it due again, and does not count the attempt", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { receiver, createSender, store, listRows, context } = await createCallbackFixture(t);
  receiver.answerWith(() => {});
  await store();
  const sender = createSender();
  sender.start();
  await receiver.waitForCalls(1);
  const stopped = sender.stop();
  t.mock.timers.tick(5_000);
  await stopped;
  const [row] = await listRows();
  assert.deepEqual([row?.attempts, row?.run_at, row?.last_failure], [0, context.now(), null]);
});

test("a callback whose key has no secret fails at once, and one with an unreadable secret waits", async (t) => {
  const { context, receiver, createSender, store, listRows } = await createCallbackFixture(t);
  await store({ sourceId: "unknown-key" });
  await store();
  await context.database.db
    .updateTable("callback_secret")
    .set({ secret: "tocsin-sealed-1.AAAA" })
    .execute();
  const sender = createSender();
  sender.start();
  const rows = await eventually(listRows, (found) => found.every((row) => row.last_failure));
  await sender.stop();
  assert.deepEqual(
    rows.map(({ last_failure, failed_at }) => [last_failure, failed_at]),
    [
      ["the API key has no callback secret", context.now()],
      ["the callback secret was sealed with another session secret", null],
    ],
  );
  assert.equal(receiver.calls.length, 0);
});

test("after the wall clock goes back, a callback waits no longer than its delay or a lease", async (t) => {
  const { context, receiver, createSender, store, listRows } = await createCallbackFixture(t);
  receiver.answerWithStatus(503);
  await store();
  const sender = createSender();
  sender.start();
  await eventually(listRows, (rows) => rows[0]?.last_failure !== null);
  context.clock.advance(-24 * HOUR_MS);
  sender.wake();
  const getWaitMs = async () => ((await listRows())[0]?.run_at ?? 0) - context.now();
  // Longer than the delay of 5 s, because another process may still hold a lease of the callback.
  assert.equal(await eventually(getWaitMs, (ms) => ms <= 30_000), 30_000);
  await sender.stop();
});

test("with an empty queue the sender sets no timer, and a failed query is not repeated at once", async (t) => {
  const armed = new Set<unknown>();
  const { setTimeout: arm, clearTimeout: clear } = globalThis;
  t.mock.method(globalThis, "setTimeout", (...args: Parameters<typeof setTimeout>) => {
    const timer = arm(...args);
    if ((new Error("armed").stack ?? "").includes("/wakeable-task.ts")) armed.add(timer);
    return timer;
  });
  t.mock.method(globalThis, "clearTimeout", (timer: NodeJS.Timeout) => {
    armed.delete(timer);
    clear(timer);
  });
  const { context, createSender, store, listRows, readLog } = await createCallbackFixture(t);
  const sender = createSender();
  sender.start();
  await store();
  sender.announce();
  await eventually(listRows, (rows) => rows.length === 0);
  for (let count = 0; count < 6; count += 1) await listRows();
  assert.equal(armed.size, 0);
  t.mock.method(context.database.db, "updateTable", () => {
    throw new Error("The database is gone.");
  });
  sender.wake();
  for (let tick = 0; tick < TICKS; tick += 1) await new Promise(setImmediate);
  assert.equal(armed.size, 1);
  assert.equal(readLog().match(/the callback queue failed/g)?.length, 1);
  await sender.stop();
});
