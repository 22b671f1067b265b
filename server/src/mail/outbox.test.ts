import assert from "node:assert/strict";
import { hash } from "node:crypto";
import test from "node:test";
import { pino } from "pino";
import { eventually } from "../../test/support/eventually.ts";
import { withEveryPlan } from "../../test/support/query-plans.ts";
import { MAIL, createOutbox, untilIdle } from "../../test/support/create-outbox.ts";
import { testContext } from "../../test/support/room.ts";
import { createRowSeal, NO_SEAL } from "#secrets/row-seal.ts";
import { createLogMail } from "./log.ts";
import type { Mail, OwedMail } from "./mail.ts";
import { MailSender } from "./outbox.ts";
import { allowMails, refuseMails } from "./store/refusals.ts";
import { claimMails, mailInsert, postponeMail, removeMail } from "./store/outbox.ts";

/** Each tick takes a round trip to the database. */
const TICKS_MAX = 1_000;

test("a queued mail is sent and deleted, even after a restart", async (t) => {
  const { context, sender, sent, owed } = await createOutbox(t, []);
  await context.database.atomically([mailInsert(context, MAIL)]);
  sender.start();
  await sent(1);
  await sender.enqueue({ ...MAIL, to: "ben@example.org", subject: "An\r\ninvitation" });
  const mails = await sent(2);
  assert.deepEqual(mails.map(contentOf), [MAIL, { ...MAIL, to: "ben@example.org" }]);
  await sender.stop();
  assert.deepEqual(await owed(), []);
});

test("a claim takes no more mails than its limit, under any query plan", async (t) => {
  const context = await testContext(t);
  const mails = Array.from({ length: 6 }, () => mailInsert(context, MAIL));
  await context.database.atomically(mails);
  const until = context.now() + 60_000;
  await withEveryPlan(context, async (planned) => {
    assert.equal((await claimMails(planned, { max: 2, until })).length, 2);
  });
});

test("a failed query is repeated only after a delay", async (t) => {
  const { context, sender, logged } = await createOutbox(t, []);
  let queries = 0;
  t.mock.method(context.database.db, "updateTable", () => {
    queries += 1;
    throw new Error("The database is gone.");
  });
  sender.start();
  for (let tick = 0; tick < TICKS_MAX; tick += 1) await new Promise(setImmediate);
  assert.deepEqual([queries, logged().length], [1, 1]);
  sender.wake();
  for (let tick = 0; tick < TICKS_MAX; tick += 1) await new Promise(setImmediate);
  assert.deepEqual([queries, logged().length], [2, 2]);
  await sender.stop();
});

test("a mail queued by a transaction that rolled back is never sent", async (t) => {
  const { context, sender, sent } = await createOutbox(t, []);
  const twice = mailInsert(context, MAIL);
  await assert.rejects(context.database.atomically([twice, twice]), /unique/i);
  sender.start();
  await sender.enqueue({ ...MAIL, to: "ben@example.org" });
  const mails = await sent(1);
  await sender.stop();
  assert.deepEqual(
    mails.map((mail) => mail.to),
    ["ben@example.org"],
  );
});

test("an address that refuses invitation mails gets only mails with another purpose", async (t) => {
  const { context, sender, sent, owed, logged } = await createOutbox(t, []);
  await context.database.atomically([mailInsert(context, MAIL)]);
  await refuseMails(context, "Ann@Example.org");
  await refuseMails(context, MAIL.to);
  sender.start();
  await sender.enqueue(MAIL);
  await sender.enqueue({ ...MAIL, purpose: "reset_password" });
  await sender.enqueue({ ...MAIL, to: "ben@example.org" });
  await sent(2);
  // Waits for the refused mails too, because a batch is sent in parallel.
  await eventually(owed, (mails) => mails.length === 0);
  await allowMails(context, MAIL.to);
  await sender.enqueue({ ...MAIL, subject: "Again" });
  const mails = await sent(3);
  await sender.stop();
  assert.deepEqual(
    mails.map(({ to, purpose, subject }) => [to, purpose, subject]),
    [
      [MAIL.to, "reset_password", MAIL.subject],
      ["ben@example.org", "invitation", MAIL.subject],
      [MAIL.to, "invitation", "Again"],
    ],
  );
  assert.deepEqual([await owed(), logged()], [[], []]);
});

test("a refusal stores the hash of the address and its time", async (t) => {
  const { context } = await createOutbox(t, []);
  await refuseMails(context, "Ann@Example.org");
  const refusals = await context.database.db.selectFrom("mail_refusal").selectAll().execute();
  const address_hash = hash("sha256", "ann@example.org", "hex");
  assert.deepEqual(refusals, [{ address_hash, refused_at: context.now() }]);
});

test("a mail is retried with growing delays and finally given up with an error", async (t) => {
  const { context, send, sent, owed, logged } = await createOutbox(t, [
    { kind: "retry", reason: "X 451" },
  ]);
  await context.database.atomically([mailInsert(context, MAIL)]);
  const waits: number[] = [];
  for (let attempt = 1; attempt <= 7; attempt += 1) {
    const sender = new MailSender(context, send);
    sender.start();
    await sent(attempt);
    await sender.stop();
    const [row] = await owed();
    if (row === undefined) break;
    waits.push(row.run_at - context.now());
    context.clock.advance(row.run_at - context.now());
  }
  assert.deepEqual(waits, [1_000, 30_000, 300_000, 3_600_000, 21_600_000, 86_400_000]);
  assert.deepEqual(await owed(), []);
  assert.equal(new Set((await sent(7)).map((mail) => mail.id)).size, 1);
  const lines = logged();
  assert.deepEqual(
    lines.map(({ level, reason }) => [level, reason]),
    [...Array.from({ length: 6 }, () => [40, "X 451"]), [50, "X 451"]],
  );
  assert.ok(!JSON.stringify(lines).includes("ann@"));
});

test("a permanently refused mail is given up immediately, with an error that omits the address", async (t) => {
  const { sender, sent, owed, logged } = await createOutbox(t, [
    { kind: "refused", reason: "Y 550" },
  ]);
  sender.start();
  await sender.enqueue(MAIL);
  await sent(1);
  await sender.stop();
  assert.deepEqual(await owed(), []);
  const [line] = logged();
  assert.deepEqual([line?.level, line?.reason, line?.purpose], [50, "Y 550", "invitation"]);
  assert.ok(!JSON.stringify(logged()).includes("ann@"));
});

test("a mail sealed with another session secret is given up with an error; others are sent", async (t) => {
  const { context, sender, sent, owed, logged } = await createOutbox(t, []);
  const seal = createRowSeal({ secret: "the secret before", isSealing: true });
  await context.database.atomically([
    mailInsert({ ...context, seal }, MAIL),
    mailInsert({ ...context, seal: NO_SEAL }, MAIL),
    mailInsert(context, MAIL),
  ]);
  sender.start();
  assert.deepEqual((await sent(2)).map(contentOf), [MAIL, MAIL]);
  await sender.stop();
  assert.deepEqual(await owed(), []);
  assert.deepEqual(
    logged().map(({ level, reason }) => [level, reason]),
    [[50, "sealed with another session secret"]],
  );
});

test("the table of queued mails does not reveal their links", async (t) => {
  const { context } = await createOutbox(t, []);
  await context.database.atomically([mailInsert(context, MAIL)]);
  const rows = await context.database.db.selectFrom("mail_message").selectAll().execute();
  assert.ok(!JSON.stringify(rows).includes("token=abc"));
});

test("mails that are queued together are each sent once", async (t) => {
  const { context, sender, sent, owed } = await createOutbox(t, []);
  const queries = Array.from({ length: 35 }, () => mailInsert(context, MAIL));
  await context.database.atomically(queries);
  sender.start();
  sender.wake();
  const mails = await sent(35);
  await sender.stop();
  assert.equal(new Set(mails.map((mail) => mail.id)).size, 35);
  assert.deepEqual(await owed(), []);
});

test("a mail of a dead sender is claimed after its lease, and a late result is ignored", async (t) => {
  const { context, owed } = await createOutbox(t, []);
  await context.database.atomically([mailInsert(context, MAIL)]);
  const until = context.now() + 1_000;
  const [first] = await claimMails(context, { max: 10, until });
  assert.deepEqual(await claimMails(context, { max: 10, until }), []);
  context.clock.advance(1_000);
  const [second] = await claimMails(context, { max: 10, until: until + 1_000 });
  assert.deepEqual([first?.attempts, second?.attempts], [1, 2]);
  assert.ok(first !== undefined && second !== undefined);
  await removeMail(context, first);
  await postponeMail(context, first, 0);
  assert.equal((await owed())[0]?.run_at, until + 1_000);
  await removeMail(context, second);
  assert.deepEqual(await owed(), []);
});

test("with an empty queue the sender sets no timer", async (t) => {
  let armed = 0;
  const original = globalThis.setTimeout;
  t.mock.method(globalThis, "setTimeout", (...args: Parameters<typeof setTimeout>) => {
    // Database connections set their own timers.
    const { stack = "" } = new Error("armed");
    if (stack.includes("/src/mail/") && !stack.includes("/node_modules/pg")) armed += 1;
    return original(...args);
  });
  const { sender, sent, owed } = await createOutbox(t, []);
  sender.start();
  await sender.enqueue(MAIL);
  await sent(1);
  await untilIdle(owed);
  assert.equal(armed, 0);
  await sender.stop();
});

test("a mail without a valid address cannot be queued", async (t) => {
  const { context } = await createOutbox(t, []);
  assert.throws(() => mailInsert(context, { ...MAIL, to: "ann@example.org, ben@example.org" }), {
    message: "The mail invitation has no valid recipient.",
  });
});

test("without a mail server the log contains the link and not the address", async () => {
  const lines: string[] = [];
  const send = createLogMail(pino({}, { write: (line: string) => lines.push(line) }));
  const outcome = await send({ ...MAIL, id: "1" }, new AbortController().signal);
  assert.deepEqual(outcome, { kind: "taken" });
  assert.ok(lines[0]?.includes(MAIL.link));
  assert.ok(!lines[0]?.includes("ann@"));
});

function contentOf({ purpose, to, subject, text, link }: OwedMail): Mail {
  return { purpose, to, subject, text, link };
}
