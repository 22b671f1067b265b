import assert from "node:assert/strict";
import test from "node:test";
import { readRecordedActions, readRecordedEvents } from "../../test/support/recorded-events.ts";
import { createRoomContext } from "../../test/support/context.ts";
import { createActor, createUnknownActor } from "./actor.ts";
import { OPERATOR, toChangedValue, type AuditEvent } from "./event.ts";
import {
  hashIpAddress,
  insertEventQuery,
  listEvents,
  recordEvent,
  runAndRecord,
  type EventFilter,
} from "./store.ts";

const ANN = "ann";
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";
const EVENT: AuditEvent = { action: "team_made", actor: OPERATOR, accountId: null };
const ALL = { accountId: null, action: null, since: null, until: null, after: null, limit: 10 };

test("an event records actor, action, subject and origin", async (t) => {
  const context = await createRoomContext(t);
  const origin = { ip: "192.0.2.7", headers: { "user-agent": FIREFOX } };
  const actor = createActor(origin, { kind: "session", accountId: ANN, credentialId: "s1" });
  const changes = [toChangedValue("method", "password")];
  const event = { action: "signed_in", actor, accountId: ANN, subjectId: "s1", changes } as const;
  await context.database.atomically([insertEventQuery(context, event)]);
  const [{ id, ...recordedEvent } = assert.fail()] = await readRecordedEvents(context);
  assert.match(id, /^[0-9a-f-]{36}$/);
  assert.deepEqual(recordedEvent, {
    createdAt: new Date(context.now()).toISOString(),
    action: "signed_in",
    actor: { kind: "session", accountId: ANN, accountName: null, credentialId: "s1" },
    accountId: ANN,
    accountName: null,
    teamId: null,
    subjectId: "s1",
    changes: [{ name: "method", before: null, after: "password" }],
    address: "192.0.2.7",
    userAgent: "Firefox on Linux",
  });
});

test("an IPv4 caller is recorded as IPv4 on a dual-stack socket", async (t) => {
  const context = await createRoomContext(t);
  const actor = createUnknownActor({ ip: "::ffff:192.0.2.7", headers: {} });
  await context.database.atomically([insertEventQuery(context, { ...EVENT, actor })]);
  assert.equal((await readRecordedEvents(context))[0]?.address, "192.0.2.7");
  assert.equal(createUnknownActor({ ip: "2001:db8::7", headers: {} }).address, "2001:db8::7");
});

test("a change and its event are committed together or not at all", async (t) => {
  const context = await createRoomContext(t);
  const { database } = context;
  const toSettingRow = (name: string) => ({ name, value: "", changed_at: 0 });
  const insertSetting = (name: string) =>
    database.db.insertInto("setting").values(toSettingRow(name));
  const insertEvent = insertEventQuery(context, EVENT);
  await assert.rejects(
    database.atomically([insertSetting("a"), insertEvent, insertEvent]),
    /unique/i,
  );
  const failingTransaction = database.transaction(async (db) => {
    await db.insertInto("setting").values(toSettingRow("b")).execute();
    await recordEvent(db, context, EVENT);
    throw new Error("rolled back");
  });
  await assert.rejects(failingTransaction, /rolled back/);
  const failingChange = runAndRecord(
    context,
    async (db) => {
      await db.insertInto("setting").values(toSettingRow("c")).execute();
      return "changed";
    },
    () => {
      throw new Error("no event");
    },
  );
  await assert.rejects(failingChange, /no event/);
  assert.deepEqual(await readRecordedActions(context), []);
  assert.deepEqual(await database.db.selectFrom("setting").select("name").execute(), []);
});

test("a change without effect records no event", async (t) => {
  const context = await createRoomContext(t);
  assert.equal(
    await runAndRecord(
      context,
      async () => undefined,
      () => EVENT,
    ),
    undefined,
  );
  assert.deepEqual(await readRecordedActions(context), []);
  assert.equal(
    await runAndRecord(
      context,
      async () => 1,
      () => EVENT,
    ),
    1,
  );
  assert.deepEqual(await readRecordedActions(context), ["team_made"]);
});

test("events are filtered by account, action and time, newest first", async (t) => {
  const context = await createRoomContext(t);
  const actor = createUnknownActor({ ip: "192.0.2.7", headers: {} });
  const insert = (event: Partial<AuditEvent>) =>
    context.database.atomically([insertEventQuery(context, { ...EVENT, ...event })]);
  const listActions = async (filter: Partial<EventFilter>) => {
    const events = await listEvents(context, { ...ALL, ...filter });
    return events.map(({ action }) => action);
  };
  await insert({ action: "account_created", actor, accountId: ANN });
  context.clock.advance(1_000);
  const middleTime = context.now();
  await insert({ action: "team_made", actor: { ...actor, kind: "session", accountId: ANN } });
  await insert({ action: "account_created", accountId: "ben" });
  context.clock.advance(1_000);
  await insert({ action: "signed_in", accountId: "ben" });

  const newestFirst = ["signed_in", "account_created", "team_made", "account_created"];
  assert.deepEqual(await listActions({}), newestFirst);
  assert.deepEqual(await listActions({ accountId: ANN }), ["team_made", "account_created"]);
  assert.deepEqual(await listActions({ action: "account_created" }), [
    "account_created",
    "account_created",
  ]);
  assert.deepEqual(await listActions({ since: middleTime }), newestFirst.slice(0, 3));
  assert.deepEqual(await listActions({ until: middleTime }), newestFirst.slice(3));
  const [first = assert.fail()] = await listEvents(context, { ...ALL, limit: 1 });
  assert.deepEqual(await listActions({ after: first.id }), newestFirst.slice(1));
});

test("an address is stored with a salted hash", async (t) => {
  const context = await createRoomContext(t);
  const actor = createUnknownActor({ ip: "192.0.2.7", headers: {} });
  const insert = () => insertEventQuery(context, { ...EVENT, actor });
  await context.database.atomically([insert(), insert()]);
  const rows = await context.database.db
    .selectFrom("audit_event")
    .select(["address", "address_salt", "address_hash"])
    .execute();
  assert.equal(new Set(rows.map((row) => row.address_hash)).size, 2);
  for (const { address, address_salt: salt, address_hash: hash } of rows) {
    assert.equal(hashIpAddress(address ?? "", salt ?? ""), hash);
    assert.match(salt ?? "", /^[0-9a-f]{32}$/);
  }
});
