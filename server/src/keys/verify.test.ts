import assert from "node:assert/strict";
import { OPERATOR } from "#audit/event.ts";
import { test, type TestContext } from "node:test";
import type { Context } from "#context.ts";
import type { FindPrincipal } from "#http/authenticate.ts";
import { insertAccount, createRoomContext } from "../../test/support/context.ts";
import { readRecordedEvents } from "../../test/support/recorded-events.ts";
import type { KeyChange } from "./api-key.ts";
import { changeKey } from "./change.ts";
import { draftKey, issueKey, draftTeamKey } from "./issue.ts";
import { revokeKey } from "./revoke.ts";
import { markKeyRevoked, revokeTeamKeysQueries } from "./store/revocation.ts";
import { findKey, insertKeyQuery, listKeys } from "./store/keys.ts";
import { LastUseRecorder } from "./last-use.ts";
import { KeyVerifier } from "./verify.ts";

const UNKNOWN_KEY = "3f0c9b1e-7a54-4d2c-9f3b-0123456789ab";

async function setUp(t: TestContext) {
  const context = await createRoomContext(t);
  const accountId = await insertAccount(context);
  const verifier = new KeyVerifier(context, { isListening: true });
  return { context, accountId, verifier, owners: { accountId, teamIds: [] } };
}

function createAccountKey(context: Context, accountId: string, expiresAt: number | null = null) {
  const request = { teamId: null, label: null, expiresAt, isPostOnly: false };
  return issueKey(context, { actor: OPERATOR, accountId, ...request });
}

async function createTeamKey({ context, accountId }: { context: Context; accountId: string }) {
  const teamId = context.newId();
  const { key, query } = draftTeamKey(context, { teamId, accountId, label: "first" });
  const team = context.database.db
    .insertInto("team")
    .values({ id: teamId, name: "Night shift", created_at: context.now() });
  await context.database.atomically([team, query]);
  return { key, teamId };
}

test("findPrincipal accepts an account key in any letter case", async (t) => {
  const { context, accountId, verifier } = await setUp(t);
  const { key } = await createAccountKey(context, accountId);
  const findPrincipal: FindPrincipal = verifier.findPrincipal;
  const principal = await findPrincipal(key.toUpperCase());
  assert.equal(principal?.kind, "account");
  assert.equal(principal.accountId, accountId);
  assert.deepEqual(await findPrincipal(key), principal);
});

test("findPrincipal and findTeamId return the team of a team key, and findTeamId of no other key", async (t) => {
  const { context, accountId, verifier } = await setUp(t);
  const { key, teamId } = await createTeamKey({ context, accountId });
  const accountKey = await createAccountKey(context, accountId);
  const principal = await verifier.findPrincipal(key);
  assert.equal(principal?.kind === "team" && principal.teamId, teamId);
  assert.equal(await verifier.findTeamId(key.toUpperCase()), teamId);
  assert.equal(await verifier.findTeamId(accountKey.key), null);
  assert.equal(await verifier.findTeamId(UNKNOWN_KEY), null);
});

test("findPrincipal returns null for an unknown key", async (t) => {
  const { verifier } = await setUp(t);
  assert.equal(await verifier.findPrincipal(UNKNOWN_KEY), null);
});

test("a malformed key is refused without a database query", async (t) => {
  const { context, verifier } = await setUp(t);
  await context.database.close();
  for (const text of ["<API_KEY>", "group", ""])
    assert.equal(await verifier.findPrincipal(text), null);
  await assert.rejects(verifier.findPrincipal(UNKNOWN_KEY));
});

test("a verified key is cached for a minute", async (t) => {
  const { context, accountId, verifier } = await setUp(t);
  const { key } = await createAccountKey(context, accountId);
  await verifier.findPrincipal(key);
  await context.database.close();
  context.clock.advance(59_999);
  assert.notEqual(await verifier.findPrincipal(key), null);
  context.clock.advance(1);
  await assert.rejects(verifier.findPrincipal(key));
});

test("a verified key is cached for only a second while messages between nodes may be lost", async (t) => {
  const { context, accountId } = await setUp(t);
  const verifier = new KeyVerifier(context, { isListening: false });
  const { key } = await createAccountKey(context, accountId);
  await verifier.findPrincipal(key);
  await context.database.close();
  context.clock.advance(999);
  assert.notEqual(await verifier.findPrincipal(key), null);
  context.clock.advance(1);
  await assert.rejects(verifier.findPrincipal(key));
});

test("a wall clock that is set back does not keep a key in the cache for longer", async (t) => {
  const { context, accountId, owners, verifier } = await setUp(t);
  const { key, apiKey } = await createAccountKey(context, accountId);
  await verifier.findPrincipal(key);
  await markKeyRevoked(context, { actor: OPERATOR, owners, keyId: apiKey.id });
  context.clock.advance(-86_400_000);
  context.clock.advance(59_999);
  assert.notEqual(await verifier.findPrincipal(key), null);
  context.clock.advance(1);
  assert.equal(await verifier.findPrincipal(key), null);
});

test("a cached key expires at the millisecond of its expiry", async (t) => {
  const { context, accountId, verifier } = await setUp(t);
  const { key } = await createAccountKey(context, accountId, context.now() + 1_500);
  context.clock.advance(1_499);
  assert.notEqual(await verifier.findPrincipal(key), null);
  context.clock.advance(1);
  assert.equal(await verifier.findPrincipal(key), null);
});

test("a revocation takes effect immediately", async (t) => {
  const { context, accountId, owners, verifier } = await setUp(t);
  const { key, apiKey } = await createAccountKey(context, accountId);
  await verifier.findPrincipal(key);
  assert.equal(
    await revokeKey({ context, verifier }, { actor: OPERATOR, owners, keyId: apiKey.id }),
    true,
  );
  assert.equal(await verifier.findPrincipal(key), null);
  assert.equal(
    await revokeKey({ context, verifier }, { actor: OPERATOR, owners, keyId: apiKey.id }),
    false,
  );
});

test("a change of the POST-only setting takes effect immediately", async (t) => {
  const { context, accountId, owners, verifier } = await setUp(t);
  const { key, apiKey } = await createAccountKey(context, accountId);
  const keyInput = { actor: OPERATOR, owners, keyId: apiKey.id };
  for (const isPostOnly of [false, true, true, false]) {
    await changeKey({ context, verifier }, { ...keyInput, change: { isPostOnly } });
    assert.equal((await verifier.findPrincipal(key))?.isPostOnly, isPostOnly);
  }
});

test("a key change is recorded only if something changed, and without the label", async (t) => {
  const { context, accountId, owners, verifier } = await setUp(t);
  const { apiKey } = await createAccountKey(context, accountId);
  const keyInput = { actor: OPERATOR, owners, keyId: apiKey.id };
  const applyChange = (fields: KeyChange) =>
    changeKey({ context, verifier }, { ...keyInput, change: fields });
  await applyChange({});
  await applyChange({ label: null, isPostOnly: false });
  await applyChange({ isPostOnly: true });
  await applyChange({ isPostOnly: true, label: "front door" });
  await applyChange({ isPostOnly: false, label: "front door" });
  const events = await readRecordedEvents(context);
  const changeEvents = events.filter(({ action }) => action === "api_key_changed");
  assert.deepEqual(
    changeEvents.map(({ subjectId, changes }) => [subjectId, changes]),
    [
      [apiKey.id, [{ name: "postOnly", before: "false", after: "true" }]],
      [apiKey.id, []],
      [apiKey.id, [{ name: "postOnly", before: "true", after: "false" }]],
    ],
  );
});

test("a lookup that started before a revocation does not cache the key", async (t) => {
  const { context, accountId, owners, verifier } = await setUp(t);
  const { key, apiKey } = await createAccountKey(context, accountId);
  const lookup = verifier.findPrincipal(key);
  verifier.evictKey(apiKey.id);
  await Promise.all([
    lookup,
    markKeyRevoked(context, { actor: OPERATOR, owners, keyId: apiKey.id }),
  ]);
  assert.equal(await verifier.findPrincipal(key), null);
});

test("a revocation on another node takes effect once it is published", async (t) => {
  const { context, accountId, owners, verifier } = await setUp(t);
  const { key, apiKey } = await createAccountKey(context, accountId);
  await verifier.findPrincipal(key);
  await markKeyRevoked(context, { actor: OPERATOR, owners, keyId: apiKey.id });
  assert.notEqual(await verifier.findPrincipal(key), null);
  verifier.evictKey(apiKey.id);
  assert.equal(await verifier.findPrincipal(key), null);
});

test("evictTeam evicts only the keys of that team", async (t) => {
  const { context, accountId, verifier } = await setUp(t);
  const revokedKey = await createTeamKey({ context, accountId });
  const otherKey = await createTeamKey({ context, accountId });
  await Promise.all([verifier.findPrincipal(revokedKey.key), verifier.findPrincipal(otherKey.key)]);
  await context.database.atomically(revokeTeamKeysQueries(context, revokedKey.teamId));
  verifier.evictTeam(revokedKey.teamId);
  assert.equal(await verifier.findPrincipal(revokedKey.key), null);
  assert.notEqual(await verifier.findPrincipal(otherKey.key), null);
});

test("beyond 10,000 keys the least recently used one is evicted", async (t) => {
  const { context, accountId, verifier } = await setUp(t);
  const request = { teamId: null, label: null, expiresAt: null, isPostOnly: false };
  const drafts = Array.from({ length: 10_001 }, () => draftKey(context, request));
  for (let start = 0; start < drafts.length; start += 500) {
    const batch = drafts.slice(start, start + 500);
    await context.database.atomically(
      batch.map((newKey) => insertKeyQuery(context, { accountId, ...newKey })),
    );
  }
  const [first = "", second = "", ...others] = drafts.map(({ key }) => key);
  await verifier.findPrincipal(first);
  await verifier.findPrincipal(second);
  await verifier.findPrincipal(first);
  for (let start = 0; start < others.length; start += 100) {
    await Promise.all(others.slice(start, start + 100).map(verifier.findPrincipal));
  }
  await context.database.close();
  assert.notEqual(await verifier.findPrincipal(first), null);
  await assert.rejects(verifier.findPrincipal(second));
});

test("the last use of a key is written once, a minute after the first unwritten use", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { context, accountId, owners, verifier } = await setUp(t);
  const { key, apiKey } = await createAccountKey(context, accountId);
  const readLastUsedAt = async () => {
    // The write was requested before this read, and the database keeps their order.
    await new Promise(setImmediate);
    return (await findKey(context, { owners, keyId: apiKey.id }))?.lastUsedAt;
  };
  await verifier.findPrincipal(key);
  context.clock.advance(30_000);
  await verifier.findPrincipal(key);
  const usedAt = context.now();
  t.mock.timers.tick(59_999);
  assert.equal(await readLastUsedAt(), null);
  t.mock.timers.tick(1);
  assert.equal(await readLastUsedAt(), usedAt);
});

test("a use that cannot be written stays known, and a later write stores it", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { context, accountId, owners } = await setUp(t);
  const { apiKey } = await createAccountKey(context, accountId);
  const usedAt = context.now();
  const { schema } = context.database.db;
  const recorder = new LastUseRecorder(context);
  recorder.record(apiKey.id);
  await schema.alterTable("api_key").renameTo("missing").execute();
  await recorder.write();
  await schema.alterTable("missing").renameTo("api_key").execute();
  assert.equal(recorder.getLastUsedAt(apiKey.id, null), usedAt);
  t.mock.timers.tick(60_000);
  await recorder.write();
  assert.equal((await findKey(context, { owners, keyId: apiKey.id }))?.lastUsedAt, usedAt);
});

test("a use stays known while it is being written", async (t) => {
  const { context, accountId } = await setUp(t);
  const { apiKey } = await createAccountKey(context, accountId);
  const recorder = new LastUseRecorder(context);
  recorder.record(apiKey.id);
  const writing = recorder.write();
  // After these turns, the write has begun. Until its commit, a read of the key returns no use.
  await Promise.resolve();
  await Promise.resolve();
  assert.equal(recorder.getLastUsedAt(apiKey.id, null), context.now());
  await writing;
});

test("a stop writes the last uses that are not stored yet", async (t) => {
  const { context, accountId, owners, verifier } = await setUp(t);
  // More than one batch.
  const request = { teamId: null, label: null, expiresAt: null, isPostOnly: false };
  const drafts = Array.from({ length: 501 }, () => draftKey(context, request));
  await context.database.atomically(
    drafts.map(({ key, apiKey }) => insertKeyQuery(context, { accountId, key, apiKey })),
  );
  for (const { key } of drafts) await verifier.findPrincipal(key);
  await verifier.stop();
  const keys = await listKeys(context, { owners, after: null, limit: 1_000 });
  assert.deepEqual(new Set(keys.map(({ lastUsedAt }) => lastUsedAt)), new Set([context.now()]));
});
