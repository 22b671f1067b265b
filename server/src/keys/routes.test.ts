import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { createClient } from "@tocsin/sdk";
import { authenticateByAccountId, fetchComparableResponse } from "../../test/support/bearer.ts";
import { insertAccount, startTestServer, createRoomContext } from "../../test/support/context.ts";
import { KEYS_MAX } from "./issue.ts";
import { registerKeyRoutes } from "./routes.ts";
import { KeyVerifier } from "./verify.ts";

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Ann manages the team. Bob does not. */
async function setUp(t: TestContext) {
  const context = await createRoomContext(t);
  const annId = await insertAccount(context, { email: "ann@example.org" });
  const bobId = await insertAccount(context, { email: "bob@example.org" });
  const teamId = context.newId();
  await context.database.db
    .insertInto("team")
    .values({ id: teamId, name: "Night shift", created_at: context.now() })
    .execute();
  const verifier = new KeyVerifier(context, { isListening: true });
  const baseUrl = await startTestServer(t, context, (server) =>
    registerKeyRoutes(server, {
      context,
      authenticate: authenticateByAccountId,
      verifier,
      dialects: [],
      ntfyUpstream: null,
      isManager: async (input) => input.accountId === annId && input.teamId === teamId,
      listManagedTeamIds: async (accountId) => (accountId === annId ? [teamId] : []),
    }),
  );
  const client = (accessToken: string) => createClient({ baseUrl, accessToken });
  return { context, baseUrl, ann: client(annId), bob: client(bobId), bobId, teamId, verifier };
}

test("accounts and teams have at most 200 valid keys each", async (t) => {
  const { ann, context, teamId } = await setUp(t);
  for (const owner of [{ kind: "account" } as const, { kind: "team", teamId } as const]) {
    const { id } = await ann.keys.create(owner);
    const { db } = context.database;
    const row = await db
      .selectFrom("api_key")
      .selectAll()
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    const createCopies = (count: number) =>
      Array.from({ length: count }, () => ({
        ...row,
        id: context.newId(),
        key_hash: context.newId(),
      }));
    // Expired and revoked keys do not count.
    await db
      .insertInto("api_key")
      .values(createCopies(50).map((key) => ({ ...key, expires_at: context.now() })))
      .execute();
    await db
      .insertInto("api_key")
      .values(createCopies(KEYS_MAX - 2))
      .execute();
    await ann.keys.create(owner);
    await assert.rejects(ann.keys.create(owner), { status: 409, code: "conflict" });
    await ann.keys.remove(id);
    await ann.keys.create(owner);
  }
});

test("a new key is shown once, and listed with only its hint", async (t) => {
  const { ann, verifier, context } = await setUp(t);
  const { key, ...apiKey } = await ann.keys.create({ kind: "account", label: "cron" });
  assert.match(key, UUID_V4);
  assert.deepEqual(apiKey, {
    id: apiKey.id,
    kind: "account",
    teamId: null,
    label: "cron",
    hint: key.slice(-4),
    createdAt: new Date(context.now()).toISOString(),
    lastUsedAt: null,
    expiresAt: null,
    replacedBy: null,
    postOnly: false,
    escalationPolicyId: null,
    hasCallbackSecret: false,
    dialect: null,
    channel: null,
    userKey: null,
  });
  assert.deepEqual((await ann.keys.list()).items, [apiKey]);
  assert.equal((await verifier.findPrincipal(key))?.keyId, apiKey.id);
});

test("the database stores no key in plain text", async (t) => {
  const { ann, context } = await setUp(t);
  const { key } = await ann.keys.create({ kind: "account" });
  const rows = await context.database.db.selectFrom("api_key").selectAll().execute();
  assert.equal(JSON.stringify(rows).includes(key), false);
});

test("a key expires at the time that its creator set", async (t) => {
  const { ann, verifier, context } = await setUp(t);
  const expiresAt = new Date(context.now() + 1_000).toISOString();
  const { key, ...apiKey } = await ann.keys.create({ kind: "account", expiresAt });
  assert.equal(apiKey.expiresAt, expiresAt);
  context.clock.advance(1_000);
  assert.equal(await verifier.findPrincipal(key), null);
  assert.equal((await ann.keys.list()).items.length, 1);
});

test("a team manager creates, lists, rotates and revokes the team's keys", async (t) => {
  const { ann, teamId, verifier } = await setUp(t);
  const first = await ann.keys.create({ kind: "team", teamId });
  assert.equal(first.teamId, teamId);
  const second = await ann.keys.rotate(first.id, { overlapSeconds: 0 });
  assert.equal(second.teamId, teamId);
  assert.equal(await verifier.findTeamId(first.key), null);
  assert.equal(await verifier.findTeamId(second.key), teamId);
  await ann.keys.remove(first.id);
  await ann.keys.remove(second.id);
  assert.equal(await verifier.findTeamId(second.key), null);
  assert.deepEqual((await ann.keys.list()).items, []);
});

test("a team's keys look missing to accounts that do not manage the team", async (t) => {
  const { ann, bob, bobId, baseUrl, teamId, context } = await setUp(t);
  const { id } = await ann.keys.create({ kind: "team", teamId });
  assert.deepEqual((await bob.keys.list()).items, []);
  const request = (path: string, method: string, body?: unknown) =>
    fetchComparableResponse(`${baseUrl}/api/app/v1/keys${path}`, { bearer: bobId, method, body });
  const missingKeyId = context.newId();
  for (const [path, method] of [
    ["", "DELETE"],
    ["/rotate", "POST"],
    ["", "PATCH"],
  ] as const) {
    const body = method === "PATCH" ? { postOnly: true } : undefined;
    const hiddenResponse = await request(`/${id}${path}`, method, body);
    assert.equal(hiddenResponse.status, 404);
    assert.deepEqual(hiddenResponse, await request(`/${missingKeyId}${path}`, method, body));
  }
  const hiddenResponse = await request("", "POST", { kind: "team", teamId });
  assert.equal(hiddenResponse.status, 404);
  assert.deepEqual(
    hiddenResponse,
    await request("", "POST", { kind: "team", teamId: missingKeyId }),
  );
  assert.equal((await ann.keys.list()).items.length, 1);
});

test("another account's key looks missing", async (t) => {
  const { ann, bob, bobId, baseUrl, verifier, context } = await setUp(t);
  const { id, key } = await ann.keys.create({ kind: "account" });
  assert.deepEqual((await bob.keys.list()).items, []);
  for (const [path, method] of [
    ["", "DELETE"],
    ["/rotate", "POST"],
    ["", "PATCH"],
  ] as const) {
    const request = (keyId: string) =>
      fetchComparableResponse(`${baseUrl}/api/app/v1/keys/${keyId}${path}`, {
        bearer: bobId,
        method,
        body: method === "PATCH" ? { postOnly: true } : undefined,
      });
    const hiddenResponse = await request(id);
    assert.equal(hiddenResponse.status, 404);
    assert.deepEqual(hiddenResponse, await request(context.newId()));
  }
  assert.equal((await verifier.findPrincipal(key))?.isPostOnly, false);
});

test("the label and the POST-only setting of a key can be changed, and each response shows them", async (t) => {
  const { ann, teamId, verifier } = await setUp(t);
  const { key, ...apiKey } = await ann.keys.create({ kind: "account", postOnly: true });
  assert.equal(apiKey.postOnly, true);
  assert.deepEqual((await ann.keys.list()).items, [apiKey]);
  const afterRename = await ann.keys.update(apiKey.id, { label: " door " });
  assert.deepEqual(afterRename, { ...apiKey, label: "door" });
  const afterSwitch = await ann.keys.update(apiKey.id, { postOnly: false });
  assert.deepEqual(afterSwitch, { ...apiKey, label: "door", postOnly: false });
  assert.equal((await verifier.findPrincipal(key))?.isPostOnly, false);
  assert.equal((await ann.keys.update(apiKey.id, { label: null })).label, null);
  const team = await ann.keys.create({ kind: "team", teamId });
  assert.equal((await ann.keys.update(team.id, { postOnly: true })).postOnly, true);
  assert.equal((await verifier.findPrincipal(team.key))?.isPostOnly, true);
  assert.equal((await ann.keys.rotate(team.id)).postOnly, true);
  await ann.keys.remove(team.id);
  await assert.rejects(ann.keys.update(team.id, { postOnly: false }), { code: "not_found" });
});

test("an account that no longer manages a team does not see the keys that it created for the team", async (t) => {
  const { context, teamId, bob, bobId } = await setUp(t);
  await context.database.db
    .insertInto("api_key")
    .values({
      id: context.newId(),
      kind: "team",
      account_id: bobId,
      team_id: teamId,
      label: null,
      key_hash: "hash",
      hint: "hint",
      created_at: 0,
      last_used_at: null,
      expires_at: null,
      revoked_at: null,
      replaced_by: null,
    })
    .execute();
  assert.deepEqual((await bob.keys.list()).items, []);
});

test("a rotation has an overlap of one day by default", async (t) => {
  const { ann, context } = await setUp(t);
  const { id } = await ann.keys.create({ kind: "account", label: "cron" });
  const { label } = await ann.keys.rotate(id);
  assert.equal(label, "cron");
  const [old] = (await ann.keys.list()).items;
  assert.equal(old?.expiresAt, new Date(context.now() + 86_400_000).toISOString());
});

test("a rotation needs no body", async (t) => {
  const { bob, bobId, baseUrl } = await setUp(t);
  const { id } = await bob.keys.create({ kind: "account" });
  const url = `${baseUrl}/api/app/v1/keys/${id}/rotate`;
  assert.equal((await fetchComparableResponse(url, { bearer: bobId, method: "POST" })).status, 201);
});

test("an error about invalid input names the field", async (t) => {
  const { ann, bobId, baseUrl } = await setUp(t);
  const { id } = await ann.keys.create({ kind: "account" });
  const invalidFieldError = { code: "invalid_field", status: 400 };
  const label = "x".repeat(81);
  await assert.rejects(ann.keys.create({ kind: "account", label }), {
    ...invalidFieldError,
    field: "label",
  });
  await assert.rejects(ann.keys.update(id, { label }), { ...invalidFieldError, field: "label" });
  const expiresAt = "2020-01-01T00:00:00Z";
  await assert.rejects(ann.keys.create({ kind: "account", expiresAt }), {
    ...invalidFieldError,
    field: "expiresAt",
  });
  for (const overlapSeconds of [-1, 2_592_001, 0.5]) {
    await assert.rejects(ann.keys.rotate(id, { overlapSeconds }), {
      ...invalidFieldError,
      field: "overlapSeconds",
    });
  }
  for (const [body, field] of [
    [{ kind: "team" }, "teamId"],
    [{ kind: "robot" }, "kind"],
    [{}, "kind"],
  ] as const) {
    const url = `${baseUrl}/api/app/v1/keys`;
    const { status, text } = await fetchComparableResponse(url, {
      bearer: bobId,
      method: "POST",
      body,
    });
    assert.equal(status, 400);
    assert.match(text, new RegExp(`"field":"${field}"`));
  }
});

test("the list of keys is paginated", async (t) => {
  const { ann } = await setUp(t);
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1) {
    ids.push((await ann.keys.create({ kind: "account" })).id);
  }
  const first = await ann.keys.list({ limit: 2 });
  assert.ok(first.nextCursor);
  const last = await ann.keys.list({ limit: 2, cursor: first.nextCursor });
  assert.equal(last.nextCursor, null);
  assert.deepEqual(
    [...first.items, ...last.items].map(({ id }) => id),
    ids,
  );
});

test("a request without a session or access token is refused", async (t) => {
  const { baseUrl } = await setUp(t);
  await assert.rejects(createClient({ baseUrl }).keys.list(), { code: "unauthenticated" });
});

test("the list shows a use that is not stored yet", async (t) => {
  const { ann, context, verifier } = await setUp(t);
  const { id, key } = await ann.keys.create({ kind: "account" });
  const unused = await ann.keys.create({ kind: "account" });
  const usedAt = context.now();
  await verifier.findPrincipal(key);
  const { items } = await ann.keys.list();
  const lastUse = new Map(items.map((item) => [item.id, item.lastUsedAt]));
  assert.equal(lastUse.get(id), new Date(usedAt).toISOString());
  assert.equal(lastUse.get(unused.id), null);
});
