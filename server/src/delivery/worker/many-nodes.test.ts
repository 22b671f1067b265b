import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { sql } from "kysely";
import { pino } from "pino";
import { createDatabase, ON_POSTGRES } from "../../../test/support/database.ts";
import { notificationTo } from "../../../test/support/notifications.ts";
import { insertAccount } from "../../../test/support/room.ts";
import type { Context } from "#context.ts";
import { openDatabase } from "#database/open.ts";
import { createIds } from "#ids.ts";
import { recordUses } from "#keys/store/use.ts";
import { feedEntry, fileNotifications } from "#notifications/feed/store.ts";
import { NO_SEAL } from "#secrets/row-seal.ts";
import { untried, type DeliveryResult, type LeasedJob, type NewNotification } from "../delivery.ts";
import type { AcceptRequest, Settlement } from "../store/delivery-store.ts";
import { createDeliveryStore } from "../store/create-store.ts";

const NODES_COUNT = 3;
const ROUNDS = 60;
const BATCH = 8;
const TEAMS = ["red", "green", "blue"];
const DEVICES = Array.from({ length: 20 }, (_, index) => `device ${index}`);
const KEYS = Array.from({ length: 4 }, (_, index) => `key ${index}`);

test(
  "three nodes that send to the same devices concurrently never deadlock and count exactly",
  ON_POSTGRES,
  async (t) => {
    const { nodes, end } = await startNodes(t);
    let settled = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const shared = Array.from({ length: BATCH }, () => notificationTo(first(nodes), "ann"));
      const sent = nodes.map((context) => send(context, { round, shared }));
      for (const count of await Promise.all(sent)) settled += count;
    }
    const { pages, counted, deadlocks, entries } = await end();
    // Half of each node's requests repeat requests of the others and were accepted once.
    assert.equal(settled, ROUNDS * (BATCH / 2 + (NODES_COUNT * BATCH) / 2));
    assert.equal(pages, settled);
    assert.equal(counted, settled * DEVICES.length);
    assert.equal(entries, settled + ROUNDS * BATCH);
    assert.equal(deadlocks, 0);
  },
);

interface Round {
  readonly round: number;
  /** Notifications that all nodes file late, as if each had taken over some of them. */
  readonly shared: readonly NewNotification[];
}

/** Accepts, files and settles; returns how many notifications it settled. */
async function send(context: Context, { round, shared }: Round): Promise<number> {
  const store = createDeliveryStore(context, context.newId());
  const requests = Array.from({ length: BATCH }, (_, index) => requestOf(context, round, index));
  const accepted = await store.accept(shuffled(requests));
  assert.ok(accepted.every(({ kind }) => kind !== "mismatch"));
  const jobs = accepted.flatMap((a) => (a.kind === "accepted" && a.job ? [a.job] : []));
  const filed = jobs.map(({ notification }) => notification);
  await fileNotifications(context, shuffled([...filed, ...shared]));
  const [acks] = await Promise.all([
    store.settle(shuffled(jobs).map((job) => settlementOf(context, job))),
    store.settle([fencedSettlement(context)]),
    store.renew(shuffled(jobs.map(({ lease }) => lease)), context.now() + 60_000),
    recordUses(context, shuffled(KEYS.map((keyId) => ({ keyId, at: context.now() + round })))),
  ]);
  assert.ok(acks.every((ack) => ack === "ok"));
  return jobs.length;
}

/** Returns a request. Half of all requests are the same on each node, and only one node may send them. */
function requestOf(context: Context, round: number, index: number): AcceptRequest {
  const teamId = TEAMS[index % TEAMS.length] ?? "";
  const audience = { kind: "team", teamId } as const;
  const notification: NewNotification = notificationTo(context, "", { audience });
  const name = `${round} ${index}`;
  const isSame = index % 2 === 0;
  const idempotency = isSame ? { keyId: "key", keyHash: name, contentHash: name } : null;
  const work = { kind: "devices", pending: untried(DEVICES, 0) } as const;
  const alongside = [feedEntry(notification)];
  return { notification, lane: 0, work, idempotency, takeLease: true, alongside };
}

function settlementOf(context: Context, { lease, notification }: LeasedJob): Settlement {
  const at = context.now();
  const devices = shuffled(DEVICES).map((deviceId, index) => {
    const isGood = index % 2 === 0;
    return { deviceId, state: isGood ? ("accepted" as const) : ("failed" as const) };
  });
  const results = devices.map(({ deviceId, state }): DeliveryResult => {
    const code = state === "accepted" ? "accepted" : "rejected";
    return { deviceId, provider: "fcm", state, code, detail: null, attempts: 1, at };
  });
  const states = devices.map((device) => ({ ...device, isSuspect: false }));
  const base = { id: context.newId(), lease, notificationId: notification.id };
  return { ...base, results, news: { at, readAt: at, states }, next: { kind: "done" } };
}

/** Returns a settlement whose lease is lost. Its device states are still recorded. */
function fencedSettlement(context: Context): Settlement {
  const lease = { jobId: context.newId(), epoch: 1, until: 0 };
  const notification = notificationTo(context, "ann");
  const job: LeasedJob = {
    lease,
    notification,
    lane: 0,
    work: { kind: "devices", pending: [] },
    crashes: 0,
    suspect: null,
  };
  return { ...settlementOf(context, job), results: [] };
}

function shuffled<T>(items: readonly T[]): readonly T[] {
  const keyed = items.map((item) => ({ item, by: Math.random() }));
  return keyed.toSorted((a, b) => a.by - b.by).map(({ item }) => item);
}

async function startNodes(t: TestContext) {
  const { place, hold, letGo } = await createDatabase(t);
  const log = pino({ level: "silent" });
  const open = () => openDatabase(place, log);
  const now = () => Date.UTC(2026, 0, 1);
  const newId = createIds(now);
  hold();
  t.after(letGo);
  const common = { now, elapsed: () => 0, newId, log, seal: NO_SEAL };
  const nodes = Array.from({ length: NODES_COUNT }, () => ({ database: open(), ...common }));
  await insertPeople(first(nodes));
  const end = async () => {
    // A connection reports its deadlocks when it closes.
    for (const { database } of nodes) await database.close();
    const database = open();
    const count = sql<Record<"pages" | "counted" | "deadlocks" | "entries", number>>`select
      (select count(*) from delivery_page) as pages, (select sum(count) from (select count from activity union all select count from activity_tally) as counts) as counted,
      (select count(*) from feed_entry) as entries,
      (select deadlocks from pg_stat_database where datname = current_database()) as deadlocks`;
    const { rows } = await count.execute(database.db);
    await database.close();
    const [counts] = rows;
    assert.ok(counts !== undefined);
    return counts;
  };
  return { nodes, end };
}

function first(nodes: readonly Context[]): Context {
  const [context] = nodes;
  assert.ok(context !== undefined);
  return context;
}

async function insertPeople(context: Context): Promise<void> {
  const { db } = context.database;
  const accountId = await insertAccount(context);
  for (const id of DEVICES) {
    await sql`insert into device (id, account_id, name, platform, provider, address, address_hash,
      created_at, registered_at)
      values (${id}, ${accountId}, '', 'android', 'fcm', '{}', ${id}, 1, 1)`.execute(db);
  }
  for (const id of KEYS) {
    await sql`insert into api_key (id, kind, account_id, key_hash, hint, created_at)
      values (${id}, 'account', ${accountId}, ${id}, '', 1)`.execute(db);
  }
}
