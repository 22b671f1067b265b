import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { startAccounts } from "../../../test/support/accounts.ts";
import { testContext } from "../../../test/support/room.ts";
import { createAccount } from "../create-account.ts";
import { removeExpired } from "../store/accounts.ts";
import { totpCode } from "../../../test/support/authenticator.ts";
import { createCodes } from "./code.ts";
import { PAIRINGS_MAX } from "./pair.ts";
import { linkToken } from "../../../test/support/link-token.ts";

const ANN = { email: "ann@example.org", password: "correct horse", name: "Ann", isAdmin: false };
const BEN = { ...ANN, email: "ben@example.org", name: "Ben" };
const OVER = { status: 400, code: "expired" };
const TOO_MANY = { status: 429, code: "rate_limited" };
const MINUTE_MS = 60_000;

test("a code is ten unmistakable letters and digits, and may be typed in any form", () => {
  const { create, hashOf } = createCodes("a secret");
  const code = create();
  assert.match(code, /^[2-9A-HJ-NP-Z]{10}$/);
  assert.equal(hashOf(` ${code.slice(0, 5).toLowerCase()}-${code.slice(5)} `), hashOf(code));
  assert.notEqual(createCodes("another").hashOf(code), hashOf(code));
  for (const text of ["", "ABCDE", "ABCDEFGHJKL", "ABCDEFGHJ0", "ABCDEFGHJ!"]) {
    assert.equal(hashOf(text), null, text);
  }
});

test("a browser gets in by the code, without a password, and the other one is notified", async (t) => {
  const { server, ann } = await start(t);
  const { id, code, expiresAt } = await ann.pairings.create();
  assert.deepEqual(await ann.pairings.get(id), { id, state: "waiting", expiresAt });
  const phone = server.client();
  const { account, installToken } = await phone.pair({ code });
  assert.equal(account.email, ANN.email);
  assert.match(installToken ?? "", /^[\w-]{27}$/);
  assert.equal((await phone.me()).email, ANN.email);
  assert.equal((await ann.pairings.get(id)).state, "used");
  const { items } = await ann.sessions.list();
  assert.deepEqual(
    items.map(({ isPaired, isCurrent }) => [isPaired, isCurrent]),
    [
      [true, false],
      [false, true],
    ],
  );
});

test("a browser gets in by the link, whose secret is in its fragment", async (t) => {
  const { server, ann } = await start(t);
  const { url } = await ann.pairings.create();
  const { origin, pathname, search } = new URL(url);
  assert.deepEqual([origin, pathname, search], ["http://localhost:8080", "/add", ""]);
  const phone = server.client();
  await phone.pair({ token: linkToken(url) });
  assert.equal((await phone.me()).email, ANN.email);
});

test("link and code work once between them, even for concurrent requests", async (t) => {
  const { server, ann } = await start(t);
  const { url, code } = await ann.pairings.create();
  const token = linkToken(url);
  const tries = [{ code }, { token }, { code }, { token }] as const;
  const results = await Promise.allSettled(tries.map((proof) => server.client().pair(proof)));
  assert.equal(results.filter(({ status }) => status === "fulfilled").length, 1);
  await assert.rejects(server.client().pair({ token }), OVER);
  assert.equal((await ann.sessions.list()).items.length, 2);
});

test("the app on the Home Screen gets in by a token of its own, once and within the hour", async (t) => {
  const { server, ann, context } = await start(t);
  const { code } = await ann.pairings.create();
  const safari = server.client();
  const token = (await safari.pair({ code })).installToken ?? "";
  context.clock.advance(50 * MINUTE_MS);
  await removeExpired(context);
  const app = server.client();
  assert.equal((await app.pair({ token })).installToken, null);
  assert.equal((await app.me()).email, ANN.email);
  await assert.rejects(server.client().pair({ token }), OVER);

  const second = (await safari.pair({ code: (await ann.pairings.create()).code })).installToken;
  context.clock.advance(60 * MINUTE_MS);
  await assert.rejects(server.client().pair({ token: second ?? "" }), OVER);
});

test("after ten minutes link and code have expired, and later they are deleted", async (t) => {
  const { server, ann, context } = await start(t);
  const { id, url, code } = await ann.pairings.create();
  context.clock.advance(10 * MINUTE_MS);
  await assert.rejects(server.client().pair({ code }), OVER);
  await assert.rejects(server.client().pair({ token: linkToken(url) }), OVER);
  assert.equal((await ann.pairings.get(id)).state, "expired");
  await removeExpired(context);
  await assert.rejects(ann.pairings.get(id), { status: 404 });
});

test("a pairing ends when its owner cancels it, and another account cannot cancel it", async (t) => {
  const { server, ann } = await start(t);
  const ben = server.client();
  await ben.signIn(BEN);
  const { id, code } = await ann.pairings.create();
  await assert.rejects(ben.pairings.get(id), { status: 404 });
  await assert.rejects(ben.pairings.remove(id), { status: 404 });
  await ann.pairings.remove(id);
  await assert.rejects(ann.pairings.remove(id), { status: 404 });
  await assert.rejects(server.client().pair({ code }), OVER);
});

test("a pairing ends with the session that vouched for it", async (t) => {
  const { server, ann } = await start(t);
  const other = server.client();
  await other.signIn(ANN);
  const { code } = await other.pairings.create();
  const { installToken } = await server
    .client()
    .pair({ code: (await other.pairings.create()).code });
  await ann.sessions.endOthers();
  await assert.rejects(server.client().pair({ code }), OVER);
  await assert.rejects(server.client().pair({ token: installToken ?? "" }), OVER);
});

test("an access token pairs no browser", async (t) => {
  const { server, ann } = await start(t);
  const { token } = await ann.accessTokens.create({ label: "script" });
  await assert.rejects(server.client(token).pairings.create(), { status: 403, code: "forbidden" });
});

test("the vouching browser satisfies two-factor sign-in, but a paired one needs a proof to change it", async (t) => {
  const { server, ann, context } = await start(t);
  const { secret } = await ann.twoFactor.begin({ password: ANN.password });
  await ann.twoFactor.confirm({ code: totpCode(secret, context.now()) });
  const phone = server.client();
  await phone.pair({ code: (await ann.pairings.create()).code });
  assert.equal((await phone.me()).email, ANN.email);
  const refused = { status: 403, code: "password_required" };
  await assert.rejects(phone.passkeys.options(), refused);
  await assert.rejects(phone.profile.delete(), refused);
  await phone.passkeys.options({ password: ANN.password });
  // Its own sign-in was a moment ago.
  await ann.passkeys.options();
});

test("an account has ten codes at a time: the eleventh replaces the first, and no install token", async (t) => {
  const { server, ann } = await start(t);
  const { installToken } = await server.client().pair({ code: (await ann.pairings.create()).code });
  const codes: string[] = [];
  for (let count = 0; count <= PAIRINGS_MAX; count += 1) {
    codes.push((await ann.pairings.create()).code);
  }
  const [first = "", second = ""] = codes;
  await assert.rejects(server.client().pair({ code: first }), OVER);
  await server.client().pair({ code: second });
  await server.client().pair({ token: installToken ?? "" });
});

test("a network has five wrong guesses, then one every twelve seconds; right ones do not count", async (t) => {
  const { server, ann, context } = await start(t);
  const guess = () => server.client().pair({ code: "2222222222" });
  for (let count = 0; count < 8; count += 1) {
    await server.client().pair({ code: (await ann.pairings.create()).code });
  }
  for (let count = 0; count < 5; count += 1) await assert.rejects(guess(), OVER);
  await assert.rejects(guess(), TOO_MANY);
  const { code } = await ann.pairings.create();
  await assert.rejects(server.client().pair({ code }), TOO_MANY);
  // A link cannot be guessed, so it is not limited.
  await server.client().pair({ token: linkToken((await ann.pairings.create()).url) });
  context.clock.advance(12_000);
  await assert.rejects(guess(), OVER);
  await assert.rejects(guess(), TOO_MANY);
  context.clock.advance(12_000);
  await server.client().pair({ code });
});

test("strangers who guess from many networks hold nobody else up", async (t) => {
  const { server, ann } = await start(t);
  const statuses: number[] = [];
  for (let count = 0; count < 200; count += 1) {
    const from = { "x-forwarded-for": `198.51.100.${Math.floor(count / 5)}` };
    const answer = await server.post("/api/auth/pair", { code: "2222222222" }, from);
    await answer.arrayBuffer();
    statuses.push(answer.status);
  }
  assert.deepEqual(new Set(statuses), new Set([400]));
  const { code } = await ann.pairings.create();
  const other = { "x-forwarded-for": "192.0.2.1" };
  assert.equal((await server.post("/api/auth/pair", { code }, other)).status, 200);
});

test("pages of other sites cannot pair, and a request with neither token nor code, or both, is refused", async (t) => {
  const { server, ann } = await start(t);
  const { code, url } = await ann.pairings.create();
  const foreign = await server.post(
    "/api/auth/pair",
    { code },
    { "sec-fetch-site": "cross-site", origin: "https://evil.example" },
  );
  assert.equal(foreign.status, 403);
  for (const body of [{}, { code, token: linkToken(url) }]) {
    assert.equal((await server.post("/api/auth/pair", body)).status, 400);
  }
  await server.client().pair({ code });
});

test("neither token nor code is stored", async (t) => {
  const { ann, context } = await start(t);
  const { code, url } = await ann.pairings.create();
  const rows = JSON.stringify(
    await context.database.db.selectFrom("pairing").selectAll().execute(),
  );
  assert.ok(!rows.includes(code) && !rows.includes(linkToken(url)));
});

async function start(t: TestContext) {
  const context = await testContext(t);
  await createAccount(context, ANN);
  await createAccount(context, BEN);
  const server = await startAccounts(t, context, { trustProxy: true });
  const ann = server.client();
  await ann.signIn(ANN);
  return { context, server, ann };
}
