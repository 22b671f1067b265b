import assert from "node:assert/strict";
import test from "node:test";
import { SERVER } from "#audit/event.ts";
import { findResults } from "#notifications/log/store.ts";
import { listEntries } from "#incidents/store/events.ts";
import { addDevice } from "../../test/support/delivery-bench.ts";
import { startIncidentBench, type IncidentBench } from "../../test/support/incident-bench.ts";
import { ACCEPTED } from "../../test/support/scripted-provider.ts";
import type { Outcome } from "#providers/provider.ts";
import { answer, ask } from "../../test/support/prompt-bench.ts";

const BUSY: Outcome = {
  kind: "retry",
  reason: { code: "transient", detail: "503" },
  afterMs: null,
  isCounted: true,
};

async function readTimers({ context }: IncidentBench): Promise<readonly string[]> {
  const rows = await context.database.db.selectFrom("timer").select("kind").execute();
  return rows.map(({ kind }) => kind).toSorted();
}

async function readPushes({ context }: IncidentBench) {
  const rows = await context.database.db
    .selectFrom("notification")
    .selectAll()
    .orderBy("id")
    .execute();
  return rows.map(({ title, cause, actions, incident_id, prompt_id, expires_at }) => ({
    text: `${cause}: ${title}`,
    actions: actions === null ? null : (JSON.parse(actions) as unknown),
    incidentId: incident_id,
    promptId: prompt_id,
    expiresAt: expires_at,
  }));
}

test("a prompt is pushed once with its choices, and a push that reports the answer follows", async (t) => {
  const bench = await startIncidentBench(t);
  await addDevice(bench, "good/1");
  const promptId = await ask(bench, { allowsText: true, expireAfterMs: 600_000 });
  const endsAt = bench.context.now() + 600_000;
  await bench.waitUntilIdle();
  assert.deepEqual(await readTimers(bench), ["prompt_expire"]);
  await bench.advance(120_000);
  const { accountId } = bench;
  const result = await answer(bench, { promptId, accountId, text: "not yet" });
  await bench.waitUntilIdle();
  assert.equal(result?.prompt.answer?.text, "not yet");
  const [promptPush, answerPush, ...more] = await readPushes(bench);
  assert.deepEqual(more, []);
  assert.deepEqual(promptPush, {
    text: "prompt: Deploy?",
    // The choices, and 1 because the answer may be a text.
    actions: [
      [
        ["1", "yes"],
        ["2", "no"],
      ],
      1,
    ],
    incidentId: null,
    promptId,
    // The push is not sent after the end of the prompt, although the push could live for an hour.
    expiresAt: endsAt,
  });
  assert.deepEqual(
    [answerPush?.text, answerPush?.actions],
    ["answer: Ann answered: not yet", null],
  );
  assert.deepEqual(await readTimers(bench), []);
  assert.equal(bench.provider.attempts.length, 2);
});

test("an emergency prompt rings until it is answered", async (t) => {
  const bench = await startIncidentBench(t);
  await addDevice(bench, "good/1");
  const promptId = await ask(bench, { content: { priority: "emergency" } });
  await bench.waitUntilIdle();
  assert.deepEqual(await readTimers(bench), ["expire", "prompt_expire", "ring"]);
  await bench.advance(60_000);
  await bench.advance(60_000);
  assert.equal(bench.provider.attempts.length, 3);
  await answer(bench, { promptId, accountId: bench.accountId, text: "yes" });
  await bench.waitUntilIdle();
  await bench.advance(600_000);
  assert.equal(bench.provider.attempts.length, 4);
  assert.deepEqual(await readTimers(bench), []);
  assert.deepEqual(
    (await readPushes(bench)).map(({ text }) => text),
    ["prompt: Deploy?", "ring: Deploy?", "ring: Deploy?", "answer: Ann answered: yes"],
  );
  const entries = await listEntries(bench.context, promptId);
  const answered = entries.find(({ kind }) => kind === "answered");
  assert.deepEqual([answered?.accountId, answered?.via], [bench.accountId, "console"]);
});

test("an emergency prompt climbs its policy until somebody answers on a device that was reached", async (t) => {
  const bench = await startIncidentBench(t);
  const { accountId } = bench;
  const deviceIds: string[] = [];
  for (const name of ["good/1", "good/2", "good/3"]) deviceIds.push(await addDevice(bench, name));
  const steps = deviceIds.map((deviceId, index) => ({
    afterSeconds: index * 45,
    targets: [{ kind: "device", deviceId } as const],
  }));
  const policy = { policyId: "policy", name: "Policy", steps, remindAfterSeconds: null };
  const promptId = await ask(bench, { content: { priority: "emergency" }, policy });
  await bench.waitUntilIdle();
  const press = () =>
    answer(bench, { promptId, accountId, text: "yes", deviceId: deviceIds[1] ?? "" });
  assert.equal(await press(), null);
  await bench.advance(45_000);
  const result = await press();
  await bench.waitUntilIdle();
  assert.equal(result?.prompt.state, "answered");
  await bench.advance(600_000);
  // The push that reports the answer goes to the same two devices.
  const [first, second, ...reports] = bench.provider.attempts.map(({ endpoint }) => endpoint);
  assert.deepEqual(
    [first, second, ...reports.toSorted()],
    ["good/1", "good/2", "good/1", "good/2"],
  );
  assert.deepEqual(await readTimers(bench), []);
});

test("a prompt that nobody answers ends on time, and takes no answer afterwards", async (t) => {
  for (const priority of ["normal", "emergency"] as const) {
    const bench = await startIncidentBench(t);
    await addDevice(bench, "good/1");
    const promptId = await ask(bench, { content: { priority }, expireAfterMs: 300_000 });
    await bench.advance(299_000);
    assert.equal((await bench.prompts.find(promptId))?.state, "open");
    await bench.advance(1_000);
    const prompt = await bench.prompts.find(promptId);
    assert.deepEqual([prompt?.state, prompt?.answer], ["expired", null]);
    const report = (await readPushes(bench)).at(-1);
    assert.deepEqual([report?.text, report?.actions], ["answer: Nobody answered in time", null]);
    assert.deepEqual(await readTimers(bench), []);
    const lateAnswer = answer(bench, { promptId, accountId: bench.accountId, text: "yes" });
    await assert.rejects(lateAnswer, {
      code: "prompt_closed",
      message: /^The time to answer is over, at/,
    });
  }
});

test("a push that waits for a retry is not sent once the prompt is answered", async (t) => {
  const bench = await startIncidentBench(t);
  await addDevice(bench, "good/1");
  bench.provider.script("good/1", async () => BUSY);
  const promptId = await ask(bench);
  await bench.waitUntilIdle();
  bench.provider.script("good/1", async () => ACCEPTED);
  await answer(bench, { promptId, accountId: bench.accountId, text: "yes" });
  bench.context.clock.advance(60_000);
  await bench.delivery.worker.claimDue();
  await bench.waitUntilIdle();
  const { db } = bench.context.database;
  const rows = await db.selectFrom("notification").select(["id", "title"]).execute();
  const notificationId = rows.find(({ title }) => title === "Deploy?")?.id ?? "";
  const results = await findResults(bench.context, { notificationId, limit: 10 });
  assert.deepEqual(
    results.map(({ state, code }) => [state, code]),
    [["cancelled", "answered"]],
  );
});

test("a cancelled prompt leaves no call and no timer, and its cancellation is in the audit log", async (t) => {
  const bench = await startIncidentBench(t);
  await addDevice(bench, "good/1");
  const callbackUrl = "https://hooks.example.org/";
  const promptId = await ask(bench, { callbackUrl, content: { priority: "emergency" } });
  await bench.prompts.cancel(promptId, SERVER);
  assert.equal((await bench.prompts.find(promptId))?.state, "cancelled");
  const report = (await readPushes(bench)).at(-1);
  assert.deepEqual([report?.text, report?.actions], ["answer: Withdrawn", null]);
  assert.deepEqual(await readTimers(bench), []);
  const { db } = bench.context.database;
  assert.deepEqual(await db.selectFrom("callback").select("event").execute(), []);
  assert.deepEqual(
    (await db.selectFrom("audit_event").select("action").execute()).map(({ action }) => action),
    ["device_added", "prompt_cancelled"],
  );
});
