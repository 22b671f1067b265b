import assert from "node:assert/strict";
import test from "node:test";
import { SERVER } from "#audit/event.ts";
import { addDevice } from "../../test/support/delivery-bench.ts";
import {
  createAct,
  createTriggerOrder,
  startIncidentBench,
  type IncidentBench,
  type OrderOptions,
} from "../../test/support/incident-bench.ts";
import { findOpenIncident, findIncident } from "./store/incidents.ts";
import { listEntries } from "./store/events.ts";
import { hashIncidentKey } from "./trigger.ts";
import type { Incident } from "./incident.ts";

async function trigger(bench: IncidentBench, options: OrderOptions = {}): Promise<Incident> {
  const result = await bench.incidents.trigger(createTriggerOrder(bench, options));
  assert.equal(result.kind, "changed");
  await bench.waitUntilIdle();
  return result.kind === "changed" ? result.change.incident : assert.fail();
}

async function readKinds({ context }: IncidentBench, { id }: Pick<Incident, "id">) {
  return (await listEntries(context, id)).map(({ kind }) => kind);
}

async function readFeed({ context, accountId }: IncidentBench): Promise<readonly string[]> {
  const rows = await context.database.db
    .selectFrom("feed_entry")
    .innerJoin("notification", "notification.id", "feed_entry.notification_id")
    .select("notification.title")
    .where("feed_entry.audience_id", "=", accountId)
    .execute();
  return rows.map(({ title }) => title);
}

async function readTimers({ context }: IncidentBench): Promise<readonly string[]> {
  const rows = await context.database.db.selectFrom("timer").select("kind").execute();
  return rows.map(({ kind }) => kind).toSorted();
}

test("an emergency rings until somebody acknowledges it", async (t) => {
  const bench = await startIncidentBench(t);
  const { provider, incidents } = bench;
  await addDevice(bench, "good/1");
  const incident = await trigger(bench);
  assert.deepEqual(await readTimers(bench), ["expire", "ring"]);
  await bench.advance(60_000);
  await bench.advance(60_000);
  assert.equal(provider.attempts.length, 3);
  const act = createAct(bench);
  const result = await incidents.act({
    incidentId: incident.id,
    kind: "acknowledge",
    act,
    actor: SERVER,
    content: null,
  });
  assert.equal(result?.incident.state, "acknowledged");
  await bench.waitUntilIdle();
  // The push that says who acknowledged the incident.
  assert.equal(provider.attempts.length, 4);
  await bench.advance(600_000);
  assert.equal(provider.attempts.length, 4);
  assert.deepEqual(await readTimers(bench), []);
  assert.deepEqual(await readKinds(bench, incident), [
    "opened",
    "step",
    "push",
    "ring",
    "push",
    "ring",
    "push",
    "acknowledged",
    "push",
  ]);
  assert.deepEqual(await readFeed(bench), ["Disk full"]);
});

test("a trigger with the same text only counts, and one with another text replaces the line in the feed", async (t) => {
  const bench = await startIncidentBench(t);
  await addDevice(bench, "good/1");
  const content = { priority: "normal" } as const;
  const first = await trigger(bench, { content });
  const second = await trigger(bench, { content });
  assert.equal(second.id, first.id);
  assert.equal(second.occurrences, 2);
  assert.equal(bench.provider.attempts.length, 1);
  bench.context.clock.advance(10_000);
  await trigger(bench, { content: { ...content, title: "Disk fuller" } });
  assert.deepEqual(await readFeed(bench), ["Disk fuller"]);
  assert.equal(bench.provider.attempts.length, 1);
  // An update is pushed at most once a minute.
  await bench.advance(50_000);
  assert.equal(bench.provider.attempts.length, 2);
  assert.deepEqual(await readFeed(bench), ["Disk fuller"]);
});

test("a resolution ends the incident, and the next trigger opens another one", async (t) => {
  const bench = await startIncidentBench(t);
  await addDevice(bench, "good/1");
  const first = await trigger(bench);
  const act = createAct(bench);
  await bench.incidents.act({
    incidentId: first.id,
    kind: "resolve",
    act,
    actor: SERVER,
    content: null,
  });
  await bench.waitUntilIdle();
  assert.deepEqual(await readFeed(bench), ["Resolved: Disk full"]);
  assert.deepEqual(await readTimers(bench), []);
  const source = { kind: "account", id: bench.accountId } as const;
  const query = { source, keyHash: hashIncidentKey("disk") };
  assert.equal(await findOpenIncident(bench.context, query), null);
  const second = await trigger(bench);
  assert.notEqual(second.id, first.id);
});

test("an emergency that nobody acknowledges expires, and rings again with the next trigger", async (t) => {
  const bench = await startIncidentBench(t);
  await addDevice(bench, "good/1");
  const { id } = await trigger(bench, { expireAfterMs: 180_000 });
  await bench.advance(60_000);
  await bench.advance(60_000);
  await bench.advance(60_000);
  assert.equal(bench.provider.attempts.length, 3);
  assert.equal((await findIncident(bench.context, id))?.state, "expired");
  const again = await trigger(bench);
  assert.equal(again.id, id);
  assert.equal(again.state, "triggered");
  assert.equal(bench.provider.attempts.length, 4);
});

test("1,000 concurrent triggers open one incident, which counts all of them", async (t) => {
  const bench = await startIncidentBench(t);
  await addDevice(bench, "good/1");
  const order = createTriggerOrder(bench);
  await Promise.all(Array.from({ length: 1_000 }, () => bench.incidents.trigger(order)));
  await bench.waitUntilIdle();
  const rows = await bench.context.database.db.selectFrom("incident").selectAll().execute();
  assert.deepEqual(
    rows.map(({ occurrences }) => occurrences),
    [1_000],
  );
  assert.ok((rows[0]?.version ?? 0) < 10);
  assert.equal(bench.provider.attempts.length, 1);
});
