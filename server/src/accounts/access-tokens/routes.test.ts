import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { startAccountsServer } from "../../../test/support/accounts-server.ts";
import { createRoomContext } from "../../../test/support/context.ts";
import { ACCESS_TOKENS_MAX } from "./issue.ts";
import { createAccount } from "../create-account.ts";

const ANN = { email: "ann@example.org", password: "correct horse", name: "Ann", isAdmin: false };
const BEN = { ...ANN, email: "ben@example.org", name: "Ben" };

test("an access token signs in until it is removed", async (t) => {
  const { context, server } = await setUp(t);
  const client = server.createClient();
  await client.signIn(ANN);
  const { id, token } = await client.accessTokens.create({ label: " Ann's\nphone " });
  assert.match(token, /^tat_[\w-]{27}$/);
  assert.deepEqual(await server.createClient(token).me(), await client.me());

  const createdAt = new Date(context.now()).toISOString();
  const { items, nextCursor } = await client.accessTokens.list();
  assert.deepEqual(items, [{ id, label: "Ann's phone", createdAt, lastUsedAt: createdAt }]);
  assert.equal(nextCursor, null);
  const { db } = context.database;
  const storedTokens = await db.selectFrom("access_token").selectAll().execute();
  assert.ok(!JSON.stringify(storedTokens).includes(token.slice("tat_".length)));

  await client.accessTokens.remove(id);
  await assert.rejects(server.createClient(token).me(), { status: 401, code: "unauthenticated" });
  assert.deepEqual((await client.accessTokens.list()).items, []);
  await assert.rejects(client.accessTokens.remove(id), { status: 404, code: "not_found" });
});

test("an account has at most 100 valid access tokens", async (t) => {
  const { context, server } = await setUp(t);
  const client = server.createClient();
  await client.signIn(ANN);
  const { id } = await client.accessTokens.create({ label: "phone" });
  const { db } = context.database;
  const row = await db
    .selectFrom("access_token")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  const copies = Array.from({ length: ACCESS_TOKENS_MAX - 1 }, () => ({
    ...row,
    id: context.newId(),
    token_hash: context.newId(),
  }));
  await db.insertInto("access_token").values(copies).execute();
  const refusal = { status: 409, code: "conflict" };
  await assert.rejects(client.accessTokens.create({ label: "one more" }), refusal);
  await client.accessTokens.remove(id);
  await client.accessTokens.create({ label: "one more" });
});

test("a paired browser needs the password to create an access token", async (t) => {
  const { server } = await setUp(t);
  const ann = server.createClient();
  await ann.signIn(ANN);
  const pairedClient = server.createClient();
  await pairedClient.pair({ code: (await ann.pairings.create()).code });
  const label = "more";
  await assert.rejects(pairedClient.accessTokens.create({ label }), {
    status: 403,
    code: "password_required",
  });
  await assert.rejects(pairedClient.accessTokens.create({ label, password: "wrong horse" }), {
    code: "invalid_field",
    field: "password",
  });
  await pairedClient.accessTokens.create({ label, password: ANN.password });
  const { token } = await ann.accessTokens.create({ label });
  await server.createClient(token).accessTokens.create({ label });
  assert.equal((await ann.accessTokens.list()).items.length, 3);
});

test("an invalid access token is refused", async (t) => {
  const { server } = await setUp(t);
  for (const token of ["tat_", `tat_${"x".repeat(27)}`, "x", `tat_${"x".repeat(9_000)}`]) {
    await assert.rejects(server.createClient(token).me(), { status: 401, code: "unauthenticated" });
  }
});

test("the time of last use is written at most once a minute", async (t) => {
  const { context, server } = await setUp(t);
  const client = server.createClient();
  await client.signIn(ANN);
  const { token } = await client.accessTokens.create({ label: "phone" });
  const readLastUsedAt = async () => {
    await server.createClient(token).me();
    const [item] = (await client.accessTokens.list()).items;
    return Date.parse(item?.lastUsedAt ?? "");
  };
  const firstUsedAt = await readLastUsedAt();
  assert.equal(firstUsedAt, context.now());
  context.clock.advance(59_999);
  assert.equal(await readLastUsedAt(), firstUsedAt);
  context.clock.advance(1);
  assert.equal(await readLastUsedAt(), firstUsedAt + 60_000);
});

test("another account's access token cannot be listed or removed", async (t) => {
  const { server } = await setUp(t);
  const ann = server.createClient();
  await ann.signIn(ANN);
  const ben = server.createClient();
  await ben.signIn(BEN);
  const { id, token } = await ann.accessTokens.create({ label: "phone" });
  assert.deepEqual((await ben.accessTokens.list()).items, []);
  await assert.rejects(ben.accessTokens.remove(id), { status: 404 });
  assert.equal((await server.createClient(token).me()).email, ANN.email);
});

test("access tokens are listed newest first, and paginated", async (t) => {
  const { server } = await setUp(t);
  const client = server.createClient();
  await client.signIn(ANN);
  for (const label of ["first", "second", "third"]) await client.accessTokens.create({ label });
  const firstPage = await client.accessTokens.list({ limit: 2 });
  assert.deepEqual(
    firstPage.items.map(({ label }) => label),
    ["third", "second"],
  );
  const lastPage = await client.accessTokens.list({ limit: 2, cursor: firstPage.nextCursor ?? "" });
  assert.deepEqual(
    lastPage.items.map(({ label }) => label),
    ["first"],
  );
  assert.equal(lastPage.nextCursor, null);
});

test("an access token needs a label", async (t) => {
  const { server } = await setUp(t);
  const client = server.createClient();
  await client.signIn(ANN);
  const refusal = { code: "invalid_field", field: "label" };
  await assert.rejects(client.accessTokens.create({ label: " " }), refusal);
});

async function setUp(t: TestContext) {
  const context = await createRoomContext(t);
  await createAccount(context, ANN);
  await createAccount(context, BEN);
  return { context, server: await startAccountsServer(t, context, { signUp: "closed" }) };
}
