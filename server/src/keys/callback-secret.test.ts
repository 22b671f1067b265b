import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { Context } from "#context.ts";
import { findSecrets, hasSecret } from "#callbacks/store/secrets.ts";
import { insertCallbackQuery } from "#callbacks/store/outbox.ts";
import { insertAccount, createRoomContext } from "../../test/support/context.ts";
import type { Actor } from "#audit/event.ts";
import { issueKey } from "./issue.ts";
import { revokeKey } from "./revoke.ts";
import { rotateKey } from "./rotate.ts";
import { createCallbackSecret } from "./store/callback-secrets.ts";
import { listKeys } from "./store/keys.ts";
import {
  eraseAccountKeysQueries,
  revokeAccountKeysQueries,
  revokeTeamKeysQueries,
} from "./store/revocation.ts";
import { KeyVerifier } from "./verify.ts";

const ACTOR: Actor = {
  kind: "session",
  accountId: null,
  credentialId: null,
  address: null,
  userAgent: null,
};

/** Stores an account and a team, and returns functions to work on their keys. */
async function setUp(t: TestContext) {
  const context = await createRoomContext(t);
  const accountId = await insertAccount(context, { email: "ann@example.org" });
  const owners = { accountId, teamIds: ["team"] };
  const team = { id: "team", name: "Ops", created_at: context.now() };
  await context.database.db.insertInto("team").values(team).execute();
  const deps = { context, verifier: new KeyVerifier(context, { isListening: true }) };
  const issue = async (teamId: string | null = null) => {
    const request = { accountId, actor: ACTOR, label: null, expiresAt: null, isPostOnly: false };
    return (await issueKey(context, { ...request, teamId })).apiKey.id;
  };
  const createSecret = (keyId: string) =>
    createCallbackSecret(context, { owners, keyId, actor: ACTOR });
  const rotate = async (keyId: string) => {
    const newKey = await rotateKey(deps, { owners, keyId, actor: ACTOR, overlapSeconds: 60 });
    assert.ok(newKey !== null);
    return newKey.apiKey;
  };
  const revoke = (keyId: string) => revokeKey(deps, { owners, keyId, actor: ACTOR });
  const list = async () => {
    const keys = await listKeys(context, { owners, after: null, limit: 100 });
    return keys.map(({ id, hasCallbackSecret }) => [id, hasCallbackSecret]);
  };
  return { context, accountId, issue, createSecret, rotate, revoke, list };
}

/** Stores a pending and a failed callback of a source. */
async function storeCallbacks(context: Context, sourceId: string): Promise<void> {
  const callback = { sourceId, event: "incident.resolved", url: "https://a.org/" } as const;
  const inserts = ["pending", "failed"].map((subjectId) =>
    insertCallbackQuery(context, { ...callback, subjectId, payload: {} }),
  );
  await context.database.atomically(inserts);
  await context.database.db
    .updateTable("callback")
    .set({ run_at: null, failed_at: context.now() })
    .where("subject_id", "=", "failed")
    .execute();
}

async function listSubjects({ database: { db } }: Context): Promise<readonly string[]> {
  const rows = await db.selectFrom("callback").select("subject_id").execute();
  return rows.map(({ subject_id }) => subject_id).toSorted();
}

test("the keys of a rotation chain share a callback secret, and the list says so", async (t) => {
  const { context, issue, createSecret, rotate, list } = await setUp(t);
  const first = await issue();
  const other = await issue();
  assert.equal(await createSecret("unknown"), null);
  const secret = await createSecret(first);
  const second = await rotate(first);
  const third = await rotate(second.id);
  assert.deepEqual([second.hasCallbackSecret, third.hasCallbackSecret], [true, true]);
  assert.deepEqual(await list(), [
    [first, true],
    [other, false],
    [second.id, true],
    [third.id, true],
  ]);
  const newSecret = await createSecret(third.id);
  const { secrets } = await findSecrets(context, first);
  assert.deepEqual(secrets, [newSecret, secret]);
});

test("the secrets and pending callbacks of a rotation chain end with its last key", async (t) => {
  const { context, issue, createSecret, rotate, revoke } = await setUp(t);
  const first = await issue();
  const other = await issue();
  await createSecret(first);
  await createSecret(other);
  await storeCallbacks(context, first);
  const { id: second } = await rotate(first);
  assert.equal(await revoke(first), true);
  assert.equal(await hasSecret(context, first), true);
  assert.deepEqual(await listSubjects(context), ["failed", "pending"]);
  assert.equal(await revoke(second), true);
  assert.equal(await hasSecret(context, first), false);
  assert.deepEqual(await listSubjects(context), ["failed"]);
  assert.equal(await createSecret(second), null);
  assert.equal(await hasSecret(context, other), true);
});

test("no secret is left after the last two keys of a chain are revoked concurrently", async (t) => {
  const { context, issue, createSecret, rotate, revoke } = await setUp(t);
  for (let round = 0; round < 5; round += 1) {
    const first = await issue();
    await createSecret(first);
    const { id: second } = await rotate(first);
    assert.deepEqual(await Promise.all([revoke(first), revoke(second)]), [true, true]);
    assert.equal(await hasSecret(context, first), false);
  }
});

test("a deleted team or account keeps no callbacks, and a reclaimed account only failed ones", async (t) => {
  const { context, accountId, issue, createSecret } = await setUp(t);
  const { database } = context;
  for (const { teamId, queries, remaining } of [
    { teamId: "team", queries: revokeTeamKeysQueries(context, "team"), remaining: [] },
    { teamId: null, queries: eraseAccountKeysQueries(context, accountId), remaining: [] },
    { teamId: null, queries: revokeAccountKeysQueries(context, accountId), remaining: ["failed"] },
  ]) {
    const keyId = await issue(teamId);
    await createSecret(keyId);
    await storeCallbacks(context, keyId);
    await database.atomically(queries);
    assert.equal(await hasSecret(context, keyId), false);
    assert.deepEqual(await listSubjects(context), remaining);
  }
});
