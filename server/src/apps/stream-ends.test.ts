import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addApp,
  APP_ORIGIN,
  createAppFixture,
  openStream,
  putMessages,
  sendTo,
  storeNotification,
} from "../../test/support/app-fixture.ts";
import { eventually } from "../../test/support/eventually.ts";

test("a stream whose secret ended between its sign-in and its opening is refused", async (t) => {
  const fixture = await createAppFixture(t);
  const { context, signIn, apps } = fixture;
  const revoked = await addApp(fixture);
  const suspended = await addApp(fixture, { client: "gotify" });
  for (const app of [revoked, suspended]) await putMessages(fixture, app, ["a"]);
  await signIn.endSecret(revoked, APP_ORIGIN);
  await context.database.db
    .updateTable("account")
    .set({ suspended_at: context.now() })
    .where("id", "=", suspended.accountId)
    .execute();
  for (const app of [revoked, suspended]) {
    await assert.rejects(openStream(fixture, app), { code: "unauthenticated" });
    assert.equal(apps.hub.has(app.deviceId), false);
  }
});

test("a server that stops while a stream opens leaves the app's channels as they were", async (t) => {
  const fixture = await createAppFixture(t);
  const app = await addApp(fixture);
  const opening = openStream(fixture, app);
  fixture.apps.hub.close();
  await assert.rejects(opening, { code: "unavailable" });
  const outcome = await sendTo(fixture, app, await storeNotification(fixture, app));
  assert.equal(outcome.kind, "kept");
});

test("the end of a stream is recorded once the database can be written again", async (t) => {
  const fixture = await createAppFixture(t);
  const { context, timers } = fixture;
  const app = await addApp(fixture);
  const { stream } = await openStream(fixture, app);
  const findNode = async () => {
    const row = await context.database.db
      .selectFrom("connected_app")
      .select("node_id")
      .where("device_id", "=", app.deviceId)
      .executeTakeFirstOrThrow();
    return row.node_id;
  };
  const failing = t.mock.method(context.database, "atomically", async () => {
    throw new Error("The disk is full.");
  });
  stream.end();
  await eventually(
    async () => failing.mock.callCount(),
    (count) => count === 1,
  );
  failing.mock.restore();
  assert.equal(await findNode(), "node-1");
  await eventually(
    async () => {
      timers.advance(10_000);
      return findNode();
    },
    (node) => node === null,
  );
});
