import assert from "node:assert/strict";
import { OPERATOR } from "#audit/event.ts";
import { test, type TestContext } from "node:test";
import { insertAccount, createRoomContext } from "../../test/support/context.ts";
import { changeKey } from "./change.ts";
import { draftKey, issueKey } from "./issue.ts";
import { revokeKey } from "./revoke.ts";
import { rotateKey } from "./rotate.ts";
import { findKey, listKeys, replaceKey } from "./store/keys.ts";
import { KeyVerifier } from "./verify.ts";

const DAY_S = 86_400;

async function setUp(t: TestContext, { expiresInMs }: { expiresInMs?: number } = {}) {
  const context = await createRoomContext(t);
  const accountId = await insertAccount(context);
  const expiresAt = expiresInMs === undefined ? null : context.now() + expiresInMs;
  const oldKey = await issueKey(context, {
    actor: OPERATOR,
    accountId,
    teamId: null,
    label: "hook",
    expiresAt,
    isPostOnly: false,
  });
  const deps = { context, verifier: new KeyVerifier(context, { isListening: true }) };
  const ownedKey = { owners: { accountId, teamIds: [] }, keyId: oldKey.apiKey.id };
  return { ...deps, deps, oldKey, ownedKey };
}

test("both keys are valid until the overlap ends, then only the new one", async (t) => {
  const { context, verifier, deps, oldKey, ownedKey } = await setUp(t);
  await verifier.findPrincipal(oldKey.key);
  const issuedKey = await rotateKey(deps, { actor: OPERATOR, ...ownedKey, overlapSeconds: DAY_S });
  assert.ok(issuedKey);
  assert.equal(issuedKey.apiKey.label, "hook");
  assert.equal(issuedKey.apiKey.expiresAt, null);
  context.clock.advance(DAY_S * 1_000 - 1);
  assert.notEqual(await verifier.findPrincipal(oldKey.key), null);
  assert.notEqual(await verifier.findPrincipal(issuedKey.key), null);
  context.clock.advance(1);
  assert.equal(await verifier.findPrincipal(oldKey.key), null);
  assert.notEqual(await verifier.findPrincipal(issuedKey.key), null);
});

test("without an overlap the old key expires immediately, even if it is cached", async (t) => {
  const { verifier, deps, oldKey, ownedKey } = await setUp(t);
  await verifier.findPrincipal(oldKey.key);
  await rotateKey(deps, { actor: OPERATOR, ...ownedKey, overlapSeconds: 0 });
  assert.equal(await verifier.findPrincipal(oldKey.key), null);
});

test("the new key inherits the settings of the old one, even if they changed meanwhile", async (t) => {
  const { context, verifier, deps, oldKey, ownedKey } = await setUp(t);
  const draft = draftKey(context, oldKey.apiKey);
  const change = { isPostOnly: true, label: "door", channel: "nightly" };
  await changeKey(deps, { actor: OPERATOR, ...ownedKey, change });
  const rotation = { actor: OPERATOR, ...ownedKey, oldExpiresAt: context.now() + 1, newKey: draft };
  const replacedKey = await replaceKey(context, { ...rotation, limit: 400 });
  assert.deepEqual(replacedKey, { ...draft.apiKey, ...change });
  assert.equal((await verifier.findPrincipal(draft.key))?.isPostOnly, true);
  const nextKey = { owners: ownedKey.owners, keyId: draft.apiKey.id };
  const nextIssuedKey = await rotateKey(deps, { actor: OPERATOR, ...nextKey, overlapSeconds: 0 });
  assert.ok(nextIssuedKey);
  assert.equal(nextIssuedKey.apiKey.isPostOnly, true);
  assert.equal((await verifier.findPrincipal(nextIssuedKey.key))?.isPostOnly, true);
});

test("the new key inherits the expiry, and an overlap never extends the old key", async (t) => {
  const { context, deps, oldKey, ownedKey } = await setUp(t, { expiresInMs: 5_000 });
  const issuedKey = await rotateKey(deps, { actor: OPERATOR, ...ownedKey, overlapSeconds: DAY_S });
  assert.equal(issuedKey?.apiKey.expiresAt, oldKey.apiKey.expiresAt);
  const replacedKey = await findKey(context, ownedKey);
  assert.equal(replacedKey?.expiresAt, oldKey.apiKey.expiresAt);
});

test("a key can be rotated only once", async (t) => {
  const { deps, ownedKey } = await setUp(t);
  await rotateKey(deps, { actor: OPERATOR, ...ownedKey, overlapSeconds: DAY_S });
  await assert.rejects(rotateKey(deps, { actor: OPERATOR, ...ownedKey, overlapSeconds: DAY_S }), {
    code: "conflict",
  });
});

test("only one of many concurrent rotations succeeds", async (t) => {
  const { context, deps, ownedKey } = await setUp(t);
  const rotations = Array.from({ length: 5 }, () =>
    rotateKey(deps, { actor: OPERATOR, ...ownedKey, overlapSeconds: 0 }),
  );
  const results = await Promise.allSettled(rotations);
  assert.equal(results.filter(({ status }) => status === "fulfilled").length, 1);
  const keys = await listKeys(context, { owners: ownedKey.owners, after: null, limit: 10 });
  assert.equal(keys.length, 2);
});

test("an expired key cannot be rotated", async (t) => {
  const { context, deps, ownedKey } = await setUp(t, { expiresInMs: 5_000 });
  context.clock.advance(5_000);
  await assert.rejects(rotateKey(deps, { actor: OPERATOR, ...ownedKey, overlapSeconds: 0 }), {
    code: "conflict",
  });
});

test("a revoked key cannot be rotated", async (t) => {
  const { deps, ownedKey } = await setUp(t);
  await revokeKey(deps, { ...ownedKey, actor: OPERATOR });
  assert.equal(await rotateKey(deps, { actor: OPERATOR, ...ownedKey, overlapSeconds: 0 }), null);
});

test("rotations with an overlap stay within the limit of keys", async (t) => {
  const { context, oldKey, ownedKey } = await setUp(t);
  const rotation = { actor: OPERATOR, ...ownedKey, oldExpiresAt: context.now() + 1_000 };
  const newKey = draftKey(context, oldKey.apiKey);
  assert.equal(await replaceKey(context, { ...rotation, newKey, limit: 1 }), "full");
  assert.deepEqual(await findKey(context, ownedKey), oldKey.apiKey);
  const replacedKey = await replaceKey(context, { ...rotation, newKey, limit: 2 });
  assert.deepEqual(replacedKey, newKey.apiKey);
});

test("another owner's key cannot be rotated", async (t) => {
  const { context, oldKey, ownedKey } = await setUp(t);
  const bobId = await insertAccount(context, { email: "bob@example.org" });
  const othersKey = { ...ownedKey, owners: { accountId: bobId, teamIds: [] } };
  const newKey = draftKey(context, oldKey.apiKey);
  assert.equal(
    await replaceKey(context, {
      actor: OPERATOR,
      ...othersKey,
      oldExpiresAt: 0,
      newKey,
      limit: 400,
    }),
    null,
  );
  assert.deepEqual(await findKey(context, ownedKey), oldKey.apiKey);
});
