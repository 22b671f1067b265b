import assert from "node:assert/strict";
import { OPERATOR } from "#audit/event.ts";
import { test, type TestContext } from "node:test";
import type { Context } from "#context.ts";
import type { FindPrincipal } from "#http/authenticate.ts";
import { insertAccount, testContext } from "../../test/support/room.ts";
import { recordedEvents } from "../../test/support/audit.ts";
import type { KeyChange } from "./api-key.ts";
import { changeKey } from "./change.ts";
import { draftKey, issueKey, teamKeyInsert } from "./issue.ts";
import { revokeKey } from "./revoke.ts";
import { revokeTeamKeysQuery } from "./store/ending.ts";
import { findKey, insertKeyQuery, listKeys, markRevoked } from "./store/keys.ts";
import { KeyVerifier } from "./verify.ts";

const NO_SUCH_KEY = "3f0c9b1e-7a54-4d2c-9f3b-0123456789ab";

async function setUp(test: TestContext) {
  const context = await testContext(test);
  const accountId = await insertAccount(context);
  const verifier = new KeyVerifier(context, { isListening: true });
  return { context, accountId, verifier, owner: { accountId, teamIds: [] } };
}

function createAccountKey(context: Context, accountId: string, expiresAt: number | null = null) {
  const request = { teamId: null, label: null, expiresAt, isPostOnly: false };
  return issueKey(context, { actor: OPERATOR, accountId, ...request });
}

async function createTeamKey({ context, accountId }: { context: Context; accountId: string }) {
  const teamId = context.newId();
  const { key, query } = teamKeyInsert(context, { teamId, accountId, label: "first" });
  const team = context.database.db
    .insertInto("team")
    .values({ id: teamId, name: "Night shift", created_at: context.now() });
  await context.database.atomically([team, query]);
  return { key, teamId };
}

test("find returns an account key's principal in any letter case", async (test) => {
  const { context, accountId, verifier } = await setUp(test);
  const { key } = await createAccountKey(context, accountId);
  const find: FindPrincipal = verifier.find;
  const principal = await find(key.toUpperCase());
  assert.equal(principal?.kind, "account");
  assert.equal(principal.accountId, accountId);
  assert.deepEqual(await find(key), principal);
});

test("findTeam returns a team only for a team key", async (test) => {
  const { context, accountId, verifier } = await setUp(test);
  const { key, teamId } = await createTeamKey({ context, accountId });
  const ownedKey = await createAccountKey(context, accountId);
  const principal = await verifier.find(key);
  assert.equal(principal?.kind === "team" && principal.teamId, teamId);
  assert.equal(await verifier.findTeam(key.toUpperCase()), teamId);
  assert.equal(await verifier.findTeam(ownedKey.key), null);
  assert.equal(await verifier.findTeam(NO_SUCH_KEY), null);
});

test("find returns null for an unknown key", async (test) => {
  const { verifier } = await setUp(test);
  assert.equal(await verifier.find(NO_SUCH_KEY), null);
});

test("a malformed key is refused without a database query", async (test) => {
  const { context, verifier } = await setUp(test);
  await context.database.close();
  for (const text of ["<API_KEY>", "group", ""]) assert.equal(await verifier.find(text), null);
  await assert.rejects(verifier.find(NO_SUCH_KEY));
});

test("a verified key is cached for a minute", async (test) => {
  const { context, accountId, verifier } = await setUp(test);
  const { key } = await createAccountKey(context, accountId);
  await verifier.find(key);
  await context.database.close();
  context.clock.advance(59_999);
  assert.notEqual(await verifier.find(key), null);
  context.clock.advance(1);
  await assert.rejects(verifier.find(key));
});

test("a verified key is cached for only a second while messages between nodes may be lost", async (test) => {
  const { context, accountId } = await setUp(test);
  const nodes = { isListening: false };
  const verifier = new KeyVerifier(context, nodes);
  const { key } = await createAccountKey(context, accountId);
  await verifier.find(key);
  await context.database.close();
  context.clock.advance(999);
  assert.notEqual(await verifier.find(key), null);
  context.clock.advance(1);
  await assert.rejects(verifier.find(key));
});

test("a wall clock that is set back does not extend the cache", async (test) => {
  const { context, accountId, owner, verifier } = await setUp(test);
  const { key, apiKey } = await createAccountKey(context, accountId);
  await verifier.find(key);
  await markRevoked(context, { actor: OPERATOR, owner, keyId: apiKey.id });
  context.clock.advance(-86_400_000);
  context.clock.advance(59_999);
  assert.notEqual(await verifier.find(key), null);
  context.clock.advance(1);
  assert.equal(await verifier.find(key), null);
});

test("a cached key expires at the millisecond of its expiry", async (test) => {
  const { context, accountId, verifier } = await setUp(test);
  const { key } = await createAccountKey(context, accountId, context.now() + 1_500);
  context.clock.advance(1_499);
  assert.notEqual(await verifier.find(key), null);
  context.clock.advance(1);
  assert.equal(await verifier.find(key), null);
});

test("a revocation takes effect immediately", async (test) => {
  const { context, accountId, owner, verifier } = await setUp(test);
  const { key, apiKey } = await createAccountKey(context, accountId);
  await verifier.find(key);
  assert.equal(
    await revokeKey({ context, verifier }, { actor: OPERATOR, owner, keyId: apiKey.id }),
    true,
  );
  assert.equal(await verifier.find(key), null);
  assert.equal(
    await revokeKey({ context, verifier }, { actor: OPERATOR, owner, keyId: apiKey.id }),
    false,
  );
});

test("a change of POST-only takes effect immediately", async (test) => {
  const { context, accountId, owner, verifier } = await setUp(test);
  const { key, apiKey } = await createAccountKey(context, accountId);
  const ownedKey = { actor: OPERATOR, owner, keyId: apiKey.id };
  for (const isPostOnly of [false, true, true, false]) {
    await changeKey({ context, verifier }, { ...ownedKey, change: { isPostOnly } });
    assert.equal((await verifier.find(key))?.isPostOnly, isPostOnly);
  }
});

test("a key change is recorded only if something changed, and without the label", async (test) => {
  const { context, accountId, owner, verifier } = await setUp(test);
  const { apiKey } = await createAccountKey(context, accountId);
  const ownedKey = { actor: OPERATOR, owner, keyId: apiKey.id };
  const change = (fields: KeyChange) =>
    changeKey({ context, verifier }, { ...ownedKey, change: fields });
  await change({});
  await change({ label: null, isPostOnly: false });
  await change({ isPostOnly: true });
  await change({ isPostOnly: true, label: "front door" });
  await change({ isPostOnly: false, label: "front door" });
  const events = await recordedEvents(context);
  const changed = events.filter(({ action }) => action === "api_key_changed");
  assert.deepEqual(
    changed.map(({ subjectId, changes }) => [subjectId, changes]),
    [
      [apiKey.id, [{ name: "postOnly", before: "false", after: "true" }]],
      [apiKey.id, []],
      [apiKey.id, [{ name: "postOnly", before: "true", after: "false" }]],
    ],
  );
});

test("a lookup that started before a revocation does not cache the key", async (test) => {
  const { context, accountId, owner, verifier } = await setUp(test);
  const { key, apiKey } = await createAccountKey(context, accountId);
  const lookup = verifier.find(key);
  verifier.forget(apiKey.id);
  await Promise.all([lookup, markRevoked(context, { actor: OPERATOR, owner, keyId: apiKey.id })]);
  assert.equal(await verifier.find(key), null);
});

test("a revocation on another node takes effect once it is published", async (test) => {
  const { context, accountId, owner, verifier } = await setUp(test);
  const { key, apiKey } = await createAccountKey(context, accountId);
  await verifier.find(key);
  await markRevoked(context, { actor: OPERATOR, owner, keyId: apiKey.id });
  assert.notEqual(await verifier.find(key), null);
  verifier.forget(apiKey.id);
  assert.equal(await verifier.find(key), null);
});

test("forgetTeam evicts only the keys of that team", async (test) => {
  const { context, accountId, verifier } = await setUp(test);
  const ended = await createTeamKey({ context, accountId });
  const other = await createTeamKey({ context, accountId });
  await Promise.all([verifier.find(ended.key), verifier.find(other.key)]);
  await context.database.atomically([revokeTeamKeysQuery(context, ended.teamId)]);
  verifier.forgetTeam(ended.teamId);
  assert.equal(await verifier.find(ended.key), null);
  assert.notEqual(await verifier.find(other.key), null);
});

test("beyond 10,000 keys the least recently used one is evicted", async (test) => {
  const { context, accountId, verifier } = await setUp(test);
  const request = { teamId: null, label: null, expiresAt: null, isPostOnly: false };
  const issued = Array.from({ length: 10_001 }, () => draftKey(context, request));
  for (let start = 0; start < issued.length; start += 500) {
    const batch = issued.slice(start, start + 500);
    await context.database.atomically(
      batch.map((newKey) => insertKeyQuery(context, { accountId, ...newKey })),
    );
  }
  const [first = "", second = "", ...others] = issued.map(({ key }) => key);
  await verifier.find(first);
  await verifier.find(second);
  await verifier.find(first);
  for (let start = 0; start < others.length; start += 100) {
    await Promise.all(others.slice(start, start + 100).map(verifier.find));
  }
  await context.database.close();
  assert.notEqual(await verifier.find(first), null);
  await assert.rejects(verifier.find(second));
});

test("uses are written once, a minute after the first", async (test) => {
  test.mock.timers.enable({ apis: ["setTimeout"] });
  const { context, accountId, owner, verifier } = await setUp(test);
  const { key, apiKey } = await createAccountKey(context, accountId);
  const lastUsedAt = async () => {
    // The write was requested before this read, and the database keeps their order.
    await new Promise(setImmediate);
    return (await findKey(context, { owner, keyId: apiKey.id }))?.lastUsedAt;
  };
  await verifier.find(key);
  context.clock.advance(30_000);
  await verifier.find(key);
  const usedAt = context.now();
  test.mock.timers.tick(59_999);
  assert.equal(await lastUsedAt(), null);
  test.mock.timers.tick(1);
  assert.equal(await lastUsedAt(), usedAt);
});

test("stop writes pending uses", async (test) => {
  const { context, accountId, owner, verifier } = await setUp(test);
  // More than one batch.
  const request = { teamId: null, label: null, expiresAt: null, isPostOnly: false };
  const issued = Array.from({ length: 501 }, () => draftKey(context, request));
  await context.database.atomically(
    issued.map(({ key, apiKey }) => insertKeyQuery(context, { accountId, key, apiKey })),
  );
  for (const { key } of issued) await verifier.find(key);
  await verifier.stop();
  const keys = await listKeys(context, { owner, after: null, limit: 1_000 });
  assert.deepEqual(new Set(keys.map(({ lastUsedAt }) => lastUsedAt)), new Set([context.now()]));
});
