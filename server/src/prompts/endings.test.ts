import assert from "node:assert/strict";
import test from "node:test";
import { SERVER } from "#audit/event.ts";
import type { NewNotification } from "#delivery/delivery.ts";
import { recordFailedCallbackQuery } from "#incidents/store/events.ts";
import { findIncidentAct } from "#incidents/store/incident-act.ts";
import { removeOldIncidents } from "#incidents/store/removal.ts";
import { addIncidentNode, startIncidentBench } from "../../test/support/incident-bench.ts";
import { answer, ask, insertTeam } from "../../test/support/prompt-bench.ts";
import type { RoomContext } from "../../test/support/context.ts";
import { createPrompts } from "./prompts.ts";

const DAY_MS = 86_400_000;

test("a prompt that is cancelled right after an answer does not end before that answer", async (t) => {
  const bench = await startIncidentBench(t);
  const { context, incidents } = bench;
  const { teamId, memberIds } = await insertTeam(context, 2);
  const [accountId = ""] = memberIds;
  const audience = { kind: "team", teamId } as const;
  const promptId = await ask(bench, { audience, answersNeeded: 2 });
  const prompts = createPrompts({
    context,
    timers: { register() {} },
    incidents: {
      ...incidents,
      // The answer is given while the cancellation waits.
      async changeQuestion(order) {
        context.clock.advance(5);
        await answer(bench, { promptId, accountId, text: "yes" });
        return incidents.changeQuestion(order);
      },
    },
  });
  await prompts.cancel(promptId, SERVER);
  const prompt = await prompts.find(promptId);
  assert.equal(prompt?.state, "cancelled");
  assert.deepEqual(
    prompt.answers.map(({ at }) => at),
    [prompt.incident.closing?.at],
  );
});

test("a prompt takes no answer after its planned end, even if its timer is late", async (t) => {
  const bench = await startIncidentBench(t);
  const { context, accountId } = bench;
  const promptId = await ask(bench, { expireAfterMs: 300_000 });
  const endsAt = new Date(context.now() + 300_000).toISOString();
  context.clock.advance(300_000);
  const lateAnswer = answer(bench, { promptId, accountId, text: "yes" });
  await assert.rejects(lateAnswer, {
    code: "prompt_closed",
    message: `The time to answer is over, at ${endsAt}.`,
  });
  await bench.fireDue();
  assert.equal((await bench.prompts.find(promptId))?.state, "expired");
});

test("a new prompt tells the timers when it ends", async (t) => {
  const bench = await startIncidentBench(t);
  const wakings: number[] = [];
  const timers = { register() {}, wakeAt: (at: number) => void wakings.push(at) };
  await ask(addIncidentNode(t, bench, {}, timers), { expireAfterMs: 300_000 });
  assert.deepEqual(wakings, [bench.context.now() + 300_000]);
});

test("an old prompt is removed only once it has ended", async (t) => {
  const bench = await startIncidentBench(t);
  const { context } = bench;
  const promptId = await ask(bench, { expireAfterMs: DAY_MS });
  context.clock.advance(DAY_MS + 1);
  const remove = () => removeOldIncidents(context, { before: context.now() - DAY_MS, limit: 10 });
  assert.equal(await remove(), 0);
  await bench.fireDue();
  assert.equal((await bench.prompts.find(promptId))?.state, "expired");
  await bench.advance(DAY_MS + 1);
  assert.equal(await remove(), 1);
  assert.equal(await bench.prompts.find(promptId), null);
});

test("a callback that is given up after its prompt was deleted records nothing, and causes no error", async (t) => {
  const { context } = await startIncidentBench(t);
  const failure = { id: "c", sourceId: "s", subjectId: "missing", url: "https://example.org/" };
  const query = recordFailedCallbackQuery(context, {
    ...failure,
    event: "prompt.answered",
    attempts: 8,
    reason: "refused",
  });
  await context.database.atomically([query]);
  const rows = await context.database.db.selectFrom("incident_event").selectAll().execute();
  assert.deepEqual(rows, []);
});

const LOSSES = [
  {
    words: "who has left the team",
    lose: ({ database: { db }, now }: RoomContext, accountId: string) =>
      db
        .updateTable("team_member")
        .set({ left_at: now() })
        .where("account_id", "=", accountId)
        .execute(),
  },
  {
    words: "whose account is suspended",
    lose: ({ database: { db }, now }: RoomContext, accountId: string) =>
      db.updateTable("account").set({ suspended_at: now() }).where("id", "=", accountId).execute(),
  },
];

for (const { words, lose } of LOSSES) {
  test(`an answer of a person ${words} no longer counts`, async (t) => {
    const bench = await startIncidentBench(t);
    const { context } = bench;
    const { teamId, memberIds } = await insertTeam(context, 3);
    const [ann = "", ben = "", cleo = ""] = memberIds;
    const audience = { kind: "team", teamId } as const;
    const promptId = await ask(bench, { audience, teamId, answersNeeded: 2 });
    const agree = async (accountId: string) =>
      (await answer(bench, { promptId, accountId, text: "yes" }))?.prompt.state;
    await agree(ann);
    await lose(context, ann);
    assert.equal(await agree(ben), "open");
    assert.equal(await agree(cleo), "answered");
  });
}

test("a push that a prompt no longer needs is cancelled with the code of an answer or of another end", async (t) => {
  const bench = await startIncidentBench(t);
  const { context, accountId } = bench;
  const endings = {
    answered: (promptId: string) => answer(bench, { promptId, accountId, text: "yes" }),
    question_ended: (promptId: string) => bench.prompts.cancel(promptId, SERVER),
  };
  for (const [code, end] of Object.entries(endings)) {
    const promptId = await ask(bench, {});
    const { incident } = (await bench.prompts.find(promptId)) ?? assert.fail();
    const push = { interaction: { incidentId: incident.id, promptId, cause: "prompt" } };
    const notification = push as unknown as NewNotification;
    assert.equal(await findIncidentAct(context, notification), null);
    await end(promptId);
    assert.equal(await findIncidentAct(context, notification), code);
  }
});
