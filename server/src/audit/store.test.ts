import assert from "node:assert/strict";
import test from "node:test";
import { recordedActions, recordedEvents } from "../../test/support/audit.ts";
import { testContext } from "../../test/support/room.ts";
import { actorBy, strangerAt } from "./actor.ts";
import { OPERATOR, since, type AuditEvent } from "./event.ts";
import {
  addressHash,
  auditInsert,
  listEvents,
  record,
  recorded,
  type EventFilter,
} from "./store.ts";

const ANN = "ann";
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";
const EVENT: AuditEvent = { action: "team_made", by: OPERATOR, accountId: null };
const ALL = { accountId: null, action: null, since: null, until: null, after: null, limit: 10 };

test("an event records who did what to what, and from where", async (t) => {
  const context = await testContext(t);
  const origin = { ip: "192.0.2.7", headers: { "user-agent": FIREFOX } };
  const by = actorBy(origin, { kind: "session", accountId: ANN, credentialId: "s1" });
  const changes = [since("method", "password")];
  const event = { action: "signed_in", by, accountId: ANN, subjectId: "s1", changes } as const;
  await context.database.atomically([auditInsert(context, event)]);
  const [{ id, ...found } = assert.fail()] = await recordedEvents(context);
  assert.match(id, /^[0-9a-f-]{36}$/);
  assert.deepEqual(found, {
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

test("an IPv4 caller is recorded by that address, also where the socket takes both families", async (t) => {
  const context = await testContext(t);
  const by = strangerAt({ ip: "::ffff:192.0.2.7", headers: {} });
  await context.database.atomically([auditInsert(context, { ...EVENT, by })]);
  assert.equal((await recordedEvents(context))[0]?.address, "192.0.2.7");
  assert.equal(strangerAt({ ip: "2001:db8::7", headers: {} }).address, "2001:db8::7");
});

test("a rolled-back change records no event, and a change that cannot be recorded is not made", async (t) => {
  const context = await testContext(t);
  const { database } = context;
  const setting = (name: string) => ({ name, value: "", changed_at: 0 });
  const insert = (name: string) => database.db.insertInto("setting").values(setting(name));
  const twice = auditInsert(context, EVENT);
  await assert.rejects(database.atomically([insert("a"), twice, twice]), /unique/i);
  const failing = database.transaction(async (db) => {
    await db.insertInto("setting").values(setting("b")).execute();
    await record(db, context, EVENT);
    throw new Error("The end never came.");
  });
  await assert.rejects(failing, /The end never came/);
  const changing = recorded(
    context,
    async (db) => {
      await db.insertInto("setting").values(setting("c")).execute();
      return "changed";
    },
    () => {
      throw new Error("Nothing to tell.");
    },
  );
  await assert.rejects(changing, /Nothing to tell/);
  assert.deepEqual(await recordedActions(context), []);
  assert.deepEqual(await database.db.selectFrom("setting").select("name").execute(), []);
});

test("a change that found nothing to change records no event", async (t) => {
  const context = await testContext(t);
  assert.equal(
    await recorded(
      context,
      async () => undefined,
      () => EVENT,
    ),
    undefined,
  );
  assert.deepEqual(await recordedActions(context), []);
  assert.equal(
    await recorded(
      context,
      async () => 1,
      () => EVENT,
    ),
    1,
  );
  assert.deepEqual(await recordedActions(context), ["team_made"]);
});

test("events are found by account, action and time, newest first, page by page", async (t) => {
  const context = await testContext(t);
  const by = strangerAt({ ip: "192.0.2.7", headers: {} });
  const insert = (event: Partial<AuditEvent>) =>
    context.database.atomically([auditInsert(context, { ...EVENT, ...event })]);
  const actions = async (filter: Partial<EventFilter>) => {
    const found = await listEvents(context, { ...ALL, ...filter });
    return found.map(({ action }) => action);
  };
  await insert({ action: "account_created", by, accountId: ANN });
  context.clock.advance(1_000);
  const middle = context.now();
  await insert({ action: "team_made", by: { ...by, kind: "session", accountId: ANN } });
  await insert({ action: "account_created", accountId: "ben" });
  context.clock.advance(1_000);
  await insert({ action: "signed_in", accountId: "ben" });

  const all = ["signed_in", "account_created", "team_made", "account_created"];
  assert.deepEqual(await actions({}), all);
  assert.deepEqual(await actions({ accountId: ANN }), ["team_made", "account_created"]);
  assert.deepEqual(await actions({ action: "account_created" }), [
    "account_created",
    "account_created",
  ]);
  assert.deepEqual(await actions({ since: middle }), all.slice(0, 3));
  assert.deepEqual(await actions({ until: middle }), all.slice(3));
  const [first = assert.fail()] = await listEvents(context, { ...ALL, limit: 1 });
  assert.deepEqual(await actions({ after: first.id }), all.slice(1));
});

test("an address is stored beside a hash that cannot be reversed by trying addresses without its salt", async (t) => {
  const context = await testContext(t);
  const by = strangerAt({ ip: "192.0.2.7", headers: {} });
  const insert = () => auditInsert(context, { ...EVENT, by });
  await context.database.atomically([insert(), insert()]);
  const rows = await context.database.db
    .selectFrom("audit_event")
    .select(["address", "address_salt", "address_hash"])
    .execute();
  assert.equal(new Set(rows.map((row) => row.address_hash)).size, 2);
  for (const { address, address_salt: salt, address_hash: hash } of rows) {
    assert.equal(addressHash(address ?? "", salt ?? ""), hash);
    assert.match(salt ?? "", /^[0-9a-f]{32}$/);
  }
});
