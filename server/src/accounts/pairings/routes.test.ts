import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { startAccountsServer } from "../../../test/support/accounts-server.ts";
import { createRoomContext } from "../../../test/support/context.ts";
import { createAccount } from "../create-account.ts";
import { removeExpired } from "../store/accounts.ts";
import { generateTotpCode } from "../../../test/support/totp-code.ts";
import { createPairingCodes } from "./codes.ts";
import { PAIRINGS_MAX } from "./pair.ts";
import { parseLinkToken } from "../../../test/support/link-token.ts";

const ANN = { email: "ann@example.org", password: "correct horse", name: "Ann", isAdmin: false };
const BEN = { ...ANN, email: "ben@example.org", name: "Ben" };
const EXPIRED = { status: 400, code: "expired" };
const TOO_MANY = { status: 429, code: "rate_limited" };
const MINUTE_MS = 60_000;

test("a code is ten unambiguous letters and digits, in any case and spacing", () => {
  const { create, hash } = createPairingCodes("a secret");
  const code = create();
  assert.match(code, /^[2-9A-HJ-NP-Z]{10}$/);
  assert.equal(hash(` ${code.slice(0, 5).toLowerCase()}-${code.slice(5)} `), hash(code));
  assert.notEqual(createPairingCodes("another").hash(code), hash(code));
  for (const text of ["", "ABCDE", "ABCDEFGHJKL", "ABCDEFGHJ0", "ABCDEFGHJ!"]) {
    assert.equal(hash(text), null, text);
  }
});

test("a code signs in a browser without a password, and its owner sees that", async (t) => {
  const { server, ann } = await setUp(t);
  const { id, code, expiresAt } = await ann.pairings.create();
  assert.deepEqual(await ann.pairings.get(id), { id, state: "waiting", expiresAt });
  const phone = server.createClient();
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

test("a link signs in a browser, and its secret is in the fragment", async (t) => {
  const { server, ann } = await setUp(t);
  const { url } = await ann.pairings.create();
  const { origin, pathname, search } = new URL(url);
  assert.deepEqual([origin, pathname, search], ["http://localhost:8080", "/add", ""]);
  const phone = server.createClient();
  await phone.pair({ token: parseLinkToken(url) });
  assert.equal((await phone.me()).email, ANN.email);
});

test("only one use of a link or its code succeeds, even concurrently", async (t) => {
  const { server, ann } = await setUp(t);
  const { url, code } = await ann.pairings.create();
  const token = parseLinkToken(url);
  const proofs = [{ code }, { token }, { code }, { token }] as const;
  const results = await Promise.allSettled(
    proofs.map((proof) => server.createClient().pair(proof)),
  );
  assert.equal(results.filter(({ status }) => status === "fulfilled").length, 1);
  await assert.rejects(server.createClient().pair({ token }), EXPIRED);
  assert.equal((await ann.sessions.list()).items.length, 2);
});

test("an install token signs in the app on the Home Screen, once and within an hour", async (t) => {
  const { server, ann, context } = await setUp(t);
  const { code } = await ann.pairings.create();
  const safari = server.createClient();
  const token = (await safari.pair({ code })).installToken ?? "";
  context.clock.advance(50 * MINUTE_MS);
  await removeExpired(context);
  const app = server.createClient();
  assert.equal((await app.pair({ token })).installToken, null);
  assert.equal((await app.me()).email, ANN.email);
  await assert.rejects(server.createClient().pair({ token }), EXPIRED);

  const secondInstallToken = (await safari.pair({ code: (await ann.pairings.create()).code }))
    .installToken;
  context.clock.advance(60 * MINUTE_MS);
  await assert.rejects(server.createClient().pair({ token: secondInstallToken ?? "" }), EXPIRED);
});

test("the link and the code of a pairing expire after ten minutes", async (t) => {
  const { server, ann, context } = await setUp(t);
  const { id, url, code } = await ann.pairings.create();
  context.clock.advance(10 * MINUTE_MS);
  await assert.rejects(server.createClient().pair({ code }), EXPIRED);
  await assert.rejects(server.createClient().pair({ token: parseLinkToken(url) }), EXPIRED);
  assert.equal((await ann.pairings.get(id)).state, "expired");
  await removeExpired(context);
  await assert.rejects(ann.pairings.get(id), { status: 404 });
});

test("only the owner can cancel a pairing", async (t) => {
  const { server, ann } = await setUp(t);
  const ben = server.createClient();
  await ben.signIn(BEN);
  const { id, code } = await ann.pairings.create();
  await assert.rejects(ben.pairings.get(id), { status: 404 });
  await assert.rejects(ben.pairings.remove(id), { status: 404 });
  await ann.pairings.remove(id);
  await assert.rejects(ann.pairings.remove(id), { status: 404 });
  await assert.rejects(server.createClient().pair({ code }), EXPIRED);
});

test("a pairing ends with the session that created it, and so does its install token", async (t) => {
  const { server, ann } = await setUp(t);
  const otherSession = server.createClient();
  await otherSession.signIn(ANN);
  const { code } = await otherSession.pairings.create();
  const { installToken } = await server
    .createClient()
    .pair({ code: (await otherSession.pairings.create()).code });
  await ann.sessions.endOthers();
  await assert.rejects(server.createClient().pair({ code }), EXPIRED);
  await assert.rejects(server.createClient().pair({ token: installToken ?? "" }), EXPIRED);
});

test("an access token cannot create a pairing", async (t) => {
  const { server, ann } = await setUp(t);
  const { token } = await ann.accessTokens.create({ label: "script" });
  await assert.rejects(server.createClient(token).pairings.create(), {
    status: 403,
    code: "forbidden",
  });
});

test("a pairing needs no second factor, but a paired browser needs the password for changes", async (t) => {
  const { server, ann, context } = await setUp(t);
  const { secret } = await ann.twoFactor.begin({ password: ANN.password });
  await ann.twoFactor.confirm({ code: generateTotpCode(secret, context.now()) });
  const phone = server.createClient();
  await phone.pair({ code: (await ann.pairings.create()).code });
  assert.equal((await phone.me()).email, ANN.email);
  const refusal = { status: 403, code: "password_required" };
  await assert.rejects(phone.passkeys.options(), refusal);
  await assert.rejects(phone.profile.delete(), refusal);
  await phone.passkeys.options({ password: ANN.password });
  // This browser signed in recently.
  await ann.passkeys.options();
});

test("an eleventh code replaces the first, but no install token", async (t) => {
  const { server, ann } = await setUp(t);
  const { installToken } = await server
    .createClient()
    .pair({ code: (await ann.pairings.create()).code });
  const codes: string[] = [];
  for (let count = 0; count <= PAIRINGS_MAX; count += 1) {
    codes.push((await ann.pairings.create()).code);
  }
  const [firstCode = "", secondCode = ""] = codes;
  await assert.rejects(server.createClient().pair({ code: firstCode }), EXPIRED);
  await server.createClient().pair({ code: secondCode });
  await server.createClient().pair({ token: installToken ?? "" });
});

test("a network has five wrong guesses at a code, then one every twelve seconds", async (t) => {
  const { server, ann, context } = await setUp(t);
  const guess = () => server.createClient().pair({ code: "2222222222" });
  for (let count = 0; count < 8; count += 1) {
    await server.createClient().pair({ code: (await ann.pairings.create()).code });
  }
  for (let count = 0; count < 5; count += 1) await assert.rejects(guess(), EXPIRED);
  await assert.rejects(guess(), TOO_MANY);
  const { code } = await ann.pairings.create();
  await assert.rejects(server.createClient().pair({ code }), TOO_MANY);
  // A link cannot be guessed, so it is not limited.
  await server.createClient().pair({ token: parseLinkToken((await ann.pairings.create()).url) });
  context.clock.advance(12_000);
  await assert.rejects(guess(), EXPIRED);
  await assert.rejects(guess(), TOO_MANY);
  context.clock.advance(12_000);
  await server.createClient().pair({ code });
});

test("guesses from many networks do not block other networks", async (t) => {
  const { server, ann } = await setUp(t);
  const statuses: number[] = [];
  for (let count = 0; count < 200; count += 1) {
    const from = { "x-forwarded-for": `198.51.100.${Math.floor(count / 5)}` };
    const response = await server.post("/api/auth/pair", { code: "2222222222" }, from);
    await response.arrayBuffer();
    statuses.push(response.status);
  }
  assert.deepEqual(new Set(statuses), new Set([400]));
  const { code } = await ann.pairings.create();
  const otherNetwork = { "x-forwarded-for": "192.0.2.1" };
  assert.equal((await server.post("/api/auth/pair", { code }, otherNetwork)).status, 200);
});

test("a cross-site request, or one without exactly one proof, is refused", async (t) => {
  const { server, ann } = await setUp(t);
  const { code, url } = await ann.pairings.create();
  const crossSite = await server.post(
    "/api/auth/pair",
    { code },
    { "sec-fetch-site": "cross-site", origin: "https://evil.example" },
  );
  assert.equal(crossSite.status, 403);
  for (const body of [{}, { code, token: parseLinkToken(url) }]) {
    assert.equal((await server.post("/api/auth/pair", body)).status, 400);
  }
  await server.createClient().pair({ code });
});

test("token and code are stored only as hashes", async (t) => {
  const { ann, context } = await setUp(t);
  const { code, url } = await ann.pairings.create();
  const rows = JSON.stringify(
    await context.database.db.selectFrom("pairing").selectAll().execute(),
  );
  assert.ok(!rows.includes(code) && !rows.includes(parseLinkToken(url)));
});

async function setUp(t: TestContext) {
  const context = await createRoomContext(t);
  await createAccount(context, ANN);
  await createAccount(context, BEN);
  const server = await startAccountsServer(t, context, { trustProxy: true });
  const ann = server.createClient();
  await ann.signIn(ANN);
  return { context, server, ann };
}
