import assert from "node:assert/strict";
import { hash } from "node:crypto";
import test from "node:test";
import { pino } from "pino";
import { eventually } from "../../test/support/eventually.ts";
import { withEveryPlan } from "../../test/support/query-plans.ts";
import { MAIL, createOutboxFixture, waitUntilIdle } from "../../test/support/outbox-fixture.ts";
import { createRoomContext } from "../../test/support/context.ts";
import { createRowSeal, NO_SEAL } from "#secrets/row-seal.ts";
import { createLoggingSender } from "./logging-sender.ts";
import type { Mail, QueuedMail } from "./mail.ts";
import { MailSender } from "./mail-sender.ts";
import { allowMails, refuseMails } from "./store/refusals.ts";
import {
  claimMails,
  insertMailQuery,
  postponeMail,
  removeMail,
  sealUnsealedMails,
} from "./store/outbox.ts";

/** More turns of the event loop than a repeated query would need to show. */
const TICKS = 1_000;
/** The levels of pino. */
const WARN = 40;
const ERROR = 50;

test("a mail is sent and deleted, whether it was queued before or after the start", async (t) => {
  const { context, sender, waitForMails, listPendingMails } = await createOutboxFixture(t, []);
  await context.database.atomically([insertMailQuery(context, MAIL)]);
  sender.start();
  await waitForMails(1);
  await sender.enqueue({ ...MAIL, to: "ben@example.org", subject: "An\r\ninvitation" });
  const mails = await waitForMails(2);
  assert.deepEqual(mails.map(toMail), [MAIL, { ...MAIL, to: "ben@example.org" }]);
  await sender.stop();
  assert.deepEqual(await listPendingMails(), []);
});

test("a claim takes no more mails than its limit, under any query plan", async (t) => {
  const context = await createRoomContext(t);
  const mails = Array.from({ length: 6 }, () => insertMailQuery(context, MAIL));
  await context.database.atomically(mails);
  const leaseEndsAt = context.now() + 60_000;
  await withEveryPlan(context, async (planned) => {
    assert.equal((await claimMails(planned, { max: 2, leaseEndsAt })).length, 2);
  });
});

test("a failed query is repeated only after a delay or a wake-up", async (t) => {
  const { context, sender, readLogLines } = await createOutboxFixture(t, []);
  let queryCount = 0;
  t.mock.method(context.database.db, "updateTable", () => {
    queryCount += 1;
    throw new Error("The database is gone.");
  });
  sender.start();
  for (let tick = 0; tick < TICKS; tick += 1) await new Promise(setImmediate);
  assert.deepEqual([queryCount, readLogLines().length], [1, 1]);
  sender.wake();
  for (let tick = 0; tick < TICKS; tick += 1) await new Promise(setImmediate);
  assert.deepEqual([queryCount, readLogLines().length], [2, 2]);
  await sender.stop();
});

test("a mail queued by a transaction that rolled back is never sent", async (t) => {
  const { context, sender, waitForMails } = await createOutboxFixture(t, []);
  const query = insertMailQuery(context, MAIL);
  await assert.rejects(context.database.atomically([query, query]), /unique/i);
  sender.start();
  await sender.enqueue({ ...MAIL, to: "ben@example.org" });
  const mails = await waitForMails(1);
  await sender.stop();
  assert.deepEqual(
    mails.map((mail) => mail.to),
    ["ben@example.org"],
  );
});

test("an address that refuses invitation mails gets only mails with another purpose", async (t) => {
  const { context, sender, waitForMails, listPendingMails, readLogLines } =
    await createOutboxFixture(t, []);
  await context.database.atomically([insertMailQuery(context, MAIL)]);
  await refuseMails(context, "Ann@Example.org");
  await refuseMails(context, MAIL.to);
  sender.start();
  await sender.enqueue(MAIL);
  await sender.enqueue({ ...MAIL, purpose: "reset_password" });
  await sender.enqueue({ ...MAIL, to: "ben@example.org" });
  await waitForMails(2);
  // Waits for the refused mails too, because a batch is sent in parallel.
  await eventually(listPendingMails, (mails) => mails.length === 0);
  await allowMails(context, MAIL.to);
  await sender.enqueue({ ...MAIL, subject: "Again" });
  const mails = await waitForMails(3);
  await sender.stop();
  assert.deepEqual(
    mails.map(({ to, purpose, subject }) => [to, purpose, subject]),
    [
      [MAIL.to, "reset_password", MAIL.subject],
      ["ben@example.org", "invitation", MAIL.subject],
      [MAIL.to, "invitation", "Again"],
    ],
  );
  assert.deepEqual([await listPendingMails(), readLogLines()], [[], []]);
});

test("a refusal stores the hash of the address and its time", async (t) => {
  const { context } = await createOutboxFixture(t, []);
  await refuseMails(context, "Ann@Example.org");
  const refusals = await context.database.db.selectFrom("mail_refusal").selectAll().execute();
  const address_hash = hash("sha256", "ann@example.org", "hex");
  assert.deepEqual(refusals, [{ address_hash, refused_at: context.now() }]);
});

test("a mail is retried with growing delays and finally given up with an error", async (t) => {
  const { context, send, waitForMails, listPendingMails, readLogLines } = await createOutboxFixture(
    t,
    [{ kind: "retry", reason: "X 451" }],
  );
  await context.database.atomically([insertMailQuery(context, MAIL)]);
  const waits: number[] = [];
  for (let attempt = 1; attempt <= 7; attempt += 1) {
    const sender = new MailSender(context, send);
    sender.start();
    await waitForMails(attempt);
    await sender.stop();
    const [row] = await listPendingMails();
    if (row === undefined) break;
    waits.push(row.run_at - context.now());
    context.clock.advance(row.run_at - context.now());
  }
  assert.deepEqual(waits, [1_000, 30_000, 300_000, 3_600_000, 21_600_000, 86_400_000]);
  assert.deepEqual(await listPendingMails(), []);
  assert.equal(new Set((await waitForMails(7)).map((mail) => mail.id)).size, 1);
  const lines = readLogLines();
  assert.deepEqual(
    lines.map(({ level, reason }) => [level, reason]),
    [...Array.from({ length: 6 }, () => [WARN, "X 451"]), [ERROR, "X 451"]],
  );
  assert.ok(!JSON.stringify(lines).includes("ann@"));
});

test("a permanently refused mail is given up immediately, with an error that omits the address", async (t) => {
  const { sender, waitForMails, listPendingMails, readLogLines } = await createOutboxFixture(t, [
    { kind: "refused", reason: "Y 550" },
  ]);
  sender.start();
  await sender.enqueue(MAIL);
  await waitForMails(1);
  await sender.stop();
  assert.deepEqual(await listPendingMails(), []);
  const [line] = readLogLines();
  assert.deepEqual([line?.level, line?.reason, line?.purpose], [ERROR, "Y 550", "invitation"]);
  assert.ok(!JSON.stringify(readLogLines()).includes("ann@"));
});

test("a mail sealed with another session secret is given up with an error; others are sent", async (t) => {
  const { context, sender, waitForMails, listPendingMails, readLogLines } =
    await createOutboxFixture(t, []);
  const seal = createRowSeal({ secret: "the secret before", isSealing: true });
  await context.database.atomically([
    insertMailQuery({ ...context, seal }, MAIL),
    insertMailQuery({ ...context, seal: NO_SEAL }, MAIL),
    insertMailQuery(context, MAIL),
  ]);
  sender.start();
  assert.deepEqual((await waitForMails(2)).map(toMail), [MAIL, MAIL]);
  await sender.stop();
  assert.deepEqual(await listPendingMails(), []);
  assert.deepEqual(
    readLogLines().map(({ level, reason }) => [level, reason]),
    [[ERROR, "sealed with another session secret"]],
  );
});

test("the table of queued mails does not reveal their links", async (t) => {
  const { context } = await createOutboxFixture(t, []);
  await context.database.atomically([insertMailQuery(context, MAIL)]);
  const rows = await context.database.db.selectFrom("mail_message").selectAll().execute();
  assert.ok(!JSON.stringify(rows).includes("token=abc"));
});

test("a mail that is sent while it is sealed does not count as sealed", async (t) => {
  const { database, ...context } = await createRoomContext(t);
  const insert = () => insertMailQuery({ ...context, database, seal: NO_SEAL }, MAIL);
  await database.atomically([insert(), insert()]);
  const mail = await database.db.selectFrom("mail_message").select("id").executeTakeFirstOrThrow();
  const seal = createRowSeal({ secret: "s".repeat(43), isSealing: true });
  const databaseOfSender = {
    ...database,
    async atomically(queries: Parameters<typeof database.atomically>[0]) {
      await database.db.deleteFrom("mail_message").where("id", "=", mail.id).execute();
      return database.atomically(queries);
    },
  };
  const counts = await sealUnsealedMails(databaseOfSender, { seal, max: 100 });
  assert.deepEqual(counts, { readCount: 2, sealedCount: 1 });
});

test("mails that are queued together are each sent once", async (t) => {
  const { context, sender, waitForMails, listPendingMails } = await createOutboxFixture(t, []);
  const queries = Array.from({ length: 35 }, () => insertMailQuery(context, MAIL));
  await context.database.atomically(queries);
  sender.start();
  sender.wake();
  const mails = await waitForMails(35);
  await sender.stop();
  assert.equal(new Set(mails.map((mail) => mail.id)).size, 35);
  assert.deepEqual(await listPendingMails(), []);
});

test("a mail of a dead sender is claimed after its lease, and a late result is ignored", async (t) => {
  const { context, listPendingMails } = await createOutboxFixture(t, []);
  await context.database.atomically([insertMailQuery(context, MAIL)]);
  const leaseEndsAt = context.now() + 1_000;
  const [first] = await claimMails(context, { max: 10, leaseEndsAt });
  assert.deepEqual(await claimMails(context, { max: 10, leaseEndsAt }), []);
  context.clock.advance(1_000);
  const [second] = await claimMails(context, { max: 10, leaseEndsAt: leaseEndsAt + 1_000 });
  assert.deepEqual([first?.attempts, second?.attempts], [1, 2]);
  assert.ok(first !== undefined && second !== undefined);
  await removeMail(context, first);
  await postponeMail(context, first, 0);
  assert.equal((await listPendingMails())[0]?.run_at, leaseEndsAt + 1_000);
  await removeMail(context, second);
  assert.deepEqual(await listPendingMails(), []);
});

test("with an empty queue the sender sets no timer", async (t) => {
  let timerCount = 0;
  const originalSetTimeout = globalThis.setTimeout;
  t.mock.method(globalThis, "setTimeout", (...args: Parameters<typeof setTimeout>) => {
    // Database connections set their own timers.
    const { stack = "" } = new Error("armed");
    if (stack.includes("/src/mail/") && !stack.includes("/node_modules/pg")) timerCount += 1;
    return originalSetTimeout(...args);
  });
  const { sender, waitForMails, listPendingMails } = await createOutboxFixture(t, []);
  sender.start();
  await sender.enqueue(MAIL);
  await waitForMails(1);
  await waitUntilIdle(listPendingMails);
  assert.equal(timerCount, 0);
  await sender.stop();
});

test("a mail without a valid address cannot be queued", async (t) => {
  const { context } = await createOutboxFixture(t, []);
  assert.throws(
    () => insertMailQuery(context, { ...MAIL, to: "ann@example.org, ben@example.org" }),
    {
      message: "The mail invitation has no valid recipient.",
    },
  );
});

test("without a mail server the log contains the link and not the address", async () => {
  const lines: string[] = [];
  const send = createLoggingSender(pino({}, { write: (line: string) => lines.push(line) }));
  const outcome = await send({ ...MAIL, id: "1" }, new AbortController().signal);
  assert.deepEqual(outcome, { kind: "accepted" });
  assert.ok(lines[0]?.includes(MAIL.link));
  assert.ok(!lines[0]?.includes("ann@"));
});

function toMail({ purpose, to, subject, text, link }: QueuedMail): Mail {
  return { purpose, to, subject, text, link };
}
