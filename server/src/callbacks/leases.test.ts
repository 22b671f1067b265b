import assert from "node:assert/strict";
import test from "node:test";
import { createCallbackFixture, SOURCE_ID } from "../../test/support/callback-fixture.ts";
import { eventually } from "../../test/support/eventually.ts";
import { withEveryPlan } from "../../test/support/query-plans.ts";
import { signCallback } from "./sign.ts";
import { failCallback } from "./store/failures.ts";
import {
  claimCallbacks,
  postponeCallback,
  removeCallback,
  returnCallback,
} from "./store/outbox.ts";
import { createSecret, findSecrets } from "./store/secrets.ts";

test("after a crash between request and record, the callback is sent again with the same id", async (t) => {
  const { context, receiver, send, createSender, store, listRows } = await createCallbackFixture(t);
  const id = await store();
  const claim = { max: 8, until: context.now() + 30_000, busySourceIds: [] };
  const [leased] = await claimCallbacks(context, claim);
  assert.ok(leased !== undefined);
  const { secrets } = await findSecrets(context, SOURCE_ID);
  const headers = signCallback({ ...leased, sentAt: context.now() }, secrets);
  const outcome = await send({ ...leased, headers }, new AbortController().signal);
  assert.deepEqual(outcome, { kind: "delivered" });
  const sender = createSender();
  sender.start();
  assert.deepEqual(await claimCallbacks(context, claim), []);
  assert.equal(receiver.calls.length, 1);
  context.clock.advance(30_000);
  sender.wake();
  const calls = await receiver.waitForCalls(2);
  await eventually(listRows, (rows) => rows.length === 0);
  assert.deepEqual(
    calls.map((call) => [call.headers["webhook-id"], call.body, call.acceptedSecrets.length]),
    [
      [id, leased.body, 1],
      [id, leased.body, 1],
    ],
  );
});

test("a late result is ignored, with its statements, if the callback was claimed again", async (t) => {
  const { context, store, listRows } = await createCallbackFixture(t);
  const id = await store();
  const claim = async () => {
    const until = context.now() + 30_000;
    const [leased] = await claimCallbacks(context, { max: 8, until, busySourceIds: [] });
    assert.ok(leased !== undefined);
    return leased;
  };
  const first = await claim();
  context.clock.advance(30_000);
  const second = await claim();
  const { db } = context.database;
  const fail = (leased: typeof first) =>
    failCallback(context, { ...leased, reason: "answered 410" }, [
      db.insertInto("setting").values({ name: "told", value: leased.id, changed_at: 0 }),
    ]);
  const listSettings = () => db.selectFrom("setting").select("value").execute();
  await removeCallback(context, first);
  await postponeCallback(context, first, { runAt: 0, reason: "late" });
  await returnCallback(context, first);
  assert.equal(await fail(first), false);
  assert.deepEqual(await listSettings(), []);
  const [row] = await listRows();
  assert.deepEqual([row?.attempts, row?.run_at], [2, context.now() + 30_000]);
  assert.equal(await fail(second), true);
  assert.equal(await fail(second), false);
  await removeCallback(context, second);
  assert.deepEqual(await listSettings(), [{ value: id }]);
  assert.equal((await listRows()).length, 1);
});

test("two senders on one database send each of many callbacks once", async (t) => {
  const { context, receiver, createSender, create, listRows } = await createCallbackFixture(t);
  const inserts = Array.from({ length: 60 }, (_, index) =>
    create({ sourceId: index % 2 === 0 ? SOURCE_ID : "second-key" }),
  );
  receiver.secrets.push(await createSecret(context, "second-key"));
  await context.database.atomically(inserts);
  const senders = [createSender(), createSender()];
  for (const sender of senders) sender.start();
  await eventually(listRows, (rows) => rows.length === 0);
  await Promise.all(senders.map((sender) => sender.stop()));
  const ids = receiver.calls.map(({ headers }) => headers["webhook-id"]);
  assert.equal(ids.length, 60);
  assert.equal(new Set(ids).size, 60);
});

test("a claim takes no more callbacks than its limit, under any query plan", async (t) => {
  const { context, create } = await createCallbackFixture(t);
  await context.database.atomically(Array.from({ length: 6 }, () => create()));
  await withEveryPlan(context, async (planned) => {
    const claim = { max: 2, until: context.now() + 60_000, busySourceIds: ["other"] };
    assert.equal((await claimCallbacks(planned, claim)).length, 2);
  });
});
