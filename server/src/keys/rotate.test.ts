import assert from "node:assert/strict";
import { OPERATOR } from "#audit/event.ts";
import { test, type TestContext } from "node:test";
import { insertAccount, testContext } from "../../test/support/room.ts";
import { changeKey } from "./change.ts";
import { draftKey, issueKey } from "./issue.ts";
import { revokeKey } from "./revoke.ts";
import { rotateKey } from "./rotate.ts";
import { findKey, listKeys, replaceKey } from "./store/keys.ts";
import { KeyVerifier } from "./verify.ts";

const DAY_S = 86_400;

async function room(test: TestContext, { expiresInMs }: { expiresInMs?: number } = {}) {
  const context = await testContext(test);
  const accountId = await insertAccount(context);
  const expiresAt = expiresInMs === undefined ? null : context.now() + expiresInMs;
  const old = await issueKey(context, {
    by: OPERATOR,
    accountId,
    teamId: null,
    label: "hook",
    expiresAt,
    isPostOnly: false,
  });
  const deps = { context, verifier: new KeyVerifier(context, { isListening: true }) };
  const own = { owner: { accountId, teamIds: [] }, keyId: old.apiKey.id };
  return { ...deps, deps, old, own };
}

test("both keys are valid until the overlap ends, then the new one alone", async (test) => {
  const { context, verifier, deps, old, own } = await room(test);
  await verifier.find(old.key);
  const issued = await rotateKey(deps, { by: OPERATOR, ...own, overlapSeconds: DAY_S });
  assert.ok(issued);
  assert.equal(issued.apiKey.label, "hook");
  assert.equal(issued.apiKey.expiresAt, null);
  context.clock.advance(DAY_S * 1_000 - 1);
  assert.notEqual(await verifier.find(old.key), null);
  assert.notEqual(await verifier.find(issued.key), null);
  context.clock.advance(1);
  assert.equal(await verifier.find(old.key), null);
  assert.notEqual(await verifier.find(issued.key), null);
});

test("without an overlap the old key expires at once, cached or not", async (test) => {
  const { verifier, deps, old, own } = await room(test);
  await verifier.find(old.key);
  await rotateKey(deps, { by: OPERATOR, ...own, overlapSeconds: 0 });
  assert.equal(await verifier.find(old.key), null);
});

test("the new key refuses GET as the old one does, even if that was switched meanwhile", async (test) => {
  const { context, verifier, deps, old, own } = await room(test);
  const drafted = draftKey(context, old.apiKey);
  const change = { isPostOnly: true, label: "door" };
  await changeKey(deps, { by: OPERATOR, ...own, change });
  const rotated = { by: OPERATOR, ...own, oldExpiresAt: context.now() + 1, issued: drafted };
  const replaced = await replaceKey(context, { ...rotated, most: 400 });
  assert.deepEqual(replaced, { ...drafted.apiKey, ...change });
  assert.equal((await verifier.find(drafted.key))?.isPostOnly, true);
  const next = { owner: own.owner, keyId: drafted.apiKey.id };
  const again = await rotateKey(deps, { by: OPERATOR, ...next, overlapSeconds: 0 });
  assert.ok(again);
  assert.equal(again.apiKey.isPostOnly, true);
  assert.equal((await verifier.find(again.key))?.isPostOnly, true);
});

test("the new key keeps the expiry, and an overlap never prolongs the old one", async (test) => {
  const { context, deps, old, own } = await room(test, { expiresInMs: 5_000 });
  const issued = await rotateKey(deps, { by: OPERATOR, ...own, overlapSeconds: DAY_S });
  assert.equal(issued?.apiKey.expiresAt, old.apiKey.expiresAt);
  const replaced = await findKey(context, own);
  assert.equal(replaced?.expiresAt, old.apiKey.expiresAt);
});

test("a key is rotated once: its successor does not inherit the end of the overlap", async (test) => {
  const { deps, own } = await room(test);
  await rotateKey(deps, { by: OPERATOR, ...own, overlapSeconds: DAY_S });
  await assert.rejects(rotateKey(deps, { by: OPERATOR, ...own, overlapSeconds: DAY_S }), {
    code: "conflict",
  });
});

test("of many concurrent rotations one succeeds", async (test) => {
  const { context, deps, own } = await room(test);
  const rotations = Array.from({ length: 5 }, () =>
    rotateKey(deps, { by: OPERATOR, ...own, overlapSeconds: 0 }),
  );
  const ends = await Promise.allSettled(rotations);
  assert.equal(ends.filter(({ status }) => status === "fulfilled").length, 1);
  const keys = await listKeys(context, { owner: own.owner, after: null, limit: 10 });
  assert.equal(keys.length, 2);
});

test("an expired key is not rotated into one that is expired from the start", async (test) => {
  const { context, deps, own } = await room(test, { expiresInMs: 5_000 });
  context.clock.advance(5_000);
  await assert.rejects(rotateKey(deps, { by: OPERATOR, ...own, overlapSeconds: 0 }), {
    code: "conflict",
  });
});

test("a revoked key cannot be rotated", async (test) => {
  const { deps, own } = await room(test);
  await revokeKey(deps, { ...own, by: OPERATOR });
  assert.equal(await rotateKey(deps, { by: OPERATOR, ...own, overlapSeconds: 0 }), null);
});

test("repeated rotations with overlaps stay within the limit of keys", async (test) => {
  const { context, old, own } = await room(test);
  const rotated = { by: OPERATOR, ...own, oldExpiresAt: context.now() + 1_000 };
  const issued = draftKey(context, old.apiKey);
  assert.equal(await replaceKey(context, { ...rotated, issued, most: 1 }), "full");
  assert.deepEqual(await findKey(context, own), old.apiKey);
  const replaced = await replaceKey(context, { ...rotated, issued, most: 2 });
  assert.deepEqual(replaced, issued.apiKey);
});

test("nobody rotates another owner's key", async (test) => {
  const { context, old, own } = await room(test);
  const bob = await insertAccount(context, { email: "bob@example.org" });
  const foreign = { ...own, owner: { accountId: bob, teamIds: [] } };
  const issued = draftKey(context, old.apiKey);
  assert.equal(
    await replaceKey(context, { by: OPERATOR, ...foreign, oldExpiresAt: 0, issued, most: 400 }),
    null,
  );
  assert.deepEqual(await findKey(context, own), old.apiKey);
});
