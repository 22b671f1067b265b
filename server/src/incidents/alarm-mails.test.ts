import assert from "node:assert/strict";
import test from "node:test";
import {
  createTriggerOrder,
  startIncidentBench,
  startIncidentNodes,
  type IncidentBench,
} from "../../test/support/incident-bench.ts";
import { unsealContent } from "#mail/store/outbox.ts";
import { readTimerPage } from "#timers/store.ts";
import type { EscalationStep } from "./policies/policy.ts";
import { pruneAlarmMailHours } from "./store/alarm-mails.ts";
import { listEntries } from "./store/events.ts";

const HOUR_MS = 3_600_000;

/** Verifies the address of the bench's account, and moves the clock to `leftMs` before the end of an hour. */
async function prepareMailHour(
  { context, accountId }: IncidentBench,
  leftMs: number,
): Promise<void> {
  const { db } = context.database;
  await db.updateTable("account").set({ email_verified: 1 }).where("id", "=", accountId).execute();
  context.clock.advance(HOUR_MS - (context.now() % HOUR_MS) + HOUR_MS - leftMs);
}

const MAIL: EscalationStep = { afterSeconds: 0, targets: [{ kind: "mail", memberId: null }] };

/** Triggers an emergency that emails its owner, unless other steps are given; returns the incident's id. */
async function ring(
  bench: IncidentBench,
  incidentKey: string,
  steps: readonly EscalationStep[] = [MAIL],
): Promise<string> {
  const policy = { policyId: "p", name: "P", steps, remindAfterSeconds: null };
  const result = await bench.incidents.trigger(createTriggerOrder(bench, { incidentKey, policy }));
  return result.kind === "changed" ? result.change.incident.id : assert.fail();
}

/** Returns the count at the beginning of the subject of a summary. */
function readCount({ subject }: { readonly subject: string }): string | undefined {
  return /^\d+ more alarms?\b/.exec(subject)?.[0];
}

async function ringTimes(bench: IncidentBench, count: number, prefix: string): Promise<void> {
  for (let index = 0; index < count; index += 1) await ring(bench, `${prefix} ${index}`);
}

async function readMails({ context }: IncidentBench) {
  const rows = await context.database.db
    .selectFrom("mail_message")
    .select(["id", "purpose", "subject", "text", "link"])
    .orderBy("id")
    .execute();
  const mails = rows.map((row) => ({ ...row, ...(unsealContent(context, row) ?? assert.fail()) }));
  return {
    alarms: mails.filter(({ purpose }) => purpose === "incident"),
    summaries: mails.filter(({ purpose }) => purpose === "incident_summary"),
  };
}

test("of 25 emergencies in an hour, 20 are emailed, and one email counts the others when the hour is over", async (t) => {
  const bench = await startIncidentBench(t);
  await prepareMailHour(bench, 600_000);
  await ringTimes(bench, 25, "disk");
  const { alarms, summaries } = await readMails(bench);
  assert.deepEqual([alarms.length, summaries.length], [20, 0]);
  const hinting = alarms.flatMap(({ text }, index) =>
    text.includes("alarm email number 20") ? [index] : [],
  );
  assert.deepEqual(hinting, [19]);
  await bench.advance(600_000);
  const later = await readMails(bench);
  assert.equal(later.alarms.length, 20);
  assert.deepEqual(later.summaries.map(readCount), ["5 more alarms"]);
  assert.equal(later.summaries[0]?.link, "https://tocsin.example.org/incidents");
  assert.match(
    later.summaries[0]?.text ?? "",
    /^5 more alarms in the hour from .* would have sent/,
  );
  await bench.advance(HOUR_MS);
  assert.equal((await readMails(bench)).summaries.length, 1);
});

test("each hour of the clock has its own 20 alarm emails", async (t) => {
  const bench = await startIncidentBench(t);
  await prepareMailHour(bench, 1);
  await ringTimes(bench, 20, "before");
  assert.equal((await readMails(bench)).alarms.length, 20);
  await bench.advance(1);
  await ringTimes(bench, 21, "after");
  assert.deepEqual((await readMails(bench)).alarms.length, 40);
  await bench.advance(HOUR_MS);
  const { summaries } = await readMails(bench);
  assert.deepEqual(summaries.map(readCount), ["1 more alarm"]);
});

test("two concurrent nodes send 20 alarm emails, and one email that counts the other alarms", async (t) => {
  const [node, other = assert.fail()] = await startIncidentNodes(t, 2);
  await prepareMailHour(node, 600_000);
  await Promise.all(
    Array.from({ length: 25 }, (_, index) => ring(index % 2 === 0 ? node : other, `disk ${index}`)),
  );
  assert.equal((await readMails(node)).alarms.length, 20);
  node.context.clock.advance(600_000);
  const { timers } = await readTimerPage(node.context, { kinds: ["mail_summary"], max: 5 });
  assert.equal(timers.length, 1);
  await Promise.all([node, other].flatMap((one) => timers.map((timer) => one.fire(timer))));
  const { summaries } = await readMails(node);
  assert.deepEqual(summaries.map(readCount), ["5 more alarms"]);
});

test("a step whose only email is withheld does not wait, and the history says so", async (t) => {
  const bench = await startIncidentBench(t);
  await prepareMailHour(bench, 600_000);
  await ringTimes(bench, 20, "disk");
  const later: EscalationStep = { afterSeconds: 300, targets: [{ kind: "me" }] };
  const id = await ring(bench, "fire", [MAIL, later]);
  await bench.advance(30_000);
  const entries = await listEntries(bench.context, id);
  const [mail, ...others] = entries.filter(({ kind }) => kind === "mail");
  assert.deepEqual([mail?.accountId, mail?.detail], [bench.accountId, { step: 1, withheld: true }]);
  assert.deepEqual(others, []);
  const steps = entries.filter(({ kind }) => kind === "step");
  assert.deepEqual(
    steps.map(({ detail }) => detail["reason"]),
    ["trigger", "reached_nobody"],
  );
});

test("an alarm that comes after the email about its hour is counted in a second one", async (t) => {
  const bench = await startIncidentBench(t);
  await prepareMailHour(bench, 600_000);
  await ringTimes(bench, 22, "disk");
  const { timers } = await readTimerPage(bench.context, { kinds: ["mail_summary"], max: 5 });
  for (const timer of timers) await bench.fire(timer);
  await ring(bench, "late");
  await bench.advance(600_000);
  const { summaries } = await readMails(bench);
  assert.deepEqual(summaries.map(readCount), ["2 more alarms", "1 more alarm"]);
});

test("the count of an hour is deleted after two days", async (t) => {
  const bench = await startIncidentBench(t);
  await prepareMailHour(bench, 600_000);
  await ring(bench, "disk");
  bench.context.clock.advance(47 * HOUR_MS);
  await ring(bench, "other");
  assert.equal(await pruneAlarmMailHours(bench.context, 10), 0);
  bench.context.clock.advance(2 * HOUR_MS);
  assert.equal(await pruneAlarmMailHours(bench.context, 10), 1);
});
