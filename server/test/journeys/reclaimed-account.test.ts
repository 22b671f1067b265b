import assert from "node:assert/strict";
import test from "node:test";
import { createClient } from "@tocsin/sdk";
import { addDevice, signUp, startApp } from "../support/app.ts";
import { parseLinkToken } from "../support/link-token.ts";
import { startMailServer } from "../support/start-mail-server.ts";

test("a password reset reclaims an account, with everything that a stranger created in it", async (t) => {
  const { mail, environment } = await startMailServer(t);
  const app = await startApp(t, { environment });
  // On an open server, a stranger can sign up with an address of another person; it stays unverified.
  const stranger = await signUp(app, "Ann");
  const { phone } = await addDevice(app, stranger, "The stranger's phone");
  await mail.next();

  const ann = createClient({ baseUrl: app.url });
  const { email } = stranger;
  await ann.requestPasswordReset({ email });
  const { text } = await mail.next();
  const token = parseLinkToken(/https?:\S+token=\S+/.exec(text ?? "")?.[0]);
  await ann.resetPassword({ token, newPassword: "a password of my own" });
  await ann.signIn({ email, password: "a password of my own" });

  assert.deepEqual((await ann.devices.list()).items, []);
  await assert.rejects(stranger.client.notify({ title: "Hello", body: "" }), { status: 401 });
  await assert.rejects(stranger.client.me(), { status: 401 });
  const { key } = await ann.keys.create({ kind: "account" });
  const { responses } = await stranger.withKey(key).notify({ title: "Hello", body: "" });
  assert.deepEqual(responses, []);
  assert.equal(phone.requests.length, 0);
});
