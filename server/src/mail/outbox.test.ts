import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { pino } from "pino";
import { inEveryWay } from "../../test/support/query-plans.ts";
import { eventually } from "../../test/support/eventually.ts";
import { testContext } from "../../test/support/room.ts";
import { createLogMail } from "./log.ts";
import type { Mail, MailOutcome, OwedMail } from "./mail.ts";
import { MailSender } from "./outbox.ts";
import { claimMails, mailInsert, postponeMail, removeMail } from "./store.ts";

const MAIL: Mail = {
  purpose: "invitation",
  to: "ann@example.org",
  subject: "An invitation",
  text: "Open https://push.example.org/invitation?token=abc\n",
  link: "https://push.example.org/invitation?token=abc",
};
/** Each takes a round trip to the database. */
const TICKS_MAX = 1_000;

test("an owed mail is sent and forgotten, after a restart too", async (t) => {
  const { context, sender, sent, owed } = await start(t, []);
  await context.database.atomically([mailInsert(context, MAIL)]);
  sender.start();
  await sent(1);
  await sender.enqueue({ ...MAIL, to: "ben@example.org", subject: "An\r\ninvitation" });
  const mails = await sent(2);
  assert.deepEqual(mails.map(contentOf), [MAIL, { ...MAIL, to: "ben@example.org" }]);
  await sender.stop();
  assert.deepEqual(await owed(), []);
});

test("a claim takes no more mails than it may, whatever the plan", async (t) => {
  const context = await testContext(t);
  const mails = Array.from({ length: 6 }, () => mailInsert(context, MAIL));
  await context.database.atomically(mails);
  const until = context.now() + 60_000;
  await inEveryWay(context, async (inOneWay) => {
    assert.equal((await claimMails(inOneWay, { max: 2, until })).length, 2);
  });
});

test("a database that cannot be asked is asked again after a while, not at once", async (t) => {
  const { context, sender, logged } = await start(t, []);
  let asked = 0;
  t.mock.method(context.database.db, "updateTable", () => {
    asked += 1;
    throw new Error("The database is gone.");
  });
  sender.start();
  for (let tick = 0; tick < TICKS_MAX; tick += 1) await new Promise(setImmediate);
  assert.deepEqual([asked, logged().length], [1, 1]);
  sender.wake();
  for (let tick = 0; tick < TICKS_MAX; tick += 1) await new Promise(setImmediate);
  assert.deepEqual([asked, logged().length], [2, 2]);
  await sender.stop();
});

test("a mail that a rolled back transaction owed is never sent", async (t) => {
  const { context, sender, sent } = await start(t, []);
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

test("a mail is tried again later and later, and at last given up with an error", async (t) => {
  const { context, send, sent, owed, logged } = await start(t, [
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

test("a mail that waits is sent when its time has come", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { context, sender, mails, sent, owed } = await start(t, [
    { kind: "retry", reason: "X 451" },
    { kind: "taken" },
  ]);
  sender.start();
  await sender.enqueue(MAIL);
  await sent(1);
  await untilIdle(owed);
  context.clock.advance(1_000);
  t.mock.timers.tick(1_000);
  // Where the sender set its clock only now, the mail is due at once.
  for (let ticks = 0; ticks < TICKS_MAX && mails.length < 2; ticks += 1) {
    await owed();
    t.mock.timers.tick(1);
  }
  await sent(2);
  await sender.stop();
  assert.deepEqual(await owed(), []);
});

test("a mail does not wait for the time that was before the clock was set back", async (t) => {
  const { context, sender, sent, owed } = await start(t, [
    { kind: "retry", reason: "X 451" },
    { kind: "taken" },
  ]);
  sender.start();
  await sender.enqueue(MAIL);
  await sent(1);
  await untilIdle(owed);
  context.clock.advance(-86_400_000);
  sender.wake();
  const waitOf = async () => ((await owed())[0]?.run_at ?? 0) - context.now();
  // It might be another process's, which is sending it.
  assert.equal(await eventually(waitOf, (ms) => ms <= 300_000), 300_000);
  context.clock.advance(300_000);
  sender.wake();
  await sent(2);
  await sender.stop();
  assert.deepEqual(await owed(), []);
});

test("a mail waits out what it was to wait when the clock is set back by a little", async (t) => {
  const { context, sender, sent, owed } = await start(t, [{ kind: "taken" }]);
  await context.database.atomically([mailInsert(context, MAIL)]);
  const waiting = context.now() + 3 * 3_600_000;
  await context.database.db
    .updateTable("mail_message")
    .set({ attempts: 5, run_at: waiting })
    .execute();
  context.clock.advance(-60_000);
  sender.start();
  await untilIdle(owed);
  assert.deepEqual(
    (await owed()).map(({ run_at, attempts }) => [run_at, attempts]),
    [[waiting, 5]],
  );
  await sender.stop();
  assert.equal((await sent(0)).length, 0);
});

test("a mail that is refused for good is given up at once, with an error and no address", async (t) => {
  const { sender, sent, owed, logged } = await start(t, [{ kind: "refused", reason: "Y 550" }]);
  sender.start();
  await sender.enqueue(MAIL);
  await sent(1);
  await sender.stop();
  assert.deepEqual(await owed(), []);
  const [line] = logged();
  assert.deepEqual([line?.level, line?.reason, line?.purpose], [50, "Y 550", "invitation"]);
  assert.ok(!JSON.stringify(logged()).includes("ann@"));
});

test("many mails owed at once are each sent once", async (t) => {
  const { context, sender, sent, owed } = await start(t, []);
  const queries = Array.from({ length: 35 }, () => mailInsert(context, MAIL));
  await context.database.atomically(queries);
  sender.start();
  sender.wake();
  const mails = await sent(35);
  await sender.stop();
  assert.equal(new Set(mails.map((mail) => mail.id)).size, 35);
  assert.deepEqual(await owed(), []);
});

test("a mail whose sender died is taken over after its lease, and the dead one's result is nothing", async (t) => {
  const { context, owed } = await start(t, []);
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

test("with nothing owed the sender waits for no clock", async (t) => {
  let armed = 0;
  const original = globalThis.setTimeout;
  t.mock.method(globalThis, "setTimeout", (...given: Parameters<typeof setTimeout>) => {
    // Connections of a database have clocks of their own.
    const { stack = "" } = new Error("armed");
    if (stack.includes("/src/mail/") && !stack.includes("/node_modules/pg")) armed += 1;
    return original(...given);
  });
  const { sender, sent, owed } = await start(t, []);
  sender.start();
  await sender.enqueue(MAIL);
  await sent(1);
  await untilIdle(owed);
  assert.equal(armed, 0);
  await sender.stop();
});

test("a mail without a valid address cannot be owed", async (t) => {
  const { context } = await start(t, []);
  assert.throws(() => mailInsert(context, { ...MAIL, to: "ann@example.org, ben@example.org" }), {
    message: "The mail invitation has no valid recipient.",
  });
});

test("without a mail server the log has the link and not the address", async () => {
  const lines: string[] = [];
  const send = createLogMail(pino({}, { write: (line: string) => lines.push(line) }));
  const outcome = await send({ ...MAIL, id: "1" }, new AbortController().signal);
  assert.deepEqual(outcome, { kind: "taken" });
  assert.ok(lines[0]?.includes(MAIL.link));
  assert.ok(!lines[0]?.includes("ann@"));
});

async function start(t: TestContext, outcomes: readonly MailOutcome[]) {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => lines.push(line) });
  const context = { ...(await testContext(t)), log };
  const mails: OwedMail[] = [];
  const waiting = new Set<() => void>();
  const send = async (mail: OwedMail): Promise<MailOutcome> => {
    mails.push(mail);
    for (const look of waiting) look();
    return outcomes[Math.min(mails.length, outcomes.length) - 1] ?? { kind: "taken" };
  };
  return {
    context,
    send,
    /** Those that went out. */
    mails,
    sender: new MailSender(context, send),
    /** Resolves with all mails once `count` of them went out. */
    sent: (count: number): Promise<readonly OwedMail[]> => {
      const { promise, resolve } = Promise.withResolvers<readonly OwedMail[]>();
      const look = () => (mails.length >= count ? resolve(mails) : undefined);
      waiting.add(look);
      look();
      return promise;
    },
    owed: () =>
      context.database.db.selectFrom("mail_message").select(["id", "run_at", "attempts"]).execute(),
    logged: () =>
      lines.map((line) => JSON.parse(line) as { level: number; reason: string; purpose: string }),
  };
}

/** After its last mail the sender asks the database three things; on SQLite answers come in the order of the questions. */
async function untilIdle(owed: () => Promise<unknown>): Promise<void> {
  for (let count = 0; count < 6; count += 1) await owed();
}

function contentOf({ purpose, to, subject, text, link }: OwedMail): Mail {
  return { purpose, to, subject, text, link };
}
