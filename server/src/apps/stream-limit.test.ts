import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import {
  addApp,
  createAppFixture,
  openStream,
  TestNodes,
  type AppFixture,
} from "../../test/support/app-fixture.ts";
import { ON_POSTGRES } from "../../test/support/database.ts";
import { eventually } from "../../test/support/eventually.ts";
import { waitForLockWaiters } from "../../test/support/lock-waiters.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import type { SignedInApp } from "./app.ts";

test("of an account's apps that connect at once, on any node, exactly 20 get a stream", async (t) => {
  const nodes = new TestNodes();
  const one = await createAppFixture(t, { node: nodes.createNode("node-1") });
  const { context } = one;
  const two = await createAppFixture(t, { context, node: nodes.createNode("node-2") });
  const { accountId, ...first } = await addApp(one);
  const apps = [{ accountId, ...first }];
  while (apps.length < 24) apps.push(await addApp(one, { accountId }));
  const other = await addApp(one);
  const opened = await Promise.allSettled(
    apps.map((app, index) => openStream(index % 2 === 0 ? one : two, app)),
  );
  const refused = opened.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  assert.equal(refused.length, 4);
  for (const error of refused)
    assert.ok(error instanceof AppError && error.code === "rate_limited", String(error));
  const held = [...one.apps.hub.listAll(), ...two.apps.hub.listAll()];
  assert.equal(held.length, 20);
  await openStream(two, other);

  // An app that has a stream may open another one, and the end of its streams makes room.
  const [holder] = held;
  assert.ok(holder !== undefined);
  const again = await openStream(one, holder.app);
  const waiting = apps.find(({ deviceId }) => held.every(({ app }) => app.deviceId !== deviceId));
  assert.ok(waiting !== undefined);
  await assert.rejects(openStream(two, waiting), { code: "rate_limited" });
  again.stream.end();
  holder.end();
  const isOpened = () =>
    openStream(two, waiting).then(
      () => true,
      () => false,
    );
  await eventually(isOpened, (value) => value);
});

test("nodes count the apps of an account one after the other", ON_POSTGRES, async (t) => {
  const nodes = new TestNodes();
  const slow = await createAppFixture(t, { node: nodes.createNode("node-1") });
  const { context } = slow;
  const fast = await createAppFixture(t, { context, node: nodes.createNode("node-2") });
  const first = await addApp(slow);
  const { accountId } = first;
  const apps = [first];
  while (apps.length < 24) apps.push(await addApp(slow, { accountId }));
  // The slow node has counted for some of its apps.
  const release = await lockApp(context, apps[11] ?? first);
  const openAll = (node: AppFixture, opened: readonly SignedInApp[]) =>
    Promise.allSettled(opened.map((app) => openStream(node, app)));
  const openingSlow = openAll(slow, apps.slice(0, 12));
  await waitForLockWaiters(context, 1);
  const openingFast = openAll(fast, apps.slice(12));
  const state = await Promise.race([
    openingFast.then(() => "has ended"),
    waitForLockWaiters(context, 2).then(() => "waits"),
  ]);
  await release();
  await Promise.all([openingSlow, openingFast]);
  assert.equal(state, "waits");
  // The order of the rest is open.
  assert.equal(slow.apps.hub.listAll().length + fast.apps.hub.listAll().length, 20);
});

/** Locks the row of an app. Returns a function that unlocks it. */
async function lockApp({ database }: Context, { deviceId }: SignedInApp) {
  const locked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const holding = database.transaction(async (db) => {
    await sql`select from connected_app where device_id = ${deviceId} for update`.execute(db);
    locked.resolve();
    await released.promise;
  });
  await locked.promise;
  return async () => {
    released.resolve();
    await holding;
  };
}

test("a removed app is told that it was removed, and not that too many apps are connected", async (t) => {
  const fixture = await createAppFixture(t);
  const app = await addApp(fixture);
  await fixture.context.database.db
    .deleteFrom("connected_app")
    .where("device_id", "=", app.deviceId)
    .execute();
  await assert.rejects(openStream(fixture, app), { code: "unauthenticated" });
  assert.ok(fixture.apps.hub.isEmpty);
});
