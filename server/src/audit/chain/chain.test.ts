import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { pino } from "pino";
import { testContext } from "../../../test/support/room.ts";
import { inBatches } from "#concurrency/in-batches.ts";
import type { Context } from "#context.ts";
import { strangerAt } from "../actor.ts";
import { dayAt, dayText, SEAL_DELAY_MS } from "../days.ts";
import { keepAuditLog } from "../keeping/keep.ts";
import { auditInsert } from "../store.ts";
import { sealDays } from "./seal.ts";
import { verifyChain } from "./verify.ts";
import { witnessIn, type Witness } from "./witness.ts";
import { DAY_MS } from "#schema/moment.ts";

const DAYS = 4;

/** Keeps the log as the retention does: in batches, until none is full. */
function keep(context: Context, isStopped = () => false): Promise<void> {
  return inBatches(isStopped, (limit) => keepAuditLog(context, limit));
}

/** A log of a few days with two events each, sealed, and its first day. */
async function stage(t: TestContext) {
  const lines: Record<string, unknown>[] = [];
  const log = pino({}, { write: (line: string) => lines.push(JSON.parse(line)) });
  const context = { ...(await testContext(t)), log };
  const { clock, database } = context;
  const { db } = database;
  const first = dayAt(context.now());
  const add = () => {
    const by = strangerAt({ ip: "192.0.2.7", headers: {} });
    return database.atomically([
      auditInsert(context, { action: "sign_in_failed", by, accountId: null }),
    ]);
  };
  for (let day = 0; day < DAYS; day += 1) {
    clock.advance(1_000);
    await add();
    await add();
    clock.advance(DAY_MS - 1_000);
  }
  clock.advance(SEAL_DELAY_MS);
  await sealDays(context);
  const idsOf = async (day: number) => {
    const rows = await db.selectFrom("audit_event").select("id").orderBy("id").execute();
    return rows.slice(day * 2, day * 2 + 2).map(({ id }) => id);
  };
  const faults = async () =>
    (await verifyChain(context)).faults.map(({ day, fault }) => `${day - first} ${fault}`);
  const witnesses = () => lines.flatMap((line) => witnessIn(JSON.stringify(line)) ?? []);
  return { context, clock, db, add, first, idsOf, faults, lines, witnesses };
}

test("each day is sealed once, an hour after its end, and the log outside of the database tells its digest", async (t) => {
  const { context, clock, db, add, first, lines } = await stage(t);
  const seals = () =>
    db.selectFrom("audit_seal").select(["day", "event_count", "digest"]).orderBy("day").execute();
  const before = await seals();
  assert.deepEqual(
    before.map(({ day, event_count: count }) => [day - first, count]),
    [0, 1, 2, 3].map((day) => [day, 2]),
  );
  assert.deepEqual(
    lines.map(({ day, digest }) => [day, digest]),
    before.map(({ day, digest }) => [dayText(day), digest]),
  );
  await add();
  await Promise.all([sealDays(context), sealDays(context)]);
  assert.deepEqual(await seals(), before);
  clock.advance(DAY_MS - 2 * SEAL_DELAY_MS);
  await sealDays(context);
  assert.deepEqual(await seals(), before);
  clock.advance(2 * SEAL_DELAY_MS + DAY_MS);
  await Promise.all([sealDays(context), sealDays(context)]);
  const counts = (await seals()).map(({ event_count: count }) => count);
  assert.deepEqual(counts, [2, 2, 2, 2, 1, 0]);
  assert.deepEqual((await verifyChain(context)).faults, []);
});

test("a chain that nobody touched is found whole", async (t) => {
  const { context, first } = await stage(t);
  const { faults, last, sealedDays, events } = await verifyChain(context);
  assert.deepEqual(faults, []);
  assert.deepEqual([(last?.day ?? 0) - first, sealedDays, events], [3, DAYS, DAYS * 2]);
  assert.match(last?.digest ?? "", /^[0-9a-f]{64}$/);
});

test("an event that was changed, taken away or added is found on its day, and on no other", async (t) => {
  const { context, db, idsOf, faults } = await stage(t);
  const [changed = "", kept = ""] = await idsOf(1);
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
    const found = await faults();
    assert.ok(found.includes("1 changed") && found.every((text) => text.startsWith("1 ")), column);
    await db.updateTable("audit_event").set(row).where("id", "=", changed).execute();
  }
  assert.deepEqual(await faults(), []);

  await db.deleteFrom("audit_event").where("id", "=", kept).execute();
  assert.deepEqual(await faults(), ["1 changed"]);
  await context.database.atomically([
    auditInsert(
      { ...context, newId: () => kept },
      { action: "team_made", by: strangerAt({ ip: "::1", headers: {} }), accountId: null },
    ),
  ]);
  assert.deepEqual(await faults(), ["1 changed"]);
});

test("an address that was exchanged is found, and one that was forgotten is no fault", async (t) => {
  const { db, idsOf, faults } = await stage(t);
  const [id = ""] = await idsOf(2);
  const set = (address: string | null) =>
    db.updateTable("audit_event").set({ address }).where("id", "=", id).execute();
  await set("203.0.113.9");
  assert.deepEqual(await faults(), ["2 address"]);
  // The salt that its hash was made with was removed as well.
  const salts = () => db.updateTable("audit_event").where("id", "=", id);
  const { address_salt: salt } = await db
    .selectFrom("audit_event")
    .select("address_salt")
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  await salts().set({ address_salt: null }).execute();
  assert.deepEqual(await faults(), ["2 address"]);
  await salts().set({ address_salt: salt }).execute();
  await set(null);
  assert.deepEqual(await faults(), []);
});

test("a seal that was changed or taken away is found", async (t) => {
  const { db, first, faults } = await stage(t);
  const seal = db.updateTable("audit_seal").where("day", "=", first + 1);
  await seal.set({ digest: "0".repeat(64) }).execute();
  // The next day was sealed with another digest of the day before.
  assert.deepEqual(await faults(), ["1 changed", "2 changed"]);
  await db
    .deleteFrom("audit_seal")
    .where("day", "=", first + 1)
    .execute();
  assert.deepEqual(await faults(), ["1 unsealed", "2 changed"]);
  await db.deleteFrom("audit_seal").execute();
  assert.deepEqual(await faults(), ["0 unsealed"]);
});

test("seals that were all computed anew are found by the lines that servers logged, and by nothing else", async (t) => {
  const { context, db, first, idsOf, faults, witnesses } = await stage(t);
  const logged = witnesses();
  const compared = async (lines: readonly Witness[]) => {
    const found = await verifyChain(context, lines);
    const days = found.faults.map(({ day, fault }) => `${day - first} ${fault}`);
    return { days, until: found.witnessedUntil === null ? null : found.witnessedUntil - first };
  };
  assert.deepEqual(await compared(logged), { days: [], until: 3 });
  assert.deepEqual(await compared(logged.slice(0, 2)), { days: [], until: 1 });
  assert.deepEqual(await compared([]), { days: [], until: null });
  // The server itself seals what it finds.
  const [id = ""] = await idsOf(1);
  await db.updateTable("audit_event").set({ account_id: "ben" }).where("id", "=", id).execute();
  await db.deleteFrom("audit_seal").where("day", ">", first).execute();
  await sealDays(context);
  assert.deepEqual(await faults(), []);
  const days = ["1 resealed", "2 resealed", "3 resealed"];
  assert.deepEqual(await compared(logged), { days, until: 0 });
  // Its new lines stand beside the old ones, and make up for none of them.
  assert.equal(witnesses().length, logged.length + days.length);
  assert.deepEqual(await compared(witnesses()), { days, until: 0 });
});

test("days that were removed with their seals are found by the lines that servers logged", async (t) => {
  const { context, db, first, idsOf, faults, witnesses } = await stage(t);
  await db
    .deleteFrom("audit_event")
    .where("id", "in", await idsOf(3))
    .execute();
  await db
    .deleteFrom("audit_seal")
    .where("day", "=", first + 3)
    .execute();
  assert.deepEqual(await faults(), []);
  const found = await verifyChain(context, witnesses());
  assert.deepEqual(found.faults, [{ day: first + 3, fault: "resealed" }]);
  assert.equal(found.witnessedUntil, first + 2);
});

test("events from before the first seal are found", async (t) => {
  const { context, clock, first, faults } = await stage(t);
  clock.advance(-(DAYS + 2) * DAY_MS);
  const id = "019b0000-0000-7000-8000-000000000000";
  await context.database.atomically([
    auditInsert(
      { ...context, newId: () => id },
      { action: "team_made", by: strangerAt({ ip: "::1", headers: {} }), accountId: null },
    ),
  ]);
  clock.advance((DAYS + 2) * DAY_MS);
  const [fault = ""] = await faults();
  assert.match(fault, /^-\d+ changed$/);
  assert.ok(first > 0);
});

test("addresses are forgotten after 30 days and events after 365, and the rest stays whole", async (t) => {
  const { context, clock, db, add, faults } = await stage(t);
  const count = async () => {
    const rows = await db.selectFrom("audit_event").select(["address", "address_salt"]).execute();
    const places = rows.filter(({ address, address_salt: salt }) => address ?? salt);
    return [rows.length, places.length];
  };
  await keep(context);
  assert.deepEqual(await count(), [8, 8]);
  clock.advance(28 * DAY_MS);
  await add();
  await keep(context);
  // The first two days are 30 days ago by an hour.
  assert.deepEqual(await count(), [9, 3]);
  assert.deepEqual(await faults(), []);

  clock.advance(335 * DAY_MS);
  await keep(context);
  assert.deepEqual(await count(), [3, 0]);
  assert.deepEqual(await faults(), []);
  const rows = await db.selectFrom("audit_event").select("id").orderBy("id").limit(1).execute();
  await db
    .updateTable("audit_event")
    .set({ account_id: "x" })
    .where("id", "=", rows[0]?.id ?? "")
    .execute();
  assert.equal((await faults()).length, 1);
});

test("a long chain is sealed in batches, and a server that stops leaves the rest for later", async (t) => {
  const { context, clock, db, add } = await stage(t);
  for (let count = 0; count < 600; count += 1) await add();
  const all = DAYS * 2 + 600;
  clock.advance(400 * DAY_MS);
  await keep(context, () => true);
  const left = () => db.selectFrom("audit_event").select("id").execute();
  // The batch under way is ended.
  assert.equal((await left()).length, all - 500);
  await keep(context);
  assert.equal((await left()).length, 0);
});
