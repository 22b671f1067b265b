import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { pino } from "pino";
import { createRoomContext } from "../../../test/support/context.ts";
import { processInBatches } from "#concurrency/process-in-batches.ts";
import type { Context } from "#context.ts";
import { createUnknownActor } from "../actor.ts";
import { toDay, formatDay, CHAIN_DELAY_MS } from "../days.ts";
import { maintainAuditLog } from "../retention/maintain-audit-log.ts";
import { insertEventQuery } from "../store.ts";
import { chainDays } from "./chain-days.ts";
import { verifyChain } from "./verify.ts";
import { parseWitness, type Witness } from "./witness.ts";
import { DAY_MS } from "#schema/timestamp.ts";

const DAYS = 4;
/** As in `process-in-batches.ts`. */
const BATCH_MAX = 500;

/** Maintains the log as the retention does: in batches, until a batch is not full. */
function maintainLog(context: Context, isStopped = () => false): Promise<void> {
  return processInBatches(isStopped, (limit) => maintainAuditLog(context, limit));
}

/** Creates an audit log of four chained days with two events each. */
async function setUp(t: TestContext) {
  const lines: Record<string, unknown>[] = [];
  const log = pino({}, { write: (line: string) => lines.push(JSON.parse(line)) });
  const context = { ...(await createRoomContext(t)), log };
  const { clock, database } = context;
  const { db } = database;
  const firstDay = toDay(context.now());
  const addEvent = () => {
    const actor = createUnknownActor({ ip: "192.0.2.7", headers: {} });
    return database.atomically([
      insertEventQuery(context, { action: "sign_in_failed", actor, accountId: null }),
    ]);
  };
  for (let day = 0; day < DAYS; day += 1) {
    clock.advance(1_000);
    await addEvent();
    await addEvent();
    clock.advance(DAY_MS - 1_000);
  }
  clock.advance(CHAIN_DELAY_MS);
  await chainDays(context);
  const listEventIds = async (day: number) => {
    const rows = await db.selectFrom("audit_event").select("id").orderBy("id").execute();
    return rows.slice(day * 2, day * 2 + 2).map(({ id }) => id);
  };
  const findFaults = async () =>
    (await verifyChain(context)).faults.map(({ day, fault }) => `${day - firstDay} ${fault}`);
  const parseWitnesses = () => lines.flatMap((line) => parseWitness(JSON.stringify(line)) ?? []);
  return {
    context,
    clock,
    db,
    addEvent,
    firstDay,
    listEventIds,
    findFaults,
    lines,
    parseWitnesses,
  };
}

test("each day is chained once, an hour after its end, and its digest is logged", async (t) => {
  const { context, clock, db, addEvent, firstDay, lines } = await setUp(t);
  const listChainedDayRows = () =>
    db.selectFrom("audit_seal").select(["day", "event_count", "digest"]).orderBy("day").execute();
  const rowsBefore = await listChainedDayRows();
  assert.deepEqual(
    rowsBefore.map(({ day, event_count: count }) => [day - firstDay, count]),
    [0, 1, 2, 3].map((day) => [day, 2]),
  );
  assert.deepEqual(
    lines.map(({ day, digest }) => [day, digest]),
    rowsBefore.map(({ day, digest }) => [formatDay(day), digest]),
  );
  await addEvent();
  await Promise.all([chainDays(context), chainDays(context)]);
  assert.deepEqual(await listChainedDayRows(), rowsBefore);
  clock.advance(DAY_MS - 2 * CHAIN_DELAY_MS);
  await chainDays(context);
  assert.deepEqual(await listChainedDayRows(), rowsBefore);
  clock.advance(2 * CHAIN_DELAY_MS + DAY_MS);
  await Promise.all([chainDays(context), chainDays(context)]);
  const counts = (await listChainedDayRows()).map(({ event_count: count }) => count);
  assert.deepEqual(counts, [2, 2, 2, 2, 1, 0]);
  assert.deepEqual((await verifyChain(context)).faults, []);
});

test("an unchanged log has no faults", async (t) => {
  const { context, firstDay } = await setUp(t);
  const { faults, last, chainedDays, eventCount } = await verifyChain(context);
  assert.deepEqual(faults, []);
  assert.deepEqual([(last?.day ?? 0) - firstDay, chainedDays, eventCount], [3, DAYS, DAYS * 2]);
  assert.match(last?.digest ?? "", /^[0-9a-f]{64}$/);
});

test("a changed, removed or added event is a fault of its day only", async (t) => {
  const { context, db, listEventIds, findFaults } = await setUp(t);
  const [changed = "", removed = ""] = await listEventIds(1);
  for (const [column, value] of [
    ["account_id", "ben"],
    ["action", "signed_in"],
    ["changes", "[ ]"],
    ["user_agent", "Firefox"],
    ["subject_id", "x"],
    ["created_at", 1],
    ["address_hash", null],
  ] as const) {
    const row = await db
      .selectFrom("audit_event")
      .selectAll()
      .where("id", "=", changed)
      .executeTakeFirstOrThrow();
    await db
      .updateTable("audit_event")
      .set({ [column]: value })
      .where("id", "=", changed)
      .execute();
    const result = await findFaults();
    assert.ok(
      result.includes("1 changed") && result.every((text) => text.startsWith("1 ")),
      column,
    );
    await db.updateTable("audit_event").set(row).where("id", "=", changed).execute();
  }
  assert.deepEqual(await findFaults(), []);

  await db.deleteFrom("audit_event").where("id", "=", removed).execute();
  assert.deepEqual(await findFaults(), ["1 changed"]);
  await context.database.atomically([
    insertEventQuery(
      { ...context, newId: () => removed },
      {
        action: "team_made",
        actor: createUnknownActor({ ip: "::1", headers: {} }),
        accountId: null,
      },
    ),
  ]);
  assert.deepEqual(await findFaults(), ["1 changed"]);
});

test("a changed address is a fault, an erased one is not", async (t) => {
  const { db, listEventIds, findFaults } = await setUp(t);
  const [id = ""] = await listEventIds(2);
  const setAddress = (address: string | null) =>
    db.updateTable("audit_event").set({ address }).where("id", "=", id).execute();
  await setAddress("203.0.113.9");
  assert.deepEqual(await findFaults(), ["2 address"]);
  // A missing salt does not hide a changed address.
  const updateEventRow = () => db.updateTable("audit_event").where("id", "=", id);
  const { address_salt: salt } = await db
    .selectFrom("audit_event")
    .select("address_salt")
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  await updateEventRow().set({ address_salt: null }).execute();
  assert.deepEqual(await findFaults(), ["2 address"]);
  await updateEventRow().set({ address_salt: salt }).execute();
  await setAddress(null);
  assert.deepEqual(await findFaults(), []);
});

test("a changed or removed digest is a fault", async (t) => {
  const { db, firstDay, findFaults } = await setUp(t);
  const updateDigest = db.updateTable("audit_seal").where("day", "=", firstDay + 1);
  await updateDigest.set({ digest: "0".repeat(64) }).execute();
  // The next day was chained to the old digest.
  assert.deepEqual(await findFaults(), ["1 changed", "2 changed"]);
  await db
    .deleteFrom("audit_seal")
    .where("day", "=", firstDay + 1)
    .execute();
  assert.deepEqual(await findFaults(), ["1 unsealed", "2 changed"]);
  await db.deleteFrom("audit_seal").execute();
  assert.deepEqual(await findFaults(), ["0 unsealed"]);
});

test("recomputed digests are detected only with logged digests", async (t) => {
  const { context, db, firstDay, listEventIds, findFaults, parseWitnesses } = await setUp(t);
  const loggedWitnesses = parseWitnesses();
  const verifyWithWitnesses = async (witnesses: readonly Witness[]) => {
    const result = await verifyChain(context, witnesses);
    const days = result.faults.map(({ day, fault }) => `${day - firstDay} ${fault}`);
    return {
      days,
      witnessedUntil: result.witnessedUntil === null ? null : result.witnessedUntil - firstDay,
    };
  };
  assert.deepEqual(await verifyWithWitnesses(loggedWitnesses), { days: [], witnessedUntil: 3 });
  assert.deepEqual(await verifyWithWitnesses(loggedWitnesses.slice(0, 2)), {
    days: [],
    witnessedUntil: 1,
  });
  assert.deepEqual(await verifyWithWitnesses([]), { days: [], witnessedUntil: null });
  // The server itself chains the changed events.
  const [id = ""] = await listEventIds(1);
  await db.updateTable("audit_event").set({ account_id: "ben" }).where("id", "=", id).execute();
  await db.deleteFrom("audit_seal").where("day", ">", firstDay).execute();
  await chainDays(context);
  assert.deepEqual(await findFaults(), []);
  const days = ["1 resealed", "2 resealed", "3 resealed"];
  assert.deepEqual(await verifyWithWitnesses(loggedWitnesses), { days, witnessedUntil: 0 });
  // New log lines do not replace the old ones.
  assert.equal(parseWitnesses().length, loggedWitnesses.length + days.length);
  assert.deepEqual(await verifyWithWitnesses(parseWitnesses()), { days, witnessedUntil: 0 });
});

test("days removed with their digests are detected with logged digests", async (t) => {
  const { context, db, firstDay, listEventIds, findFaults, parseWitnesses } = await setUp(t);
  await db
    .deleteFrom("audit_event")
    .where("id", "in", await listEventIds(3))
    .execute();
  await db
    .deleteFrom("audit_seal")
    .where("day", "=", firstDay + 3)
    .execute();
  assert.deepEqual(await findFaults(), []);
  const result = await verifyChain(context, parseWitnesses());
  assert.deepEqual(result.faults, [{ day: firstDay + 3, fault: "resealed" }]);
  assert.equal(result.witnessedUntil, firstDay + 2);
});

test("an event before the first chained day is a fault", async (t) => {
  const { context, clock, findFaults } = await setUp(t);
  clock.advance(-(DAYS + 2) * DAY_MS);
  const id = "019b0000-0000-7000-8000-000000000000";
  await context.database.atomically([
    insertEventQuery(
      { ...context, newId: () => id },
      {
        action: "team_made",
        actor: createUnknownActor({ ip: "::1", headers: {} }),
        accountId: null,
      },
    ),
  ]);
  clock.advance((DAYS + 2) * DAY_MS);
  const [fault = ""] = await findFaults();
  assert.match(fault, /^-\d+ changed$/);
});

test("addresses are erased after 30 days and events after 365, and only other changes are faults", async (t) => {
  const { context, clock, db, addEvent, findFaults } = await setUp(t);
  const countEvents = async () => {
    const rows = await db.selectFrom("audit_event").select(["address", "address_salt"]).execute();
    const rowsWithAddress = rows.filter(({ address, address_salt: salt }) => address ?? salt);
    return { all: rows.length, withAddress: rowsWithAddress.length };
  };
  await maintainLog(context);
  assert.deepEqual(await countEvents(), { all: 8, withAddress: 8 });
  clock.advance(28 * DAY_MS);
  await addEvent();
  await maintainLog(context);
  // The events of the first three days are over 30 days old.
  assert.deepEqual(await countEvents(), { all: 9, withAddress: 3 });
  assert.deepEqual(await findFaults(), []);

  clock.advance(335 * DAY_MS);
  await maintainLog(context);
  assert.deepEqual(await countEvents(), { all: 3, withAddress: 0 });
  assert.deepEqual(await findFaults(), []);
  const rows = await db.selectFrom("audit_event").select("id").orderBy("id").limit(1).execute();
  await db
    .updateTable("audit_event")
    .set({ account_id: "x" })
    .where("id", "=", rows[0]?.id ?? "")
    .execute();
  assert.equal((await findFaults()).length, 1);
});

test("old events are deleted in batches until the server stops", async (t) => {
  const { context, clock, db, addEvent } = await setUp(t);
  for (let count = 0; count < BATCH_MAX; count += 1) await addEvent();
  const eventCount = DAYS * 2 + BATCH_MAX;
  clock.advance(400 * DAY_MS);
  await maintainLog(context, () => true);
  const listRemainingIds = () => db.selectFrom("audit_event").select("id").execute();
  // The current batch is completed.
  assert.equal((await listRemainingIds()).length, eventCount - BATCH_MAX);
  await maintainLog(context);
  assert.equal((await listRemainingIds()).length, 0);
});
