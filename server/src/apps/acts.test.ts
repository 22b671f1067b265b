import assert from "node:assert/strict";
import { test } from "node:test";
import type { ActCode, Interaction } from "#delivery/delivery.ts";
import {
  awaitResults,
  awaitWait,
  deliverTo,
  startDelivery,
} from "../../test/support/app-delivery.ts";
import {
  addApp,
  createAppFixture,
  fetchPage,
  readMailbox,
} from "../../test/support/app-fixture.ts";

const INTERACTION: Interaction = {
  incidentId: "01900000-0000-7000-8000-000000000001",
  promptId: null,
  cause: "ring",
  actions: [],
  allowsText: false,
  isQuiet: false,
};
const PAGE = { channel: null, before: null, limit: 10 };

test("an act between the answer of the provider and the wait ends the wait", async (t) => {
  const fixture = await createAppFixture(t);
  const app = await addApp(fixture);
  let act: ActCode | null = null;
  const delivering = startDelivery(t, fixture, {
    afterSend: async () => {
      act = "acknowledged";
    },
    findAct: async () => act,
  });
  const notification = await deliverTo(delivering, fixture, [app], { interaction: INTERACTION });
  const [result] = await awaitResults(fixture, notification);
  assert.deepEqual([result?.state, result?.code], ["cancelled", "acknowledged"]);
  assert.deepEqual(await fetchPage(fixture, app, PAGE), []);
  // The app may still name the message as its position.
  assert.deepEqual(await readMailbox(fixture, app), [[1, null]]);
});

test("an app that fetched a message before the act has it, and another message still waits", async (t) => {
  const fixture = await createAppFixture(t);
  const { context } = fixture;
  const app = await addApp(fixture);
  let act: ActCode | null = null;
  const delivering = startDelivery(t, fixture, { findAct: async () => act });
  const alarm = await deliverTo(delivering, fixture, [app], { interaction: INTERACTION });
  await awaitWait(fixture, alarm);
  const { messages } = await fixture.apps.streams.listPage(app, PAGE);
  assert.equal(messages.length, 1);
  const plain = await deliverTo(delivering, fixture, [app]);
  await awaitWait(fixture, plain);
  act = "resolved";
  await context.database.db
    .updateTable("mailbox")
    .set({ taken_at: context.now(), how: "fetched" })
    .where("notification_id", "=", alarm.id)
    .execute();
  await context.database.db.updateTable("send_job").set({ run_at: context.now() }).execute();
  await delivering.delivery.worker.claimDue();
  const [result] = await awaitResults(fixture, alarm);
  assert.deepEqual([result?.state, result?.detail], ["accepted", "fetched"]);
  await awaitWait(fixture, plain);
});
