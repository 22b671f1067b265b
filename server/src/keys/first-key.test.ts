import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { OPERATOR } from "#audit/event.ts";
import { nameFirstKeys, shareMemories } from "#database/migrations/0030-first-keys.ts";
import { hashToken } from "#token.ts";
import { ON_POSTGRES } from "../../test/support/database.ts";
import { insertAccount, testContext } from "../../test/support/room.ts";
import { issueKey } from "./issue.ts";
import { rotateKey } from "./rotate.ts";
import { toRow } from "./store/rows.ts";
import { findPrincipal } from "./store/use.ts";
import { KeyVerifier } from "./verify.ts";

const ROTATIONS = 3;

/** Creates a chain of rotated keys, oldest first, and an unrelated key. */
async function createKeyChain(test: TestContext) {
  const context = await testContext(test);
  const accountId = await insertAccount(context);
  const request = { accountId, teamId: null, label: null, expiresAt: null, isPostOnly: false };
  const unrelated = await issueKey(context, { ...request, actor: OPERATOR });
  const keys = [await issueKey(context, { ...request, actor: OPERATOR })];
  const deps = { context, verifier: new KeyVerifier(context, { isListening: true }) };
  for (let count = 0; count < ROTATIONS; count += 1) {
    const keyId = keys.at(-1)?.apiKey.id ?? "";
    const owner = { accountId, teamIds: [] };
    const next = await rotateKey(deps, { actor: OPERATOR, owner, keyId, overlapSeconds: 60 });
    if (next !== null) keys.push(next);
  }
  const firstIds = async () =>
    Promise.all(
      [...keys, unrelated].map(async ({ key }) => {
        const principalAndExpiry = await findPrincipal(context, hashToken(key));
        return principalAndExpiry?.principal.firstKeyId;
      }),
    );
  const firstKeyId = keys[0]?.apiKey.id ?? "";
  const expected = [...keys.map(() => firstKeyId), unrelated.apiKey.id];
  return { context, accountId, keys, firstKeyId, firstIds, expected };
}

test("every key of a rotation chain stores the first key of the chain", async (t) => {
  const { firstIds, expected } = await createKeyChain(t);
  assert.deepEqual(await firstIds(), expected);
});

test("migrated rotation chains share the idempotency keys of their first key", async (t) => {
  const { context, keys, firstKeyId, firstIds, expected } = await createKeyChain(t);
  const { db } = context.database;
  await db.updateTable("api_key").set({ first_key_id: null }).execute();
  const idempotencyRows = keys.map(({ apiKey }, index) => ({
    key_id: apiKey.id,
    key_hash: index === 0 ? "of the first" : "of later ones",
    content_hash: "content",
    notification_id: `notification ${index}`,
    created_at: context.now() + index,
  }));
  await db.insertInto("idempotency").values(idempotencyRows.toReversed()).execute();
  await nameFirstKeys(db);
  await shareMemories(db);
  assert.deepEqual(await firstIds(), expected);
  const rows = await db
    .selectFrom("idempotency")
    .select(["key_hash", "notification_id"])
    .where("key_id", "=", firstKeyId)
    .orderBy("key_hash")
    .execute();
  assert.deepEqual(rows, [
    { key_hash: "of later ones", notification_id: "notification 1" },
    { key_hash: "of the first", notification_id: "notification 0" },
  ]);
  const all = await db.selectFrom("idempotency").select("key_id").execute();
  assert.equal(all.length, keys.length + 1);
});

test(
  "a rotation by a node of an earlier version also stores the first key",
  ON_POSTGRES,
  async (t) => {
    const { context, accountId, keys, firstKeyId } = await createKeyChain(t);
    const { db } = context.database;
    const last = keys.at(-1);
    assert.ok(last !== undefined);
    const next = {
      key: "a key created by an earlier version",
      apiKey: { ...last.apiKey, id: "next" },
    };
    const { first_key_id: _unknown, ...row } = toRow({ accountId, ...next });
    const replacement = { replaced_by: next.apiKey.id };
    await db.updateTable("api_key").set(replacement).where("id", "=", last.apiKey.id).execute();
    await db.insertInto("api_key").values(row).execute();
    const principalAndExpiry = await findPrincipal(context, hashToken(next.key));
    assert.equal(principalAndExpiry?.principal.firstKeyId, firstKeyId);
  },
);
