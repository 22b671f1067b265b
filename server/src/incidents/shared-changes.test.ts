import assert from "node:assert/strict";
import test from "node:test";
import type { Priority } from "@tocsin/sdk";
import { createRateLimitError } from "#http/rate-limit.ts";
import { addDevice } from "../../test/support/delivery-bench.ts";
import {
  createTriggerOrder,
  startIncidentBench,
  type IncidentBench,
  type OrderOptions,
} from "../../test/support/incident-bench.ts";
import type { PolicySnapshot } from "./policies/snapshot.ts";
import { toIncident } from "./store/rows.ts";

const ON_CALL: PolicySnapshot = {
  policyId: "policy",
  name: "On call",
  steps: [
    { afterSeconds: 0, targets: [{ kind: "me" }] },
    { afterSeconds: 300, targets: [{ kind: "me" }] },
  ],
  remindAfterSeconds: null,
};

/** Refuses a trigger, so that the triggers that wait for it share the change that opens the incident. */
const REFUSED: OrderOptions = {
  charge() {
    throw createRateLimitError(1_000);
  },
};

/** Triggers at once, so that all but the first one wait. Returns the settled results. */
async function triggerAtOnce(bench: IncidentBench, options: readonly OrderOptions[]) {
  const results = await Promise.allSettled(
    options.map((one) => bench.incidents.trigger(createTriggerOrder(bench, one))),
  );
  await bench.waitUntilIdle();
  return results;
}

async function readIncident({ context }: IncidentBench) {
  const row = await context.database.db.selectFrom("incident").selectAll().executeTakeFirst();
  return row === undefined ? assert.fail() : toIncident(row);
}

async function readPushes({ context }: IncidentBench) {
  const rows = await context.database.db
    .selectFrom("notification")
    .select(["title", "priority", "cause"])
    .where("device_count", ">", 0)
    .orderBy("id")
    .execute();
  return rows.map(({ title, priority, cause }) => `${cause} ${priority ?? "normal"} ${title}`);
}

function toContent(title: string, priority: Priority): OrderOptions {
  return { content: { title, priority } };
}

test("an emergency is pushed with its text and keeps its policy if a normal trigger follows at once", async (t) => {
  const bench = await startIncidentBench(t);
  await addDevice(bench, "good/1");
  const emergency = { ...toContent("Disk full", "emergency"), policy: ON_CALL };
  const last = toContent("Disk warm", "normal");
  await triggerAtOnce(bench, [toContent("Disk cold", "normal"), emergency, last]);
  const incident = await readIncident(bench);
  assert.deepEqual(
    [incident.priority, incident.policy?.name, incident.occurrences],
    ["emergency", "On call", 3],
  );
  // The latest text wins, but its push waits for the timer of updates, as if the text had come alone.
  assert.equal(incident.title, "Disk warm");
  assert.deepEqual(await readPushes(bench), [
    "trigger normal Disk cold",
    "trigger emergency Disk full",
  ]);
  const timers = await bench.context.database.db.selectFrom("timer").select("kind").execute();
  assert.ok(timers.some(({ kind }) => kind === "update"));
});

test("a normal trigger and the emergency after it share a change", async (t) => {
  const bench = await startIncidentBench(t);
  await addDevice(bench, "good/1");
  const emergency = { ...toContent("Disk full", "emergency"), policy: ON_CALL };
  const orders = [toContent("Disk cold", "normal"), toContent("Disk warm", "normal"), emergency];
  await triggerAtOnce(bench, orders);
  const { version, occurrences, title, policy } = await readIncident(bench);
  assert.deepEqual([version, occurrences, title, policy?.name], [2, 3, "Disk full", "On call"]);
  assert.deepEqual(await readPushes(bench), [
    "trigger normal Disk cold",
    "trigger emergency Disk full",
  ]);
});

test("triggers of every priority share few changes", async (t) => {
  const bench = await startIncidentBench(t);
  await addDevice(bench, "good/1");
  const priorities = ["emergency", "high", "normal", "low"] as const;
  const orders = Array.from({ length: 1_000 }, (_, index) =>
    toContent("Disk full", priorities[index % 4] ?? "low"),
  );
  await triggerAtOnce(bench, orders);
  const { version, occurrences } = await readIncident(bench);
  assert.equal(occurrences, 1_000);
  assert.ok(version <= 5, `${version} changes`);
  assert.equal(bench.provider.attempts.length, 1);
});

test("an incident keeps the callback URL and the auto-resolve time of a trigger that shares its opening", async (t) => {
  const bench = await startIncidentBench(t);
  const callbackUrl = "https://example.org/done";
  const results = await triggerAtOnce(bench, [
    REFUSED,
    { callbackUrl, autoResolveAfterMs: 60_000 },
    {},
  ]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ["rejected", "fulfilled", "fulfilled"],
  );
  const incident = await readIncident(bench);
  assert.deepEqual(
    [incident.occurrences, incident.callbackUrl, incident.autoResolveAfterMs],
    [2, callbackUrl, 60_000],
  );
});

test("triggers with different audiences share no change, and the one with another audience is refused", async (t) => {
  const bench = await startIncidentBench(t);
  const deviceId = await addDevice(bench, "good/1");
  const audience = { kind: "device", accountId: bench.accountId, deviceId } as const;
  const [, opened, foreign, counted] = await triggerAtOnce(bench, [REFUSED, {}, { audience }, {}]);
  assert.deepEqual([opened?.status, counted?.status], ["fulfilled", "fulfilled"]);
  assert.ok(foreign?.status === "rejected");
  assert.equal(foreign.reason.field, "incidentKey");
  const incident = await readIncident(bench);
  assert.deepEqual([incident.audience.kind, incident.occurrences], ["account", 2]);
});

test("triggers of two keys share no change, because one key would pay for both", async (t) => {
  const bench = await startIncidentBench(t);
  const results = await triggerAtOnce(bench, [
    REFUSED,
    { keyId: "old key" },
    { ...REFUSED, keyId: "new key" },
  ]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ["rejected", "fulfilled", "rejected"],
  );
});
