import assert from "node:assert/strict";
import test from "node:test";
import { eventually } from "../../test/support/eventually.ts";
import { MAIL, createOutbox, untilIdle } from "../../test/support/create-outbox.ts";
import { countOwedMails, heldMailInsert, mailInsert } from "./store/outbox.ts";

/** Each tick takes a round trip to the database. */
const TICKS_MAX = 1_000;

test("a waiting mail is sent when it is due", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { context, sender, mails, sent, owed } = await createOutbox(t, [
    { kind: "retry", reason: "X 451" },
    { kind: "taken" },
  ]);
  sender.start();
  await sender.enqueue(MAIL);
  await sent(1);
  await untilIdle(owed);
  context.clock.advance(1_000);
  t.mock.timers.tick(1_000);
  // If the sender sets its timer only now, the mail is due immediately.
  for (let ticks = 0; ticks < TICKS_MAX && mails.length < 2; ticks += 1) {
    await owed();
    t.mock.timers.tick(1);
  }
  await sent(2);
  await sender.stop();
  assert.deepEqual(await owed(), []);
});

test("after a clock rollback, a mail does not wait for the old time", async (t) => {
  const { context, sender, sent, owed } = await createOutbox(t, [
    { kind: "retry", reason: "X 451" },
    { kind: "taken" },
  ]);
  sender.start();
  await sender.enqueue(MAIL);
  await sent(1);
  await untilIdle(owed);
  context.clock.advance(-86_400_000);
  sender.wake();
  const remainingMs = async () => ((await owed())[0]?.run_at ?? 0) - context.now();
  // Another process may hold a lease and be sending the mail.
  assert.equal(await eventually(remainingMs, (ms) => ms <= 300_000), 300_000);
  context.clock.advance(300_000);
  sender.wake();
  await sent(2);
  await sender.stop();
  assert.deepEqual(await owed(), []);
});

test("a clock set back during a send is noticed when the sender is woken", async (t) => {
  const { context, sender, owed, onSend } = await createOutbox(t, []);
  const earlier = { ...MAIL, to: "ben@example.org" };
  await context.database.atomically([mailInsert(context, earlier)]);
  await context.database.db
    .updateTable("mail_message")
    .set({ attempts: 1, run_at: context.now() + 1_000 })
    .execute();
  await context.database.atomically([mailInsert(context, MAIL)]);
  onSend(() => {
    context.clock.advance(-86_400_000);
    sender.wake();
  });
  sender.start();
  const waits = async () => (await owed()).map(({ run_at }) => run_at - context.now());
  await eventually(waits, (found) => found.length === 1 && found[0] === 300_000);
  await sender.stop();
});

test("a small clock rollback does not change the delay of a mail", async (t) => {
  const { context, sender, sent, owed } = await createOutbox(t, [{ kind: "taken" }]);
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

test("a held mail keeps its delay after a clock rollback, and does not count as late", async (t) => {
  const { context, sender, sent, owed } = await createOutbox(t, [{ kind: "taken" }]);
  const heldMs = 600_000;
  await context.database.atomically([heldMailInsert(context, MAIL, heldMs)]);
  const heldUntil = context.now() + heldMs;
  assert.deepEqual(await countOwedMails(context), { owed: 1, oldestAt: heldUntil });
  sender.start();
  await untilIdle(owed);
  assert.deepEqual(
    (await owed()).map(({ run_at }) => run_at),
    [heldUntil],
  );
  context.clock.advance(-86_400_000);
  sender.wake();
  const remainingMs = async () => ((await owed())[0]?.run_at ?? 0) - context.now();
  assert.equal(await eventually(remainingMs, (ms) => ms <= heldMs), heldMs);
  context.clock.advance(heldMs);
  sender.wake();
  await sent(1);
  await sender.stop();
  assert.deepEqual(await owed(), []);
});
