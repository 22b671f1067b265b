import assert from "node:assert/strict";
import test from "node:test";
import { createAppSignIn } from "#apps/create-sign-in.ts";
import { hashSecret } from "#apps/secret.ts";
import { OPERATOR } from "#audit/event.ts";
import { signUp, startApp } from "../support/app.ts";

const HELLO = { title: "Hello", body: "World" };

test("an export contains the account's apps without their secrets, and the extras of notifications", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { context } = app.app;
  const signIn = createAppSignIn({
    context,
    notices: null,
    onDeviceChanged() {},
    endStreamsOfSecret() {},
  });
  const { secret } = await signIn.add({
    accountId: ann.accountId,
    client: "ntfy",
    name: "Pixel",
    platform: "android",
    actor: OPERATOR,
  });
  await ann.client.notify(HELLO);
  const extras = { tags: ["cd"] };
  await context.database.db
    .updateTable("notification")
    .set({ extras: JSON.stringify(extras) })
    .execute();
  const text = await new Response(await ann.client.profile.export()).text();
  const exported = Object(JSON.parse(text));
  assert.deepEqual(
    exported.connectedApps.map(({ name, client }: Record<string, string>) => [name, client]),
    [["Pixel", "ntfy"]],
  );
  assert.equal(exported.connectedApps[0].credentials[0].kind, "password");
  assert.deepEqual(exported.notifications[0].extras, extras);
  assert.deepEqual(exported.feed[0].extras, extras);
  assert.ok(!text.includes(secret));
  assert.ok(!text.includes(hashSecret(secret) ?? assert.fail()));
});
