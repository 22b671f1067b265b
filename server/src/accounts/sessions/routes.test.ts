import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { startAccountsServer } from "../../../test/support/accounts-server.ts";
import { createRoomContext } from "../../../test/support/context.ts";
import { createAccount } from "../create-account.ts";

const ANN = { email: "ann@example.org", password: "correct horse", name: "Ann", isAdmin: false };
const CREDENTIALS = { email: ANN.email, password: ANN.password };
const BEN = { ...ANN, email: "ben@example.org", name: "Ben" };
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";

test("sessions are listed newest first, with their browser, and the current one is marked", async (t) => {
  const { server, ann, context } = await setUp(t);
  const headers = { "user-agent": FIREFOX };
  await server.post("/api/auth/sign-in/email", CREDENTIALS, headers);
  const { items, nextCursor } = await ann.sessions.list();
  assert.deepEqual(
    items.map(({ userAgent, isCurrent }) => [userAgent, isCurrent]),
    [
      ["Firefox on Linux", false],
      [null, true],
    ],
  );
  assert.equal(nextCursor, null);
  assert.equal((await ann.sessions.list({ limit: 1 })).items[0]?.id, items[0]?.id);
  assert.equal(Date.parse(items[0]?.createdAt ?? ""), context.now());
  const { token } = await ann.accessTokens.create({ label: "phone" });
  const sessions = (await server.createClient(token).sessions.list()).items;
  assert.ok(sessions.every(({ isCurrent }) => !isCurrent));
});

test("a session can be ended only by its owner", async (t) => {
  const { server, ann } = await setUp(t);
  const otherClient = server.createClient();
  await otherClient.signIn(ANN);
  const ben = server.createClient();
  await ben.signIn(BEN);
  const id = (await otherClient.sessions.list()).items.find(({ isCurrent }) => isCurrent)?.id ?? "";
  await assert.rejects(ben.sessions.remove(id), { status: 404, code: "not_found" });
  await ann.sessions.remove(id);
  await assert.rejects(otherClient.me(), { status: 401 });
  await assert.rejects(ann.sessions.remove(id), { status: 404 });
  assert.equal((await ann.me()).email, ANN.email);
});

test("a session can end all other sessions of its account, and an access token can end all", async (t) => {
  const { server, ann } = await setUp(t);
  const phone = server.createClient();
  await phone.signIn(ANN);
  const ben = server.createClient();
  await ben.signIn(BEN);
  await ann.sessions.endOthers();
  await assert.rejects(phone.me(), { status: 401 });
  assert.equal((await ann.sessions.list()).items.length, 1);
  assert.equal((await ben.me()).email, BEN.email);
  const { token } = await ann.accessTokens.create({ label: "phone" });
  await server.createClient(token).sessions.endOthers();
  await assert.rejects(ann.me(), { status: 401 });
});

async function setUp(t: TestContext) {
  const context = await createRoomContext(t);
  await createAccount(context, ANN);
  await createAccount(context, BEN);
  const server = await startAccountsServer(t, context);
  const ann = server.createClient();
  await ann.signIn(ANN);
  return { server, ann, context };
}
