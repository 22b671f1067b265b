import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { OPERATOR } from "#audit/event.ts";
import { NOTICE_SPAN_MS } from "#mail/store/held.ts";
import { claimMails } from "#mail/store/outbox.ts";
import { readMail } from "../../../test/support/read-mail.ts";
import { insertAccount, testContext } from "../../../test/support/room.ts";
import { DEVICES_MAX } from "../device.ts";
import { registerDevice } from "../register.ts";
import { removeDevice } from "../store/retirement.ts";

const MINUTE_MS = 60_000;
const BASE_URL = "https://push.example.org";
const SECRET_PATH = "/wpush/v2/secret";

async function setUp(t: TestContext, account: Parameters<typeof insertAccount>[1] = {}) {
  const context = await testContext(t);
  const ann = await insertAccount(context, account);
  let wakeCount = 0;
  const notices = { baseUrl: BASE_URL, wakeMail: () => void (wakeCount += 1) };
  const deps = { context, checkWebPushAddress: () => ({ ok: true }) as const, notices };
  const add = (name: string, accountId = ann, endpoint = name) =>
    registerDevice(deps, {
      by: OPERATOR,
      accountId,
      name,
      platform: "web",
      push: {
        provider: "webpush",
        endpoint: `https://updates.push.example.net${SECRET_PATH}/${encodeURIComponent(endpoint)}`,
        keys: { p256dh: "public", auth: "private" },
      },
    });
  const pendingMails = async () => {
    const rows = await context.database.db
      .selectFrom("mail_message")
      .select(["id", "purpose", "recipient", "subject", "text", "link", "run_at"])
      .orderBy("run_at")
      .orderBy("id")
      .execute();
    return rows.map((row) => ({ ...row, ...readMail(context, row) }));
  };
  const takeDue = async () => {
    const until = context.now() + MINUTE_MS;
    const mails = await claimMails(context, { max: 100, until });
    for (const { id } of mails) {
      await context.database.db.deleteFrom("mail_message").where("id", "=", id).execute();
    }
    return mails.map((mail) => ({ subject: mail.subject, ...readMail(context, mail) }));
  };
  return { context, ann, add, pendingMails, takeDue, wakeCount: () => wakeCount };
}

test("a new device is mailed to the confirmed address immediately, without its push endpoint", async (t) => {
  const { context, add, pendingMails, wakeCount } = await setUp(t);
  await add("Ann's phone. See https://evil.test/x");
  const [mail, ...more] = await pendingMails();
  assert.ok(mail !== undefined && more.length === 0);
  assert.deepEqual(
    [mail.purpose, mail.recipient, mail.subject, mail.link, mail.run_at, wakeCount()],
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

test("a refreshed device sends no second mail, and a removed one that returns does", async (t) => {
  const { context, ann, add, takeDue, pendingMails, wakeCount } = await setUp(t);
  const { device } = await add("Phone");
  await takeDue();
  context.clock.advance(NOTICE_SPAN_MS);
  assert.equal((await add("Phone")).isNew, false);
  assert.deepEqual([await pendingMails(), wakeCount()], [[], 1]);
  await removeDevice(context, { accountId: ann, deviceId: device.id, actor: OPERATOR });
  await add("Phone");
  assert.deepEqual([(await pendingMails()).length, wakeCount()], [1, 2]);
});

test("100 devices that are added within a minute are announced in two mails", async (t) => {
  const { context, add, pendingMails, takeDue } = await setUp(t);
  for (let index = 0; index < DEVICES_MAX; index += 1) {
    await add(`Phone ${index}`);
    context.clock.advance(MINUTE_MS / DEVICES_MAX);
  }
  assert.deepEqual(
    (await pendingMails()).map(({ subject }) => subject),
    ["A new device gets your notifications", "99 more devices get your notifications"],
  );
  assert.equal((await takeDue()).length, 1);
  context.clock.advance(NOTICE_SPAN_MS);
  const [summary, ...more] = await takeDue();
  assert.ok(summary !== undefined && more.length === 0);
  assert.match(summary.text, /^ {2}Phone 1 \(/m);
  assert.match(summary.text, /^ {2}and 79 more$/m);
  assert.match(summary.text, /The account has 100 devices now\./);
  assert.match(summary.text, /From now on, they get every notification/);
  assert.match(summary.text, /remove them on this page/);
  assert.deepEqual(await pendingMails(), []);
});

test("a device that is added while a mail is being sent is announced in the next one", async (t) => {
  const { context, add, takeDue, pendingMails } = await setUp(t);
  for (const name of ["One", "Two"]) await add(name);
  await takeDue();
  context.clock.advance(NOTICE_SPAN_MS - 1);
  await add("Three");
  context.clock.advance(1);
  await claimMails(context, { max: 10, until: context.now() + MINUTE_MS });
  await add("Four");
  const [, next, ...more] = await pendingMails();
  assert.ok(next !== undefined && more.length === 0);
  assert.equal(next.subject, "Another new device gets your notifications");
  assert.match(next.text, /Four/);
  assert.equal(next.run_at, context.now() + NOTICE_SPAN_MS);
});

test("every device is announced even if the clock was set back", async (t) => {
  const { context, add, pendingMails } = await setUp(t);
  for (const name of ["One", "Two"]) await add(name);
  context.clock.advance(-86_400_000);
  await add("Three");
  context.clock.advance(1_000);
  await add("Four");
  const text = (await pendingMails()).map((mail) => mail.text).join("\n");
  for (const name of ["One", "Two", "Three", "Four"]) assert.match(text, new RegExp(name), name);
});

test("one account's devices do not delay mail to another account", async (t) => {
  const { context, add, pendingMails } = await setUp(t);
  const bob = await insertAccount(context, { email: "bob@example.org" });
  await add("Ann's");
  await add("Bob's", bob);
  assert.deepEqual(
    (await pendingMails()).map(({ recipient, run_at: runAt }) => [recipient, runAt]),
    ["ann@example.org", "bob@example.org"].map((to) => [to, context.now()]),
  );
});

test("an unconfirmed or undeliverable address gets no mail, but its device is added", async (t) => {
  const { context, add, pendingMails } = await setUp(t, { isVerified: false });
  assert.equal((await add("Phone")).isNew, true);
  const undeliverable = await insertAccount(context, { email: "ann@localhost" });
  assert.equal((await add("Phone", undeliverable)).isNew, true);
  assert.deepEqual(await pendingMails(), []);
});

test("a refused device sends no mail", async (t) => {
  const { context, ann, add, takeDue, pendingMails } = await setUp(t);
  for (let index = 0; index < DEVICES_MAX; index += 1) await add(`Phone ${index}`);
  context.clock.advance(NOTICE_SPAN_MS);
  await takeDue();
  await assert.rejects(add("One more"), {
    code: "conflict",
    message:
      "An account has at most 100 devices. Remove those that you do not use, under Devices in the console, then add this one again.",
  });
  assert.deepEqual(await pendingMails(), []);
  const { id: deviceId } = (await add("Phone 7")).device;
  await removeDevice(context, { accountId: ann, deviceId, actor: OPERATOR });
  assert.equal((await add("One more")).isNew, true);
});

test("devices that are added concurrently are all announced", async (t) => {
  const { add, pendingMails } = await setUp(t);
  const names = Array.from({ length: 8 }, (_, index) => `Phone ${index}`);
  await Promise.all(names.map((name) => add(name)));
  const mails = await pendingMails();
  assert.equal(mails.length, 2);
  const text = mails.map((mail) => mail.text).join("\n");
  for (const name of names) assert.ok(text.includes(name), name);
});
