import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { NOTICE_SPAN_MS } from "#mail/store/held.ts";
import { startAccounts } from "../../../../test/support/accounts.ts";
import { testContext } from "../../../../test/support/room.ts";
import { createAccount } from "../../create-account.ts";

const ANN = { email: "ann@example.org", password: "correct horse", name: "Ann", isAdmin: false };

async function start(t: TestContext, { sendsMail = true } = {}) {
  const context = await testContext(t);
  const accountId = await createAccount(context, ANN);
  const server = await startAccounts(t, context, { sendsMail });
  const client = server.client();
  await client.signIn(ANN);
  const make = async (label: string) => (await client.accessTokens.create({ label })).token;
  const told = async () =>
    (await server.mails()).filter(({ purpose }) => purpose === "token_notice");
  return { context, accountId, client, make, told };
}

test("a new access token is announced to the confirmed address: its name and where to revoke it, not the token", async (t) => {
  const { make, told } = await start(t);
  const token = await make("Command line. See https://evil.test/x");
  const [mail, ...more] = await told();
  assert.deepEqual([mail?.to, mail?.link, more], [ANN.email, `${BASE_URL}/settings/access`, []]);
  const { text = "" } = mail ?? {};
  assert.match(text, /^ {2}Command line See https evil test x, on 2026-01-01 at 00:00 UTC$/m);
  assert.ok(!text.includes(token) && !text.includes("evil.test"));
});

test("tokens that follow shortly share one mail, and a later one gets a mail of its own", async (t) => {
  const { context, client, make, told } = await start(t);
  for (const label of ["first", "second", "third"]) await make(label);
  const { items } = await client.accessTokens.list();
  // A token that is revoked to hide it is announced as well.
  await client.accessTokens.remove(items[0]?.id ?? "");
  await make("fourth");
  const [, gathered, ...more] = await told();
  assert.deepEqual(more, []);
  assert.match(gathered?.text ?? "", /^ {2}second, [^]*^ {2}third, [^]*^ {2}fourth, /m);
  context.clock.advance(NOTICE_SPAN_MS);
  await make("later");
  assert.match((await told()).at(-1)?.text ?? "", /^ {2}later, /m);
});

test("an address that is not confirmed gets no notice, and without a mail server nobody does", async (t) => {
  const { context, accountId, make, told } = await start(t);
  const { db } = context.database;
  await db.updateTable("account").set({ email_verified: 0 }).where("id", "=", accountId).execute();
  await make("unconfirmed");
  assert.deepEqual(await told(), []);
  const silent = await start(t, { sendsMail: false });
  await silent.make("without mail");
  assert.deepEqual(await silent.told(), []);
});

const BASE_URL = "http://localhost:8080";
