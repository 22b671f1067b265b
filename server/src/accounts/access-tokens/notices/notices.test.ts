import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { NOTICE_INTERVAL_MS } from "#mail/store/held-mails.ts";
import { startAccountsServer } from "../../../../test/support/accounts-server.ts";
import { createRoomContext } from "../../../../test/support/context.ts";
import { createAccount } from "../../create-account.ts";

const ANN = { email: "ann@example.org", password: "correct horse", name: "Ann", isAdmin: false };

async function setUp(t: TestContext, { sendsMail = true } = {}) {
  const context = await createRoomContext(t);
  const accountId = await createAccount(context, ANN);
  const server = await startAccountsServer(t, context, { sendsMail });
  const client = server.createClient();
  await client.signIn(ANN);
  const createToken = async (label: string) => (await client.accessTokens.create({ label })).token;
  const listTokenNotices = async () =>
    (await server.listMails()).filter(({ purpose }) => purpose === "token_notice");
  return { context, accountId, client, createToken, listTokenNotices };
}

test("an email about a new access token contains its label, but not the token itself", async (t) => {
  const { createToken, listTokenNotices } = await setUp(t);
  const token = await createToken("Command line. See https://evil.test/x");
  const [mail, ...more] = await listTokenNotices();
  assert.deepEqual([mail?.to, mail?.link, more], [ANN.email, `${BASE_URL}/settings/access`, []]);
  const { text = "" } = mail ?? {};
  assert.match(text, /^ {2}Command line See https evil test x, on 2026-01-01 at 00:00 UTC$/m);
  assert.ok(!text.includes(token) && !text.includes("evil.test"));
});

test("tokens that follow the first one shortly share one email", async (t) => {
  const { context, client, createToken, listTokenNotices } = await setUp(t);
  for (const label of ["first", "second", "third"]) await createToken(label);
  const { items } = await client.accessTokens.list();
  // A revoked token is listed too, because an attacker could revoke it to hide it.
  await client.accessTokens.remove(items[0]?.id ?? "");
  await createToken("fourth");
  const [, combinedMail, ...more] = await listTokenNotices();
  assert.deepEqual(more, []);
  assert.match(combinedMail?.text ?? "", /^ {2}second, [^]*^ {2}third, [^]*^ {2}fourth, /m);
  context.clock.advance(NOTICE_INTERVAL_MS);
  await createToken("later");
  assert.match((await listTokenNotices()).at(-1)?.text ?? "", /^ {2}later, /m);
});

test("an unverified address gets no notice, and a server without email sends none", async (t) => {
  const { context, accountId, createToken, listTokenNotices } = await setUp(t);
  const { db } = context.database;
  await db.updateTable("account").set({ email_verified: 0 }).where("id", "=", accountId).execute();
  await createToken("unverified");
  assert.deepEqual(await listTokenNotices(), []);
  const withoutMail = await setUp(t, { sendsMail: false });
  await withoutMail.createToken("without mail");
  assert.deepEqual(await withoutMail.listTokenNotices(), []);
});

const BASE_URL = "http://localhost:8080";
