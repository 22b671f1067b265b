import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { OPERATOR } from "#audit/event.ts";
import { NOTICE_INTERVAL_MS } from "#mail/store/held-mails.ts";
import { claimMails } from "#mail/store/outbox.ts";
import { readMail } from "../../../test/support/read-mail.ts";
import { insertAccount, createRoomContext } from "../../../test/support/context.ts";
import { DEVICES_MAX } from "../device.ts";
import { registerDevice } from "../register.ts";
import { removeDevice } from "../store/retirement.ts";

const MINUTE_MS = 60_000;
const BASE_URL = "https://push.example.org";
const SECRET_PATH = "/wpush/v2/secret";

async function setUp(t: TestContext, account: Parameters<typeof insertAccount>[1] = {}) {
  const context = await createRoomContext(t);
  const annId = await insertAccount(context, account);
  let wakeCount = 0;
  const notices = { baseUrl: BASE_URL, wakeMailSender: () => void (wakeCount += 1) };
  const deps = { context, checkWebPushAddress: () => ({ ok: true }) as const, notices };
  const addDevice = (name: string, accountId = annId) =>
    registerDevice(deps, {
      actor: OPERATOR,
      accountId,
      name,
      platform: "web",
      push: {
        provider: "webpush",
        endpoint: `https://updates.push.example.net${SECRET_PATH}/${encodeURIComponent(name)}`,
        keys: { p256dh: "public", auth: "private" },
      },
    });
  const listPendingMails = async () => {
    const rows = await context.database.db
      .selectFrom("mail_message")
      .select(["id", "purpose", "recipient", "subject", "text", "link", "run_at"])
      .orderBy("run_at")
      .orderBy("id")
      .execute();
    return rows.map((row) => ({ ...row, ...readMail(context, row) }));
  };
  const takeDueMails = async () => {
    const leaseEndsAt = context.now() + MINUTE_MS;
    const mails = await claimMails(context, { max: 100, leaseEndsAt });
    for (const { id } of mails) {
      await context.database.db.deleteFrom("mail_message").where("id", "=", id).execute();
    }
    return mails.map((mail) => ({ subject: mail.subject, ...readMail(context, mail) }));
  };
  return {
    context,
    annId,
    addDevice,
    listPendingMails,
    takeDueMails,
    countWakeUps: () => wakeCount,
  };
}

test("a notice of a new device is emailed to the verified address immediately, without the endpoint", async (t) => {
  const { context, addDevice, listPendingMails, countWakeUps } = await setUp(t);
  await addDevice("Ann's phone. See https://evil.test/x");
  const [mail, ...otherMails] = await listPendingMails();
  assert.ok(mail !== undefined && otherMails.length === 0);
  assert.deepEqual(
    [mail.purpose, mail.recipient, mail.subject, mail.link, mail.run_at, countWakeUps()],
    [
      "device_notice",
      "ann@example.org",
      "A new device gets your notifications",
      `${BASE_URL}/devices`,
      context.now(),
      1,
    ],
  );
  assert.match(
    mail.text,
    /^ {2}Ann's phone See https evil test x \(browser, through updates\.push\.example\.net\), on 2026-01-01 at 00:00 UTC$/m,
  );
  assert.match(mail.text, /^https:\/\/push\.example\.org\/devices$/m);
  for (const secret of [SECRET_PATH, "evil.test", "private"])
    assert.ok(!mail.text.includes(secret));
});

test("a refreshed device causes no second email, but a removed one that returns does", async (t) => {
  const { context, annId, addDevice, takeDueMails, listPendingMails, countWakeUps } =
    await setUp(t);
  const { device } = await addDevice("Phone");
  await takeDueMails();
  context.clock.advance(NOTICE_INTERVAL_MS);
  assert.equal((await addDevice("Phone")).isNew, false);
  assert.deepEqual([await listPendingMails(), countWakeUps()], [[], 1]);
  await removeDevice(context, { accountId: annId, deviceId: device.id, actor: OPERATOR });
  await addDevice("Phone");
  assert.deepEqual([(await listPendingMails()).length, countWakeUps()], [1, 2]);
});

test("100 devices that are added within a minute are announced in two emails", async (t) => {
  const { context, addDevice, listPendingMails, takeDueMails } = await setUp(t);
  for (let index = 0; index < DEVICES_MAX; index += 1) {
    await addDevice(`Phone ${index}`);
    context.clock.advance(MINUTE_MS / DEVICES_MAX);
  }
  assert.deepEqual(
    (await listPendingMails()).map(({ subject }) => subject),
    ["A new device gets your notifications", "99 more devices get your notifications"],
  );
  assert.equal((await takeDueMails()).length, 1);
  context.clock.advance(NOTICE_INTERVAL_MS);
  const [summaryMail, ...otherMails] = await takeDueMails();
  assert.ok(summaryMail !== undefined && otherMails.length === 0);
  assert.match(summaryMail.text, /^ {2}Phone 1 \(/m);
  assert.match(summaryMail.text, /^ {2}and 79 more$/m);
  assert.match(summaryMail.text, /The account has 100 devices now\./);
  assert.match(summaryMail.text, /From now on, they get every notification/);
  assert.match(summaryMail.text, /remove them on this page/);
  assert.deepEqual(await listPendingMails(), []);
});

test("a device that is added while an email is being sent is announced in the next email", async (t) => {
  const { context, addDevice, takeDueMails, listPendingMails } = await setUp(t);
  for (const name of ["One", "Two"]) await addDevice(name);
  await takeDueMails();
  context.clock.advance(NOTICE_INTERVAL_MS - 1);
  await addDevice("Three");
  context.clock.advance(1);
  await claimMails(context, { max: 10, leaseEndsAt: context.now() + MINUTE_MS });
  await addDevice("Four");
  const [, nextMail, ...otherMails] = await listPendingMails();
  assert.ok(nextMail !== undefined && otherMails.length === 0);
  assert.equal(nextMail.subject, "Another new device gets your notifications");
  assert.match(nextMail.text, /Four/);
  assert.equal(nextMail.run_at, context.now() + NOTICE_INTERVAL_MS);
});

test("every device is announced even if the clock was set back", async (t) => {
  const { context, addDevice, listPendingMails } = await setUp(t);
  for (const name of ["One", "Two"]) await addDevice(name);
  context.clock.advance(-86_400_000);
  await addDevice("Three");
  context.clock.advance(1_000);
  await addDevice("Four");
  const text = (await listPendingMails()).map((mail) => mail.text).join("\n");
  for (const name of ["One", "Two", "Three", "Four"]) assert.match(text, new RegExp(name), name);
});

test("one account's devices do not delay the email to another account", async (t) => {
  const { context, addDevice, listPendingMails } = await setUp(t);
  const bobId = await insertAccount(context, { email: "bob@example.org" });
  await addDevice("Ann's");
  await addDevice("Bob's", bobId);
  assert.deepEqual(
    (await listPendingMails()).map(({ recipient, run_at: runAt }) => [recipient, runAt]),
    ["ann@example.org", "bob@example.org"].map((to) => [to, context.now()]),
  );
});

test("an unverified or undeliverable address gets no email, but the device is added", async (t) => {
  const { context, addDevice, listPendingMails } = await setUp(t, { isVerified: false });
  assert.equal((await addDevice("Phone")).isNew, true);
  const undeliverableAccountId = await insertAccount(context, { email: "ann@localhost" });
  assert.equal((await addDevice("Phone", undeliverableAccountId)).isNew, true);
  assert.deepEqual(await listPendingMails(), []);
});

test("a device above the limit is refused without an email, until another one is removed", async (t) => {
  const { context, annId, addDevice, takeDueMails, listPendingMails } = await setUp(t);
  for (let index = 0; index < DEVICES_MAX; index += 1) await addDevice(`Phone ${index}`);
  context.clock.advance(NOTICE_INTERVAL_MS);
  await takeDueMails();
  await assert.rejects(addDevice("One more"), {
    code: "conflict",
    message:
      "An account has at most 100 devices. Remove those that you do not use, under Devices in the console, then add this one again.",
  });
  assert.deepEqual(await listPendingMails(), []);
  const { id: deviceId } = (await addDevice("Phone 7")).device;
  await removeDevice(context, { accountId: annId, deviceId, actor: OPERATOR });
  assert.equal((await addDevice("One more")).isNew, true);
});

test("devices that are added concurrently are all announced", async (t) => {
  const { addDevice, listPendingMails } = await setUp(t);
  const names = Array.from({ length: 8 }, (_, index) => `Phone ${index}`);
  await Promise.all(names.map((name) => addDevice(name)));
  const mails = await listPendingMails();
  assert.equal(mails.length, 2);
  const text = mails.map((mail) => mail.text).join("\n");
  for (const name of names) assert.ok(text.includes(name), name);
});
