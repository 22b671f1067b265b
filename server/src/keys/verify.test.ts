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

async function room(test: TestContext) {
  const context = await testContext(test);
  const accountId = await insertAccount(context);
  const verifier = new KeyVerifier(context, { isListening: true });
  return { context, accountId, verifier, owner: { accountId, teamIds: [] } };
}

function accountKey(context: Context, accountId: string, expiresAt: number | null = null) {
  const request = { teamId: null, label: null, expiresAt, isPostOnly: false };
  return issueKey(context, { by: OPERATOR, accountId, ...request });
}

async function teamKey({ context, accountId }: { context: Context; accountId: string }) {
  const teamId = context.newId();
  const { key, query } = teamKeyInsert(context, { teamId, accountId, label: "first" });
  const team = context.database.db
    .insertInto("team")
    .values({ id: teamId, name: "Night shift", created_at: context.now() });
  await context.database.atomically([team, query]);
  return { key, teamId };
}

test("find knows an account key in any letter case", async (test) => {
  const { context, accountId, verifier } = await room(test);
  const { key } = await accountKey(context, accountId);
  const find: FindPrincipal = verifier.find;
  const principal = await find(key.toUpperCase());
  assert.equal(principal?.kind, "account");
  assert.equal(principal.accountId, accountId);
  assert.deepEqual(await find(key), principal);
});

test("find knows a team key, and findTeam its team alone", async (test) => {
  const { context, accountId, verifier } = await room(test);
  const { key, teamId } = await teamKey({ context, accountId });
  const own = await accountKey(context, accountId);
  const principal = await verifier.find(key);
  assert.equal(principal?.kind === "team" && principal.teamId, teamId);
  assert.equal(await verifier.findTeam(key.toUpperCase()), teamId);
  assert.equal(await verifier.findTeam(own.key), null);
  assert.equal(await verifier.findTeam(NO_SUCH_KEY), null);
});

test("find refuses an unknown key", async (test) => {
  const { verifier } = await room(test);
  assert.equal(await verifier.find(NO_SUCH_KEY), null);
});

test("text that cannot be a key is refused without the database", async (test) => {
  const { context, verifier } = await room(test);
  await context.database.close();
  for (const text of ["<API_KEY>", "group", ""]) assert.equal(await verifier.find(text), null);
  await assert.rejects(verifier.find(NO_SUCH_KEY));
});

test("a verified key is cached for a minute and then looked up again", async (test) => {
  const { context, accountId, verifier } = await room(test);
  const { key } = await accountKey(context, accountId);
  await verifier.find(key);
  await context.database.close();
  context.clock.advance(59_999);
  assert.notEqual(await verifier.find(key), null);
  context.clock.advance(1);
  await assert.rejects(verifier.find(key));
});

test("a verified key is cached for a second only while messages of other nodes may be lost", async (test) => {
  const { context, accountId } = await room(test);
  const nodes = { isListening: false };
  const verifier = new KeyVerifier(context, nodes);
  const { key } = await accountKey(context, accountId);
  await verifier.find(key);
  await context.database.close();
  context.clock.advance(999);
  assert.notEqual(await verifier.find(key), null);
  context.clock.advance(1);
  await assert.rejects(verifier.find(key));
});

test("a wall clock that is set back does not prolong what is kept", async (test) => {
  const { context, accountId, owner, verifier } = await room(test);
  const { key, apiKey } = await accountKey(context, accountId);
  await verifier.find(key);
  await markRevoked(context, { by: OPERATOR, owner, keyId: apiKey.id });
  context.clock.advance(-86_400_000);
  context.clock.advance(59_999);
  assert.notEqual(await verifier.find(key), null);
  context.clock.advance(1);
  assert.equal(await verifier.find(key), null);
});

test("a cached key expires at the millisecond of its expiry", async (test) => {
  const { context, accountId, verifier } = await room(test);
  const { key } = await accountKey(context, accountId, context.now() + 1_500);
  context.clock.advance(1_499);
  assert.notEqual(await verifier.find(key), null);
  context.clock.advance(1);
  assert.equal(await verifier.find(key), null);
});

test("a revocation takes effect at once", async (test) => {
  const { context, accountId, owner, verifier } = await room(test);
  const { key, apiKey } = await accountKey(context, accountId);
  await verifier.find(key);
  assert.equal(
    await revokeKey({ context, verifier }, { by: OPERATOR, owner, keyId: apiKey.id }),
    true,
  );
  assert.equal(await verifier.find(key), null);
  assert.equal(
    await revokeKey({ context, verifier }, { by: OPERATOR, owner, keyId: apiKey.id }),
    false,
  );
});

test("restricting a key to POST takes effect at once, and so does lifting it", async (test) => {
  const { context, accountId, owner, verifier } = await room(test);
  const { key, apiKey } = await accountKey(context, accountId);
  const own = { by: OPERATOR, owner, keyId: apiKey.id };
  for (const isPostOnly of [false, true, true, false]) {
    await changeKey({ context, verifier }, { ...own, change: { isPostOnly } });
    assert.equal((await verifier.find(key))?.isPostOnly, isPostOnly);
  }
});

test("a change without effect records no event, and no event contains a label", async (test) => {
  const { context, accountId, owner, verifier } = await room(test);
  const { apiKey } = await accountKey(context, accountId);
  const own = { by: OPERATOR, owner, keyId: apiKey.id };
  const change = (asked: KeyChange) => changeKey({ context, verifier }, { ...own, change: asked });
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

test("a look-up begun before a revocation does not cache the key again", async (test) => {
  const { context, accountId, owner, verifier } = await room(test);
  const { key, apiKey } = await accountKey(context, accountId);
  const before = verifier.find(key);
  verifier.forget(apiKey.id);
  await Promise.all([before, markRevoked(context, { by: OPERATOR, owner, keyId: apiKey.id })]);
  assert.equal(await verifier.find(key), null);
});

test("a revocation on another node takes effect after a minute, or once it is published", async (test) => {
  const { context, accountId, owner, verifier } = await room(test);
  const { key, apiKey } = await accountKey(context, accountId);
  await verifier.find(key);
  await markRevoked(context, { by: OPERATOR, owner, keyId: apiKey.id });
  assert.notEqual(await verifier.find(key), null);
  verifier.forget(apiKey.id);
  assert.equal(await verifier.find(key), null);
});

test("forgetTeam ends a team's keys at once, and no other team's", async (test) => {
  const { context, accountId, verifier } = await room(test);
  const ended = await teamKey({ context, accountId });
  const other = await teamKey({ context, accountId });
  await Promise.all([verifier.find(ended.key), verifier.find(other.key)]);
  await context.database.atomically([revokeTeamKeysQuery(context, ended.teamId)]);
  verifier.forgetTeam(ended.teamId);
  assert.equal(await verifier.find(ended.key), null);
  assert.notEqual(await verifier.find(other.key), null);
});

test("of more than 10,000 keys the least recently used one is evicted", async (test) => {
  const { context, accountId, verifier } = await room(test);
  const request = { teamId: null, label: null, expiresAt: null, isPostOnly: false };
  const issued = Array.from({ length: 10_001 }, () => draftKey(context, request));
  for (let start = 0; start < issued.length; start += 500) {
    const some = issued.slice(start, start + 500);
    await context.database.atomically(
      some.map((one) => insertKeyQuery(context, { accountId, ...one })),
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

test("the last use is written a minute after the first, once for many uses", async (test) => {
  test.mock.timers.enable({ apis: ["setTimeout"] });
  const { context, accountId, owner, verifier } = await room(test);
  const { key, apiKey } = await accountKey(context, accountId);
  const lastUsedAt = async () => {
    // The write is requested before this read, and the database keeps the order.
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

test("stop writes the last uses", async (test) => {
  const { context, accountId, owner, verifier } = await room(test);
  // More than an account may have, so that they are written in two batches.
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
