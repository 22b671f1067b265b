import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { createClient, type Client } from "@tocsin/sdk";
import { COOKIES } from "#http/cookies.ts";
import { startAccounts } from "../../test/support/accounts.ts";
import { ON_POSTGRES } from "../../test/support/database.ts";
import { linkToken } from "../../test/support/link-token.ts";
import { TestClock, testContext } from "../../test/support/room.ts";
import { createAccount } from "./create-account.ts";
import { createKnownBrowsers } from "./known-browser.ts";
import { totpCode } from "../../test/support/authenticator.ts";

const ANN = { email: "ann@example.org", password: "correct horse", name: "Ann", isAdmin: false };
const CREDENTIALS = { email: ANN.email, password: ANN.password };
const BEN = { ...ANN, email: "ben@example.org", name: "Ben" };
const SIGN_IN = "/api/auth/sign-in/email";
const TOO_MANY = { status: 429, code: "rate_limited" };
const MINUTE_MS = 60_000;
/** Same values as in `guesses.ts`. */
const [STRANGERS_BURST, STRANGERS_WAIT_MS, KNOWN_BURST] = [20, 10 * MINUTE_MS, 10];

test("strangers of all networks together have twenty guesses at an account's password, then one in ten minutes", async (t) => {
  const { context, guess } = await start(t);
  const statuses: number[] = [];
  for (let tries = 0; tries < 3 * STRANGERS_BURST; tries += 1)
    statuses.push(await guess(ANN.email));
  assert.deepEqual(countsOf(statuses), { 401: STRANGERS_BURST, 429: 2 * STRANGERS_BURST });
  assert.equal(await guess(ANN.email, ANN.password), 429);
  // Another account has tries of its own.
  assert.equal(await guess(BEN.email), 401);
  context.clock.advance(STRANGERS_WAIT_MS);
  assert.equal(await guess(ANN.email, ANN.password), 200);
});

test("an address without an account is limited by the same answers", async (t) => {
  const { server } = await start(t);
  const answers = async (email: string, network: number) => {
    const told: unknown[] = [];
    for (let tries = 0; tries < STRANGERS_BURST + 3; tries += 1) {
      const from = { "x-forwarded-for": `10.${network}.0.${tries}` };
      const answer = await server.post(SIGN_IN, { email, password: "wrong" }, from);
      const text = (await answer.text()).replace(/"requestId":"[^"]+"/, "");
      told.push([answer.status, answer.headers.get("retry-after"), text]);
    }
    return told;
  };
  assert.deepEqual(await answers("nobody@example.org", 1), await answers(ANN.email, 2));
});

test("a browser in which the account signed in before gets in while strangers guess, with tries of its own", async (t) => {
  const { context, server, guess, exhaust } = await start(t);
  const browser = jar(server.url);
  await browser.client.signIn(ANN);
  await browser.client.signOut();
  await exhaust(ANN.email);
  await browser.client.signIn(ANN);

  await browser.client.signOut();
  const wrong = { ...ANN, password: "wrong" };
  for (let tries = 0; tries < KNOWN_BURST; tries += 1) {
    await assert.rejects(browser.client.signIn(wrong), { status: 401 });
  }
  await assert.rejects(browser.client.signIn(ANN), TOO_MANY);
  // Only this browser's tries were used up.
  context.clock.advance(MINUTE_MS);
  await browser.client.signIn(ANN);
  assert.equal(await guess(ANN.email, ANN.password), 429);
});

test("a browser is known only to the account that signed in there, until its password changes", async (t) => {
  const { server, exhaust } = await start(t);
  const [annsBrowser, bensBrowser, paired] = [jar(server.url), jar(server.url), jar(server.url)];
  await annsBrowser.client.signIn(ANN);
  await bensBrowser.client.signIn(BEN);
  await paired.client.pair({ code: (await annsBrowser.client.pairings.create()).code });
  assert.ok(![...paired.cookies.keys()].some((name) => name.includes("known")));
  await exhaust(ANN.email);
  // Ben's cookie, under the name of Ann's.
  const known = (cookies: ReadonlyMap<string, string>) =>
    [...cookies].find(([name]) => name.includes("known")) ?? assert.fail("no cookie");
  const [[name, value], [, foreign]] = [known(annsBrowser.cookies), known(bensBrowser.cookies)];
  const forged = [foreign, value.replace(/\w$/, (end) => (end === "A" ? "E" : "A")), "", "x"];
  for (const text of forged) {
    const answer = await server.post(SIGN_IN, CREDENTIALS, { cookie: `${name}=${text}` });
    assert.equal(answer.status, 429, text);
  }
  assert.equal(
    (await server.post(SIGN_IN, CREDENTIALS, { cookie: `${name}=${value}` })).status,
    200,
  );
  const newPassword = "staple the battery";
  await annsBrowser.client.changePassword({ currentPassword: ANN.password, newPassword });
  const changed = { ...CREDENTIALS, password: newPassword };
  const stale = await server.post(SIGN_IN, changed, { cookie: `${name}=${value}` });
  assert.equal(stale.status, 429);
  await annsBrowser.client.signOut();
  await annsBrowser.client.signIn(changed);
});

test("a password reset by mail gets the owner in at once, even while strangers guess", async (t) => {
  const { server, exhaust } = await start(t);
  await exhaust(ANN.email);
  const { client } = jar(server.url);
  await assert.rejects(client.signIn(ANN), TOO_MANY);
  await client.requestPasswordReset(ANN);
  const token = linkToken((await server.mails()).at(-1)?.link);
  const password = "staple the battery";
  await client.resetPassword({ token, newPassword: password });
  await client.signIn({ ...ANN, password });
});

test("a session opened by a proof has tries of its own; programs and paired browsers count as strangers", async (t) => {
  const { server, exhaust } = await start(t);
  const [ann, thief, paired] = [
    jar(server.url).client,
    jar(server.url).client,
    jar(server.url).client,
  ];
  await ann.signIn(ANN);
  await thief.signIn(ANN);
  await paired.pair({ code: (await ann.pairings.create()).code });
  const { token } = await ann.accessTokens.create({ label: "script" });
  const program = server.client(token);
  const wrong = { password: "wrong" };
  for (let tries = 0; tries < KNOWN_BURST; tries += 1) {
    await assert.rejects(thief.twoFactor.begin(wrong), { field: "password" });
  }
  await assert.rejects(thief.twoFactor.begin({ password: ANN.password }), TOO_MANY);
  const change = { currentPassword: "wrong", newPassword: "staple the battery" };
  await assert.rejects(thief.changePassword(change), TOO_MANY);
  await ann.twoFactor.begin({ password: ANN.password });
  await exhaust(ANN.email);
  for (const stranger of [paired, program]) {
    await assert.rejects(stranger.twoFactor.begin({ password: ANN.password }), TOO_MANY);
  }
  await ann.twoFactor.begin({ password: ANN.password });
});

test("used-up codes leave the owner a backup code, and the usual browser", async (t) => {
  const { context, server, turnOn, networks } = await start(t);
  const usual = jar(server.url);
  const { nextCode, backupCodes } = await turnOn(usual.client);
  await usual.client.signOut();
  const half = async (client: Client) => (await client.signIn(ANN)).twoFactorToken ?? "";
  // With the password one starts over after five codes.
  const burn = async (code: string) => {
    const statuses: number[] = [];
    for (let tries = 0; tries < 15; tries += 1) {
      const from = networks.next();
      const begun = await server.post(SIGN_IN, CREDENTIALS, from);
      const { twoFactorToken: token } = (await begun.json()) as { twoFactorToken: string };
      const path = "/api/auth/sign-in/two-factor";
      statuses.push((await server.post(path, { token, code }, from)).status);
    }
    return countsOf(statuses);
  };
  assert.deepEqual(await burn("000000"), { 400: 10, 429: 5 });
  assert.deepEqual(await burn("AAAA-AAAA-AAAA-AAAA"), { 400: 15 });
  const fresh = jar(server.url).client;
  await assert.rejects(
    fresh.signInWithCode({ token: await half(fresh), code: nextCode() }),
    TOO_MANY,
  );
  await fresh.signInWithCode({ token: await half(fresh), code: backupCodes[0] ?? "" });
  await usual.client.signInWithCode({ token: await half(usual.client), code: nextCode() });
  context.clock.advance(60 * MINUTE_MS);
  const other = jar(server.url).client;
  await other.signInWithCode({ token: await half(other), code: nextCode() });
});

test("the usual browser gets in from a network that used up its own tries", async (t) => {
  const { server, turnOn } = await start(t);
  const usual = jar(server.url);
  const { nextCode } = await turnOn(usual.client);
  await usual.client.signOut();
  for (let tries = 0; tries < 11; tries += 1) {
    await server.post(SIGN_IN, { email: BEN.email, password: "wrong" });
  }
  await assert.rejects(jar(server.url).client.signIn(BEN), TOO_MANY);
  const { twoFactorToken: token } = await usual.client.signIn(ANN);
  await usual.client.signInWithCode({ token: token ?? "", code: nextCode() });
});

test("strangers have the same tries at all nodes together as at one", ON_POSTGRES, async (t) => {
  const { context, server } = await start(t);
  const nodes = [server, await startAccounts(t, context, { trustProxy: true })];
  const asking = Array.from({ length: 2 * STRANGERS_BURST }, async (_, index) => {
    const from = { "x-forwarded-for": `10.9.0.${index}` };
    const node = nodes[index % 2] ?? server;
    return (await node.post(SIGN_IN, { ...CREDENTIALS, password: "wrong" }, from)).status;
  });
  const statuses = await Promise.all(asking);
  assert.deepEqual(countsOf(statuses), { 401: STRANGERS_BURST, 429: STRANGERS_BURST });
});

test("a browser unused for half a year becomes a stranger, and each sign-in restarts that period", () => {
  const clock = new TestClock();
  const { now } = clock;
  const browsers = createKnownBrowsers({ secret: "s", now, isSecure: true, cookies: COOKIES });
  const knownTo = { accountId: "ann", passwordHash: "hash" };
  const caller = { headers: {} };
  const line = browsers.cookieFor(caller, knownTo);
  assert.match(
    line,
    /^__Host-tocsin_known_\w{16}=[\w.-]+; Max-Age=15552000; Path=\/; HttpOnly; Secure;/,
  );
  const again = { headers: { cookie: line.split(";", 1).join("") } };
  const id = browsers.idOf(again, knownTo);
  assert.match(id ?? "", /^[\w-]{27}$/);
  clock.advance(180 * 24 * 60 * MINUTE_MS - 1);
  const renewed = {
    headers: { cookie: browsers.cookieFor(again, knownTo).split(";", 1).join("") },
  };
  clock.advance(1);
  assert.equal(browsers.idOf(again, knownTo), null);
  assert.equal(browsers.idOf(renewed, knownTo), id);
  for (const other of [{ accountId: "ben" }, { passwordHash: null }, { passwordHash: "new" }]) {
    assert.equal(browsers.idOf(renewed, { ...knownTo, ...other }), null);
  }
});

async function start(t: TestContext) {
  const context = await testContext(t);
  await createAccount(context, ANN);
  await createAccount(context, BEN);
  const server = await startAccounts(t, context, { trustProxy: true });
  let network = 0;
  const networks = {
    next: () => ({ "x-forwarded-for": `198.51.${(network += 1) >> 8}.${network & 255}` }),
  };
  const guess = async (email: string, password = "wrong") =>
    (await server.post(SIGN_IN, { email, password }, networks.next())).status;
  const exhaust = async (email: string) => {
    for (let tries = 0; tries < STRANGERS_BURST; tries += 1) await guess(email);
    assert.equal(await guess(email), 429);
  };
  const turnOn = async (client: Client) => {
    await client.signIn(ANN);
    const { secret, backupCodes } = await client.twoFactor.begin({ password: ANN.password });
    await client.twoFactor.confirm({ code: totpCode(secret, context.now()) });
    const nextCode = () => {
      context.clock.advance(30_000);
      return totpCode(secret, context.now());
    };
    return { backupCodes, nextCode };
  };
  return { context, server, networks, guess, exhaust, turnOn };
}

/** A client that keeps cookies as a browser does: signing out deletes only the session's. */
function jar(baseUrl: string) {
  const cookies = new Map<string, string>();
  const client = createClient({
    baseUrl,
    fetch: async (url, init) => {
      const headers = new Headers(init?.headers);
      headers.set("cookie", [...cookies].map((pair) => pair.join("=")).join("; "));
      const answer = await fetch(url, { ...init, headers });
      for (const line of answer.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (line.includes("Max-Age=0;")) cookies.delete(name);
        else cookies.set(name, value);
      }
      return answer;
    },
  });
  return { client, cookies };
}

function countsOf(statuses: readonly number[]): Readonly<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
