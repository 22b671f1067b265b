import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { pino } from "pino";
import { createDatabase } from "../../../test/support/database.ts";
import { createNotification } from "../../../test/support/notifications.ts";
import { TestClock } from "../../../test/support/test-clock.ts";
import type { Context } from "#context.ts";
import type { Database } from "#database/database.ts";
import { migrate } from "#database/migration.ts";
import { openDatabase } from "#database/open.ts";
import { createIds } from "#ids.ts";
import { NO_SEAL } from "#secrets/row-seal.ts";
import { findResults } from "#notifications/log/store.ts";
import { isQuarantined, createPendingDevices, type LeasedJob, type Work } from "../delivery.ts";
import type { AcceptRequest, DeliveryStore, NextStep } from "./delivery-store.ts";
import { LEASE_MS } from "../lease.ts";
import { createDeliveryStore } from "./create-store.ts";

const log = pino({ level: "silent" });

/** Returns two nodes on one database. On SQLite, they stand for two successive processes. */
async function openTwoNodes(t: TestContext) {
  const { location, acquire, release } = await createDatabase(t);
  const clock = new TestClock();
  const { now, elapsed } = clock;
  const common = { now, elapsed, newId: createIds(now), log, seal: NO_SEAL };
  const opened: Database[] = [];
  const open = (): Context => {
    const database = openDatabase(location, log);
    opened.push(database);
    return { database, ...common };
  };
  acquire();
  t.after(() => Promise.all(opened.map((database) => database.close())).then(release));
  const one = open();
  // Only one process can create a SQLite file, so the second migration runs later and has nothing to do.
  await migrate(one.database);
  const other = open();
  await migrate(other.database);
  return {
    clock,
    context: one,
    open,
    one: createDeliveryStore(one, "node-1"),
    other: createDeliveryStore(other, "node-2"),
  };
}

type Nodes = Awaited<ReturnType<typeof openTwoNodes>>;

const WORK: Work = { kind: "devices", pending: createPendingDevices(["d1", "d2"], 0) };

function createRequest({ context }: Nodes, overrides: Partial<AcceptRequest> = {}): AcceptRequest {
  const notification = createNotification(context, "ann");
  return { notification, lane: 0, work: WORK, idempotency: null, takeLease: true, ...overrides };
}

async function acceptLeased(nodes: Nodes, overrides: Partial<AcceptRequest> = {}) {
  const [result] = await nodes.one.accept([createRequest(nodes, overrides)]);
  assert.ok(result?.kind === "accepted" && result.job !== null);
  return result.job;
}

function claim({ clock }: Nodes, store: DeliveryStore, max = 100) {
  return store.claim({ lane: 0, max, until: clock.now() + LEASE_MS });
}

async function settle(
  { clock, context }: Nodes,
  store: DeliveryStore,
  { job, next, deviceId = null }: { job: LeasedJob; next: NextStep; deviceId?: string | null },
) {
  const ended = { provider: "webpush", state: "accepted", code: "accepted", detail: null } as const;
  const results = deviceId === null ? [] : [{ deviceId, ...ended, attempts: 1, at: clock.now() }];
  const { lease, notification } = job;
  const ids = { id: context.newId(), lease, notificationId: notification.id };
  return store.settle([{ ...ids, results, deviceStateUpdate: null, next }]);
}

async function countRows(
  { context: { database } }: Nodes,
  table: "notification" | "send_job" | "idempotency",
) {
  const [row] = await database.db
    .selectFrom(table)
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .execute();
  return row?.count;
}

test("an accepted job is still there after the database is opened again", async (t) => {
  const nodes = await openTwoNodes(t);
  const { notification } = await acceptLeased(nodes);
  await nodes.context.database.close();
  const next = createDeliveryStore(nodes.open(), "node-3");
  nodes.clock.advance(LEASE_MS);
  const [job] = await claim(nodes, next);
  assert.deepEqual([job?.notification, job?.work], [notification, WORK]);
});

test("a batch that fails stores nothing", async (t) => {
  const nodes = await openTwoNodes(t);
  const { notification } = await acceptLeased(nodes);
  const idempotency = { keyId: "k", keyHash: "h", contentHash: "c" };
  const conflicts = [{}, { idempotency }, { notification }];
  const batch = conflicts.map((overrides) => createRequest(nodes, overrides));
  await assert.rejects(nodes.one.accept(batch));
  const tables = ["notification", "send_job", "idempotency"] as const;
  const counts = await Promise.all(tables.map((table) => countRows(nodes, table)));
  assert.deepEqual(counts, [1, 1, 0]);
});

test("concurrent claims give each job to one node for the whole lease", async (t) => {
  const nodes = await openTwoNodes(t);
  const waiting = Array.from({ length: 40 }, () => createRequest(nodes, { takeLease: false }));
  await nodes.one.accept(waiting);
  const claimed: LeasedJob[] = [];
  while (claimed.length < 40) {
    const batches = await Promise.all([
      claim(nodes, nodes.one, 7),
      claim(nodes, nodes.other, 7),
      claim(nodes, nodes.one, 7),
      claim(nodes, nodes.other, 7),
    ]);
    assert.notEqual(batches.flat().length, 0);
    claimed.push(...batches.flat());
  }
  assert.equal(new Set(claimed.map(({ lease }) => lease.jobId)).size, 40);
  assert.equal(claimed.length, 40);
  nodes.clock.advance(LEASE_MS - 1);
  assert.deepEqual(await claim(nodes, nodes.other), []);
});

test("a job whose lease ended can be claimed by another node", async (t) => {
  const nodes = await openTwoNodes(t);
  const { lease } = await acceptLeased(nodes);
  nodes.clock.advance(LEASE_MS);
  const [claimed] = await claim(nodes, nodes.other);
  assert.deepEqual([claimed?.lease.jobId, claimed?.lease.epoch], [lease.jobId, lease.epoch + 1]);
});

test("a node that lost its lease changes nothing", async (t) => {
  const nodes = await openTwoNodes(t);
  const job = await acceptLeased(nodes);
  nodes.clock.advance(LEASE_MS);
  const [claimed] = await claim(nodes, nodes.other);
  for (const next of [
    { kind: "done" },
    { kind: "checkpoint", pending: [], until: nodes.clock.now() + 1 },
    { kind: "retry", pending: [], at: 0, waitsFor: ["fcm"] },
  ] as const) {
    assert.deepEqual(await settle(nodes, nodes.one, { job, next, deviceId: "d1" }), ["fenced"]);
  }
  await nodes.one.releaseLeases([job.lease], 0);
  assert.deepEqual(await nodes.one.renew([job.lease], 0), [job.lease.jobId]);
  const { id } = job.notification;
  assert.deepEqual(await findResults(nodes.context, { notificationId: id, limit: 10 }), []);
  assert.ok(claimed !== undefined);
  assert.deepEqual(await nodes.other.renew([claimed.lease], claimed.lease.until), []);
  nodes.clock.advance(LEASE_MS);
  assert.deepEqual((await claim(nodes, nodes.one))[0]?.work, WORK);
});

test("only unfinished devices are pending after a checkpoint", async (t) => {
  const nodes = await openTwoNodes(t);
  const job = await acceptLeased(nodes);
  const pending = createPendingDevices(["d2"], 0);
  const until = nodes.clock.now() + LEASE_MS;
  const next = { kind: "checkpoint", pending, until } as const;
  assert.deepEqual(await settle(nodes, nodes.one, { job, next, deviceId: "d1" }), ["ok"]);
  nodes.clock.advance(LEASE_MS);
  assert.deepEqual((await claim(nodes, nodes.other))[0]?.work, { kind: "devices", pending });
  const { id } = job.notification;
  const results = await findResults(nodes.context, { notificationId: id, limit: 10 });
  assert.deepEqual(
    results.map(({ deviceId }) => deviceId),
    ["d1"],
  );
});

test("a retry cannot be claimed before its time and counts no crash", async (t) => {
  const nodes = await openTwoNodes(t);
  const job = await acceptLeased(nodes);
  const at = nodes.clock.now() + 5_000;
  const pending = createPendingDevices(["d1"], at);
  const next = { kind: "retry", pending, at, waitsFor: [] } as const;
  assert.deepEqual(await settle(nodes, nodes.one, { job, next }), ["ok"]);
  nodes.clock.advance(4_999);
  assert.deepEqual(await claim(nodes, nodes.other), []);
  assert.equal(await nodes.other.findNextDueAt(), at);
  nodes.clock.advance(1);
  assert.equal((await claim(nodes, nodes.other))[0]?.crashes, 0);
});

test("an interrupted expansion continues at its cursor and creates each chunk once", async (t) => {
  const nodes = await openTwoNodes(t);
  const work = { kind: "expand", range: { after: "", upTo: "z" } } as const;
  const job = await acceptLeased(nodes, { work });
  const until = nodes.clock.now() + LEASE_MS;
  const createStep = (from: string, to: string): NextStep => {
    const chunks = [{ after: from, upTo: to }];
    return { kind: "expand", from, cursor: to, chunks, deviceCount: 500, until };
  };
  assert.deepEqual(await settle(nodes, nodes.one, { job, next: createStep("", "m") }), ["ok"]);
  nodes.clock.advance(LEASE_MS);
  const claimed = await claim(nodes, nodes.other);
  const expansion = claimed.find((one) => one.work.kind === "expand");
  assert.deepEqual(expansion?.work, { kind: "expand", range: { after: "m", upTo: "z" } });
  assert.deepEqual(await settle(nodes, nodes.one, { job, next: createStep("", "m") }), ["fenced"]);
  assert.ok(expansion !== undefined);
  await settle(nodes, nodes.other, { job: expansion, next: createStep("m", "z") });
  await settle(nodes, nodes.other, { job: expansion, next: { kind: "done" } });
  nodes.clock.advance(LEASE_MS);
  const chunks = (await claim(nodes, nodes.one)).map((one) => one.work);
  assert.deepEqual(
    chunks.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    [
      { kind: "range", range: { after: "", upTo: "m" } },
      { kind: "range", range: { after: "m", upTo: "z" } },
    ],
  );
});

test("a released job is due immediately and counts no crash", async (t) => {
  const nodes = await openTwoNodes(t);
  const job = await acceptLeased(nodes);
  await nodes.one.releaseLeases([job.lease], nodes.clock.now());
  const [claimed] = await claim(nodes, nodes.other);
  assert.deepEqual([claimed?.lease.jobId, claimed?.crashes], [job.lease.jobId, 0]);
});

test("every abandoned lease is counted", async (t) => {
  const nodes = await openTwoNodes(t);
  await acceptLeased(nodes);
  const counted: (number | undefined)[] = [];
  for (const store of [nodes.other, nodes.one, nodes.other]) {
    nodes.clock.advance(LEASE_MS);
    counted.push((await claim(nodes, store))[0]?.crashes);
  }
  assert.deepEqual(counted, [1, 2, 3]);
  assert.equal(await nodes.one.reclaim(["node-2"]), 1);
  assert.equal((await claim(nodes, nodes.one))[0]?.crashes, 4);
});

test("a job is quarantined after three abandoned leases and keeps its devices' crashes", async (t) => {
  const nodes = await openTwoNodes(t);
  let { lease, ...job } = await acceptLeased(nodes);
  const claimJob = async (store: DeliveryStore) => {
    ({ lease, ...job } = (await claim(nodes, store))[0] ?? assert.fail("Nothing is due."));
    return isQuarantined(job);
  };
  const quarantined: boolean[] = [];
  for (const store of [nodes.other, nodes.one, nodes.other]) {
    nodes.clock.advance(LEASE_MS);
    quarantined.push(await claimJob(store));
  }
  assert.deepEqual(quarantined, [false, false, true]);
  // Neither progress nor the release of a lease resets the count.
  const pending = createPendingDevices(["d2"], 0).map((device) => ({ ...device, crashes: 1 }));
  const until = nodes.clock.now() + LEASE_MS;
  for (const next of [
    { kind: "checkpoint", pending, until },
    { kind: "retry", pending, at: 0, waitsFor: [] },
  ] as const) {
    assert.deepEqual(await settle(nodes, nodes.one, { job: { lease, ...job }, next }), ["ok"]);
    await nodes.one.releaseLeases([lease], nodes.clock.now());
    assert.equal(await claimJob(nodes.one), true);
  }
  assert.deepEqual(job.work, { kind: "devices", pending });
});

test("one of 50 equal concurrent requests on two nodes is accepted, the others get its id", async (t) => {
  const nodes = await openTwoNodes(t);
  for (let round = 0; round < ROUNDS; round += 1) {
    const idempotency = { keyId: "k", keyHash: `h${round}`, contentHash: "c" };
    const results = await Promise.all(
      Array.from({ length: CALLERS }, async (_, index) => {
        const request = createRequest(nodes, { idempotency });
        const store = index % 2 === 0 ? nodes.one : nodes.other;
        const [result] = await store.accept([request]);
        return result?.kind === "accepted"
          ? { kind: "accepted", id: request.notification.id }
          : { kind: result?.kind, id: result?.kind === "replayed" ? result.notificationId : null };
      }),
    );
    const accepted = results.filter(({ kind }) => kind === "accepted");
    assert.equal(accepted.length, 1);
    const [first] = accepted;
    const replays = results.filter(({ kind }) => kind === "replayed");
    assert.deepEqual(new Set(replays.map(({ id }) => id)), new Set([first?.id]));
    assert.equal(replays.length, CALLERS - 1);
  }
  assert.equal(await countRows(nodes, "notification"), ROUNDS);
  assert.equal(await countRows(nodes, "send_job"), ROUNDS);
});

const CALLERS = 50;
const ROUNDS = 5;
