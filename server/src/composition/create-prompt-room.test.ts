import assert from "node:assert/strict";
import test from "node:test";
import { Registry } from "prom-client";
import { SERVER } from "#audit/event.ts";
import { Retention } from "#notifications/retention/retention.ts";
import { addDevice } from "../../test/support/delivery-bench.ts";
import { startIncidentBench, type IncidentBench } from "../../test/support/incident-bench.ts";
import { answer, ask, insertTeam } from "../../test/support/prompt-bench.ts";
import { createPromptRoom } from "./create-prompt-room.ts";
import { createIncidentPrune } from "./incident-removal.ts";

const DAY_MS = 86_400_000;

/** Leaves one prompt open, two answered, three expired and four cancelled. */
async function askInEveryState(bench: IncidentBench): Promise<void> {
  const { accountId } = bench;
  for (let count = 0; count < 3; count += 1) await ask(bench, { expireAfterMs: 60_000 });
  await bench.advance(60_000);
  for (const text of ["yes", "soon"]) {
    const promptId = await ask(bench, { allowsText: true });
    await answer(bench, { promptId, accountId, text });
  }
  for (let count = 0; count < 4; count += 1) await bench.prompts.cancel(await ask(bench), SERVER);
  await ask(bench, { content: { priority: "emergency" }, expireAfterMs: 120_000 });
}

/** Returns the number of prompts by state, as a scrape shows it. */
async function scrape(registry: Registry) {
  const { values } = (await registry.getMetricsAsJSON()).find(
    ({ name }) => name === "tocsin_prompts",
  ) as { readonly values: readonly { labels: { state?: string }; value: number }[] };
  return Object.fromEntries(values.map(({ labels, value }) => [labels.state, value]));
}

test("the metric of prompts counts the stored prompts in each state", async (t) => {
  const bench = await startIncidentBench(t);
  const { context, incidents } = bench;
  const registry = new Registry();
  createPromptRoom({ context, incidents, timers: { register() {} }, metrics: { registry } });
  const none = { open: 0, answered: 0, expired: 0, cancelled: 0 };
  assert.deepEqual(await scrape(registry), none);
  await askInEveryState(bench);
  assert.deepEqual(await scrape(registry), { open: 1, answered: 2, expired: 3, cancelled: 4 });
  await bench.advance(120_000);
  assert.deepEqual(await scrape(registry), { open: 0, answered: 2, expired: 4, cancelled: 4 });
});

const TABLES = [
  "incident",
  "incident_event",
  "incident_audience",
  "prompt",
  "prompt_answer",
  "notification",
  "feed_entry",
  "send_job",
  "timer",
] as const;

async function countRows({ context: { database } }: IncidentBench) {
  const counts = TABLES.map(async (table) => {
    const rows = await database.db.selectFrom(table).selectAll().execute();
    return [table, rows.length] as const;
  });
  return Object.fromEntries(await Promise.all(counts));
}

test("retention deletes prompts with their answers, history and notifications", async (t) => {
  const bench = await startIncidentBench(t);
  const { context } = bench;
  await addDevice(bench, "good/1");
  const { teamId, memberIds } = await insertTeam(context, 2);
  const audience = { kind: "team", teamId } as const;
  const promptId = await ask(bench, { audience, teamId, answersNeeded: 2 });
  for (const accountId of memberIds) await answer(bench, { promptId, accountId, text: "yes" });
  await askInEveryState(bench);
  await bench.advance(120_000);
  await bench.waitUntilIdle();
  const getRetentionDays = async () => 1;
  const prunes = [createIncidentPrune(getRetentionDays)];
  const retention = new Retention({ context, provenTime: context, getRetentionDays, prunes });
  await retention.prune();
  const before = await countRows(bench);
  // `askInEveryState` adds ten prompts, of which two are answered.
  assert.deepEqual([before["prompt"], before["prompt_answer"]], [1 + 10, memberIds.length + 2]);
  context.clock.advance(2 * DAY_MS);
  await retention.prune();
  const none = Object.fromEntries(TABLES.map((table) => [table, 0]));
  assert.deepEqual(await countRows(bench), none);
});
