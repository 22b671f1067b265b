import assert from "node:assert/strict";
import { test } from "node:test";
import {
  awaitResults,
  awaitWait,
  deliverTo,
  startDelivery,
} from "../../test/support/app-delivery.ts";
import { addApp, createAppFixture, openStream, TestNodes } from "../../test/support/app-fixture.ts";
import { eventually } from "../../test/support/eventually.ts";

test("an app on another node answers, and a lost hint is found at the next heartbeat", async (t) => {
  const nodes = new TestNodes();
  const sender = await createAppFixture(t, { node: nodes.createNode("node-1") });
  const holder = await createAppFixture(t, {
    context: sender.context,
    node: nodes.createNode("node-2"),
  });
  const delivering = startDelivery(t, sender);
  const app = await addApp(sender);
  const { connection } = await openStream(holder, app);
  const first = await deliverTo(delivering, sender, [app]);
  assert.equal((await awaitResults(sender, first))[0]?.history, undefined);
  nodes.isConnected = false;
  const second = await deliverTo(delivering, sender, [app]);
  await eventually(
    async () => sender.timers.count,
    (count) => count === 1,
  );
  assert.deepEqual(connection.numbers, [1]);
  await holder.apps.checkMailboxes();
  await connection.receives(2);
  // The answer is lost, too. The wait for it ends, and the job looks once more.
  sender.timers.advance(3_000);
  const [result] = await awaitResults(sender, second);
  assert.equal(result?.detail, "answered");
  assert.equal(delivering.outcomes.at(-1)?.kind, "kept");
});

test("the streams of a dead node are forgotten, so that nobody waits for its apps", async (t) => {
  const nodes = new TestNodes();
  const sender = await createAppFixture(t, { node: nodes.createNode("node-1") });
  const holder = await createAppFixture(t, {
    context: sender.context,
    node: nodes.createNode("node-2"),
  });
  const delivering = startDelivery(t, sender);
  const app = await addApp(sender);
  await openStream(holder, app, { answers: false });
  await sender.apps.takeOver(["node-2"]);
  const notification = await deliverTo(delivering, sender, [app]);
  const { pending } = await awaitWait(sender, notification);
  assert.match(pending[0]?.detail ?? "", /^last connected at /);
});
