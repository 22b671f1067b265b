import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { OPERATOR } from "#audit/event.ts";
import {
  setFirstKeyIds,
  copyIdempotencyToFirstKeys,
} from "#database/migrations/0030-first-keys.ts";
import { hashToken } from "#token.ts";
import { ON_POSTGRES } from "../../test/support/database.ts";
import { insertAccount, createRoomContext } from "../../test/support/context.ts";
import { issueKey } from "./issue.ts";
import { rotateKey } from "./rotate.ts";
import { toRow } from "./store/rows.ts";
import { findUnrevokedKey } from "./store/find-by-hash.ts";
import { KeyVerifier } from "./verify.ts";

const ROTATION_COUNT = 3;

/** Creates a chain of rotated keys, oldest first, and an unrelated key. */
async function createKeyChain(t: TestContext) {
  const context = await createRoomContext(t);
  const accountId = await insertAccount(context);
  const keyInput = { accountId, teamId: null, label: null, expiresAt: null, isPostOnly: false };
  const unrelatedKey = await issueKey(context, { ...keyInput, actor: OPERATOR });
  const keys = [await issueKey(context, { ...keyInput, actor: OPERATOR })];
  const deps = { context, verifier: new KeyVerifier(context, { isListening: true }) };
  for (let rotation = 0; rotation < ROTATION_COUNT; rotation += 1) {
    const keyId = keys.at(-1)?.apiKey.id ?? "";
    const owners = { accountId, teamIds: [] };
    const nextKey = await rotateKey(deps, { actor: OPERATOR, owners, keyId, overlapSeconds: 60 });
    if (nextKey !== null) keys.push(nextKey);
  }
  const findFirstKeyIds = async () =>
    Promise.all(
      [...keys, unrelatedKey].map(async ({ key }) => {
        const foundKey = await findUnrevokedKey(context, hashToken(key));
        return foundKey?.principal.firstKeyId;
      }),
    );
  const firstKeyId = keys[0]?.apiKey.id ?? "";
  const expectedFirstKeyIds = [...keys.map(() => firstKeyId), unrelatedKey.apiKey.id];
  return { context, accountId, keys, firstKeyId, findFirstKeyIds, expectedFirstKeyIds };
}

test("every key of a rotation chain is found with the id of the first key", async (t) => {
  const { findFirstKeyIds, expectedFirstKeyIds } = await createKeyChain(t);
  assert.deepEqual(await findFirstKeyIds(), expectedFirstKeyIds);
});

test("the migration records first keys and copies the idempotency records of later keys to them", async (t) => {
  const { context, keys, firstKeyId, findFirstKeyIds, expectedFirstKeyIds } =
    await createKeyChain(t);
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
  await setFirstKeyIds(db);
  await copyIdempotencyToFirstKeys(db);
  assert.deepEqual(await findFirstKeyIds(), expectedFirstKeyIds);
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
  const allRows = await db.selectFrom("idempotency").select("key_id").execute();
  assert.equal(allRows.length, keys.length + 1);
});

test(
  "a rotation by a node of an earlier version also stores the id of the first key",
  ON_POSTGRES,
  async (t) => {
    const { context, accountId, keys, firstKeyId } = await createKeyChain(t);
    const { db } = context.database;
    const last = keys.at(-1);
    assert.ok(last !== undefined);
    const nextKey = {
      key: "a key created by an earlier version",
      apiKey: { ...last.apiKey, id: "next" },
    };
    const { first_key_id: _omitted, ...row } = toRow({ accountId, ...nextKey });
    const replacement = { replaced_by: nextKey.apiKey.id };
    await db.updateTable("api_key").set(replacement).where("id", "=", last.apiKey.id).execute();
    await db.insertInto("api_key").values(row).execute();
    const foundKey = await findUnrevokedKey(context, hashToken(nextKey.key));
    assert.equal(foundKey?.principal.firstKeyId, firstKeyId);
  },
);
