import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { sql } from "kysely";
import { pino } from "pino";
import { createDatabase, ON_POSTGRES } from "../../../test/support/database.ts";
import { createNotification } from "../../../test/support/notifications.ts";
import { insertAccount } from "../../../test/support/context.ts";
import type { Context } from "#context.ts";
import { openDatabase } from "#database/open.ts";
import { createIds } from "#ids.ts";
import { writeLastUses } from "#keys/store/last-use.ts";
import { createFeedEntryRow, insertFeedEntries } from "#notifications/feed/store.ts";
import { NO_SEAL } from "#secrets/row-seal.ts";
import {
  createPendingDevices,
  type DeliveryResult,
  type LeasedJob,
  type NewNotification,
} from "../delivery.ts";
import type { AcceptRequest, Settlement } from "./delivery-store.ts";
import { createDeliveryStore } from "./create-store.ts";

const NODE_COUNT = 3;
const ROUNDS = 60;
const BATCH_SIZE = 8;
const TEAMS = ["red", "green", "blue"];
const DEVICES = Array.from({ length: 20 }, (_, index) => `device ${index}`);
const KEYS = Array.from({ length: 4 }, (_, index) => `key ${index}`);

test(
  "three nodes that send to the same devices concurrently never deadlock and count exactly",
  ON_POSTGRES,
  async (t) => {
    const { nodes, closeAndCount } = await startNodes(t);
    let settledJobCount = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const lateNotifications = Array.from({ length: BATCH_SIZE }, () =>
        createNotification(getFirst(nodes), "ann"),
      );
      const runs = nodes.map((context) => runRound(context, { round, lateNotifications }));
      for (const count of await Promise.all(runs)) settledJobCount += count;
    }
    const { pages, counted, deadlocks, entries } = await closeAndCount();
    // Half of the requests are the same on every node. Only one node accepts each of them.
    assert.equal(settledJobCount, ROUNDS * (BATCH_SIZE / 2 + (NODE_COUNT * BATCH_SIZE) / 2));
    assert.equal(pages, settledJobCount);
    assert.equal(counted, settledJobCount * DEVICES.length);
    assert.equal(entries, settledJobCount + ROUNDS * BATCH_SIZE);
    assert.equal(deadlocks, 0);
  },
);

interface Round {
  readonly round: number;
  /** Notifications that all nodes add to the feed late, as if each had taken over some of them. */
  readonly lateNotifications: readonly NewNotification[];
}

/**
 * Accepts the requests of one round on a node, adds their feed entries and settles them. Returns how many notifications
 * it settled.
 */
async function runRound(context: Context, { round, lateNotifications }: Round): Promise<number> {
  const store = createDeliveryStore(context, context.newId());
  const requests = Array.from({ length: BATCH_SIZE }, (_, index) =>
    createRequest(context, round, index),
  );
  const results = await store.accept(shuffle(requests));
  assert.ok(results.every(({ kind }) => kind !== "mismatch"));
  const jobs = results.flatMap((result) =>
    result.kind === "accepted" && result.job ? [result.job] : [],
  );
  const notifications = jobs.map(({ notification }) => notification);
  await insertFeedEntries(context, shuffle([...notifications, ...lateNotifications]));
  const [acks] = await Promise.all([
    store.settle(shuffle(jobs).map((job) => createSettlement(context, job))),
    store.settle([createFencedSettlement(context)]),
    store.renew(shuffle(jobs.map(({ lease }) => lease)), context.now() + 60_000),
    writeLastUses(
      context,
      shuffle(KEYS.map((keyId) => ({ keyId, usedAt: context.now() + round }))),
    ),
  ]);
  assert.ok(acks.every((ack) => ack === "ok"));
  return jobs.length;
}

/** Returns a request. Half of all requests are the same on each node, and only one node may send them. */
function createRequest(context: Context, round: number, index: number): AcceptRequest {
  const teamId = TEAMS[index % TEAMS.length] ?? "";
  const audience = { kind: "team", teamId } as const;
  const notification: NewNotification = createNotification(context, "", { audience });
  const name = `${round} ${index}`;
  const isSame = index % 2 === 0;
  const idempotency = isSame ? { keyId: "key", keyHash: name, contentHash: name } : null;
  const work = { kind: "devices", pending: createPendingDevices(DEVICES, 0) } as const;
  const extraRows = [createFeedEntryRow(notification)];
  return { notification, lane: 0, work, idempotency, takeLease: true, extraRows };
}

function createSettlement(context: Context, { lease, notification }: LeasedJob): Settlement {
  const at = context.now();
  const devices = shuffle(DEVICES).map((deviceId, index) => {
    const isGood = index % 2 === 0;
    return { deviceId, state: isGood ? ("accepted" as const) : ("failed" as const) };
  });
  const results = devices.map(({ deviceId, state }): DeliveryResult => {
    const code = state === "accepted" ? "accepted" : "rejected";
    return { deviceId, provider: "fcm", state, code, detail: null, attempts: 1, at };
  });
  const states = devices.map((device) => ({ ...device, isSuspect: false }));
  return {
    id: context.newId(),
    lease,
    notificationId: notification.id,
    results,
    deviceStateUpdate: { at, readAt: at, states },
    next: { kind: "done" },
  };
}

/** Returns a settlement whose lease is lost. Its device states are still recorded. */
function createFencedSettlement(context: Context): Settlement {
  const lease = { jobId: context.newId(), epoch: 1, until: 0 };
  const notification = createNotification(context, "ann");
  const job: LeasedJob = {
    lease,
    notification,
    lane: 0,
    work: { kind: "devices", pending: [] },
    crashes: 0,
    suspect: null,
  };
  return { ...createSettlement(context, job), results: [] };
}

function shuffle<T>(items: readonly T[]): readonly T[] {
  const orderedItems = items.map((item) => ({ item, order: Math.random() }));
  return orderedItems.toSorted((a, b) => a.order - b.order).map(({ item }) => item);
}

async function startNodes(t: TestContext) {
  const { location, acquire, release } = await createDatabase(t);
  const log = pino({ level: "silent" });
  const open = () => openDatabase(location, log);
  const now = () => Date.UTC(2026, 0, 1);
  const newId = createIds(now);
  acquire();
  t.after(release);
  const common = { now, elapsed: () => 0, newId, log, seal: NO_SEAL };
  const nodes = Array.from({ length: NODE_COUNT }, () => ({ database: open(), ...common }));
  await insertDevicesAndKeys(getFirst(nodes));
  const closeAndCount = async () => {
    // A connection reports its deadlocks when it closes.
    for (const { database } of nodes) await database.close();
    const database = open();
    const count = sql<Record<"pages" | "counted" | "deadlocks" | "entries", number>>`select
      (select count(*) from delivery_page) as pages,
      (select sum(count) from (
        select count from activity union all select count from activity_tally) as counts) as counted,
      (select count(*) from feed_entry) as entries,
      (select deadlocks from pg_stat_database where datname = current_database()) as deadlocks`;
    const { rows } = await count.execute(database.db);
    await database.close();
    const [counts] = rows;
    assert.ok(counts !== undefined);
    return counts;
  };
  return { nodes, closeAndCount };
}

function getFirst(nodes: readonly Context[]): Context {
  const [context] = nodes;
  assert.ok(context !== undefined);
  return context;
}

async function insertDevicesAndKeys(context: Context): Promise<void> {
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
