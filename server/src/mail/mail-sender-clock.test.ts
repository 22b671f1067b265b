import assert from "node:assert/strict";
import { once } from "node:events";
import test from "node:test";
import { eventually } from "../../test/support/eventually.ts";
import { MAIL, createOutboxFixture, waitUntilIdle } from "../../test/support/outbox-fixture.ts";
import { MailSender } from "./mail-sender.ts";
import { countQueuedMails, insertHeldMailQuery, insertMailQuery } from "./store/outbox.ts";

const LEASE_MS = 300_000;
/** Each tick takes a round trip to the database. */
const TICKS_MAX = 1_000;

test("a waiting mail is sent when it is due", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { context, sender, sentMails, waitForMails, listPendingMails } = await createOutboxFixture(
    t,
    [{ kind: "retry", reason: "X 451" }, { kind: "accepted" }],
  );
  sender.start();
  await sender.enqueue(MAIL);
  await waitForMails(1);
  await waitUntilIdle(listPendingMails);
  context.clock.advance(1_000);
  t.mock.timers.tick(1_000);
  // If the sender sets its timer only now, the mail is due immediately.
  for (let ticks = 0; ticks < TICKS_MAX && sentMails.length < 2; ticks += 1) {
    await listPendingMails();
    t.mock.timers.tick(1);
  }
  await waitForMails(2);
  await sender.stop();
  assert.deepEqual(await listPendingMails(), []);
});

test("an attempt at a mail server that never finishes ends before the lease of the mail", async (t) => {
  // Node's documentation has this API, its types do not.
  t.mock.timers.enable({ apis: ["AbortSignal.timeout" as "setTimeout"] });
  const { context, listPendingMails } = await createOutboxFixture(t, []);
  const begun = Promise.withResolvers<void>();
  const sender = new MailSender(context, async (_mail, signal) => {
    begun.resolve();
    await once(signal, "abort");
    return { kind: "retry", reason: "EABORT" };
  });
  t.after(() => sender.stop());
  sender.start();
  await sender.enqueue(MAIL);
  await begun.promise;
  const getRemainingMs = async () => ((await listPendingMails())[0]?.run_at ?? 0) - context.now();
  const leaseMs = await getRemainingMs();
  t.mock.timers.tick(leaseMs - 1);
  assert.equal(await eventually(getRemainingMs, (ms) => ms < leaseMs), 1_000);
});

test("after a clock rollback, a mail does not wait until the clock reaches the old time again", async (t) => {
  const { context, sender, waitForMails, listPendingMails } = await createOutboxFixture(t, [
    { kind: "retry", reason: "X 451" },
    { kind: "accepted" },
  ]);
  sender.start();
  await sender.enqueue(MAIL);
  await waitForMails(1);
  await waitUntilIdle(listPendingMails);
  context.clock.advance(-86_400_000);
  sender.wake();
  const getRemainingMs = async () => ((await listPendingMails())[0]?.run_at ?? 0) - context.now();
  // Another process may hold a lease and be sending the mail.
  assert.equal(await eventually(getRemainingMs, (ms) => ms <= LEASE_MS), LEASE_MS);
  context.clock.advance(LEASE_MS);
  sender.wake();
  await waitForMails(2);
  await sender.stop();
  assert.deepEqual(await listPendingMails(), []);
});

test("a clock set back during a send is noticed when the sender is woken", async (t) => {
  const { context, sender, listPendingMails, onSend } = await createOutboxFixture(t, []);
  const earlierMail = { ...MAIL, to: "ben@example.org" };
  await context.database.atomically([insertMailQuery(context, earlierMail)]);
  await context.database.db
    .updateTable("mail_message")
    .set({ attempts: 1, run_at: context.now() + 1_000 })
    .execute();
  await context.database.atomically([insertMailQuery(context, MAIL)]);
  onSend(() => {
    context.clock.advance(-86_400_000);
    sender.wake();
  });
  sender.start();
  const listWaits = async () =>
    (await listPendingMails()).map(({ run_at }) => run_at - context.now());
  await eventually(listWaits, (found) => found.length === 1 && found[0] === LEASE_MS);
  await sender.stop();
});

test("a small clock rollback does not change the delay of a mail", async (t) => {
  const { context, sender, waitForMails, listPendingMails } = await createOutboxFixture(t, [
    { kind: "accepted" },
  ]);
  await context.database.atomically([insertMailQuery(context, MAIL)]);
  const dueAt = context.now() + 3 * 3_600_000;
  await context.database.db
    .updateTable("mail_message")
    .set({ attempts: 5, run_at: dueAt })
    .execute();
  context.clock.advance(-60_000);
  sender.start();
  await waitUntilIdle(listPendingMails);
  assert.deepEqual(
    (await listPendingMails()).map(({ run_at, attempts }) => [run_at, attempts]),
    [[dueAt, 5]],
  );
  await sender.stop();
  assert.equal((await waitForMails(0)).length, 0);
});

test("a held mail keeps its delay after a clock rollback, and does not count as late", async (t) => {
  const { context, sender, waitForMails, listPendingMails } = await createOutboxFixture(t, [
    { kind: "accepted" },
  ]);
  const heldMs = 600_000;
  await context.database.atomically([insertHeldMailQuery(context, MAIL, heldMs)]);
  const heldUntil = context.now() + heldMs;
  assert.deepEqual(await countQueuedMails(context), { queuedCount: 1, oldestAt: heldUntil });
  sender.start();
  await waitUntilIdle(listPendingMails);
  assert.deepEqual(
    (await listPendingMails()).map(({ run_at }) => run_at),
    [heldUntil],
  );
  context.clock.advance(-86_400_000);
  sender.wake();
  const getRemainingMs = async () => ((await listPendingMails())[0]?.run_at ?? 0) - context.now();
  assert.equal(await eventually(getRemainingMs, (ms) => ms <= heldMs), heldMs);
  context.clock.advance(heldMs);
  sender.wake();
  await waitForMails(1);
  await sender.stop();
  assert.deepEqual(await listPendingMails(), []);
});
