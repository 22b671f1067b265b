import assert from "node:assert/strict";
import test from "node:test";
import { createClient } from "@tocsin/sdk";
import { MailServer } from "../doubles/mail-server.ts";
import { tokenOf } from "../support/accounts.ts";
import { addDevice, signUp, startApp } from "../support/app.ts";

test("who takes back an account that a stranger made with her address takes it back whole", async (t) => {
  const mails = await MailServer.start();
  t.after(() => mails.close());
  const environment = { TOCSIN_SMTP_URL: mails.url, TOCSIN_MAIL_FROM: "tocsin@example.org" };
  const app = await startApp(t, { environment });
  // On an open server anybody can sign up with anybody's address; it is not verified then.
  const stranger = await signUp(app, "Ann");
  const { phone } = await addDevice(app, stranger, "The stranger's phone");
  await mails.next();

  const ann = createClient({ baseUrl: app.url });
  const { email } = stranger;
  await ann.requestPasswordReset({ email });
  const { text } = await mails.next();
  const token = tokenOf(/https?:\S+token=\S+/.exec(text ?? "")?.[0]);
  await ann.resetPassword({ token, newPassword: "a password of my own" });
  await ann.signIn({ email, password: "a password of my own" });

  assert.deepEqual((await ann.devices.list()).items, []);
  await assert.rejects(stranger.client.notify({ title: "Hello", body: "" }), { status: 401 });
  await assert.rejects(stranger.client.me(), { status: 401 });
  const { key } = await ann.keys.create({ kind: "account" });
  const { responses } = await stranger.withKey(key).notify({ title: "Hello", body: "" });
  assert.deepEqual(responses, []);
  assert.equal(phone.judged.length, 0);
});
