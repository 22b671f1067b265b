import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addApp,
  createAppFixture,
  openStream,
  putMessages,
} from "../../test/support/app-fixture.ts";

test("a stream whose secret ended between its sign-in and its opening is refused", async (t) => {
  const fixture = await createAppFixture(t);
  const { context, signIn, apps } = fixture;
  const revoked = await addApp(fixture);
  const suspended = await addApp(fixture, { client: "gotify" });
  for (const app of [revoked, suspended]) await putMessages(fixture, app, ["a"]);
  await signIn.endSecret(revoked);
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
