import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { OPERATOR } from "#audit/event.ts";
import { nameFirstKeys, shareMemories } from "#database/migrations/0030-first-keys.ts";
import { hashToken } from "#token.ts";
import { ON_POSTGRES } from "../../test/support/database.ts";
import { insertAccount, testContext } from "../../test/support/room.ts";
import { issueKey } from "./issue.ts";
import { rotateKey } from "./rotate.ts";
import { rowOf } from "./store/rows.ts";
import { findPrincipal } from "./store/use.ts";
import { KeyVerifier } from "./verify.ts";

const ROTATIONS = 3;

/** Creates a chain of keys, each a rotation of the one before, first one first; and an unrelated key. */
async function chain(test: TestContext) {
  const context = await testContext(test);
  const accountId = await insertAccount(context);
  const request = { accountId, teamId: null, label: null, expiresAt: null, isPostOnly: false };
  const beside = await issueKey(context, { ...request, by: OPERATOR });
  const keys = [await issueKey(context, { ...request, by: OPERATOR })];
  const deps = { context, verifier: new KeyVerifier(context, { isListening: true }) };
  for (let count = 0; count < ROTATIONS; count += 1) {
    const keyId = keys.at(-1)?.apiKey.id ?? "";
    const owner = { accountId, teamIds: [] };
    const next = await rotateKey(deps, { by: OPERATOR, owner, keyId, overlapSeconds: 60 });
    if (next !== null) keys.push(next);
  }
  const firstIds = async () =>
    Promise.all(
      [...keys, beside].map(async ({ key }) => {
        const found = await findPrincipal(context, hashToken(key));
        return found?.principal.firstKeyId;
      }),
    );
  const first = keys[0]?.apiKey.id ?? "";
  const expected = [...keys.map(() => first), beside.apiKey.id];
  return { context, accountId, keys, first, firstIds, expected };
}

test("every key of a chain of rotations knows the first one", async (t) => {
  const { firstIds, expected } = await chain(t);
  assert.deepEqual(await firstIds(), expected);
});

test("chains made by an earlier version are followed to their first key, and share its idempotency keys", async (t) => {
  const { context, keys, first, firstIds, expected } = await chain(t);
  const { db } = context.database;
  await db.updateTable("api_key").set({ first_key_id: null }).execute();
  const remembered = keys.map(({ apiKey }, index) => ({
    key_id: apiKey.id,
    key_hash: index === 0 ? "of the first" : "of later ones",
    content_hash: "content",
    notification_id: `notification ${index}`,
    created_at: context.now() + index,
  }));
  await db.insertInto("idempotency").values(remembered.toReversed()).execute();
  await nameFirstKeys(db);
  await shareMemories(db);
  assert.deepEqual(await firstIds(), expected);
  const rows = await db
    .selectFrom("idempotency")
    .select(["key_hash", "notification_id"])
    .where("key_id", "=", first)
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
  "a rotation by a node of an earlier version names the first key too",
  ON_POSTGRES,
  async (t) => {
    const { context, accountId, keys, first } = await chain(t);
    const { db } = context.database;
    const last = keys.at(-1);
    assert.ok(last !== undefined);
    const next = {
      key: "a key that an earlier version made",
      apiKey: { ...last.apiKey, id: "next" },
    };
    const { first_key_id: _unknown, ...row } = rowOf({ accountId, ...next });
    const replaced = { replaced_by: next.apiKey.id };
    await db.updateTable("api_key").set(replaced).where("id", "=", last.apiKey.id).execute();
    await db.insertInto("api_key").values(row).execute();
    const found = await findPrincipal(context, hashToken(next.key));
    assert.equal(found?.principal.firstKeyId, first);
  },
);
