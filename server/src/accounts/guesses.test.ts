import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { createClient, type Client } from "@tocsin/sdk";
import { COOKIE_FUNCTIONS } from "#http/cookies.ts";
import { startAccountsServer } from "../../test/support/accounts-server.ts";
import { ON_POSTGRES } from "../../test/support/database.ts";
import { parseLinkToken } from "../../test/support/link-token.ts";
import { createRoomContext } from "../../test/support/context.ts";
import { TestClock } from "../../test/support/test-clock.ts";
import { createAccount } from "./create-account.ts";
import { createKnownBrowsers } from "./known-browser.ts";
import { generateTotpCode } from "../../test/support/totp-code.ts";

const ANN = { email: "ann@example.org", password: "correct horse", name: "Ann", isAdmin: false };
const CREDENTIALS = { email: ANN.email, password: ANN.password };
const BEN = { ...ANN, email: "ben@example.org", name: "Ben" };
const SIGN_IN = "/api/auth/sign-in/email";
const TOO_MANY = { status: 429, code: "rate_limited" };
const MINUTE_MS = 60_000;
/** The limits of wrong passwords, as in `guesses.ts`. */
const STRANGERS_BURST = 20;
const STRANGERS_WAIT_MS = 10 * MINUTE_MS;
const KNOWN_BURST = 10;

test("all strangers together have 20 guesses at a password, then one in ten minutes", async (t) => {
  const { context, guess } = await setUp(t);
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 3 * STRANGERS_BURST; attempt += 1)
    statuses.push(await guess(ANN.email));
  assert.deepEqual(countByStatus(statuses), { 401: STRANGERS_BURST, 429: 2 * STRANGERS_BURST });
  assert.equal(await guess(ANN.email, ANN.password), 429);
  // Another account has its own attempts.
  assert.equal(await guess(BEN.email), 401);
  context.clock.advance(STRANGERS_WAIT_MS);
  assert.equal(await guess(ANN.email, ANN.password), 200);
});

test("guesses at an address get the same responses whether it has an account or not", async (t) => {
  const { server } = await setUp(t);
  const collectResponses = async (email: string, network: number) => {
    const responses: unknown[] = [];
    for (let attempt = 0; attempt < STRANGERS_BURST + 3; attempt += 1) {
      const headers = { "x-forwarded-for": `10.${network}.0.${attempt}` };
      const response = await server.post(SIGN_IN, { email, password: "wrong" }, headers);
      const text = (await response.text()).replace(/"requestId":"[^"]+"/, "");
      responses.push([response.status, response.headers.get("retry-after"), text]);
    }
    return responses;
  };
  assert.deepEqual(
    await collectResponses("nobody@example.org", 1),
    await collectResponses(ANN.email, 2),
  );
});

test("a known browser has its own attempts while strangers guess", async (t) => {
  const { context, server, guess, exhaustGuesses } = await setUp(t);
  const browser = createBrowser(server.url);
  await browser.client.signIn(ANN);
  await browser.client.signOut();
  await exhaustGuesses(ANN.email);
  await browser.client.signIn(ANN);

  await browser.client.signOut();
  const wrong = { ...ANN, password: "wrong" };
  for (let attempt = 0; attempt < KNOWN_BURST; attempt += 1) {
    await assert.rejects(browser.client.signIn(wrong), { status: 401 });
  }
  await assert.rejects(browser.client.signIn(ANN), TOO_MANY);
  // A minute restores an attempt of this browser, but none of the strangers'.
  context.clock.advance(MINUTE_MS);
  await browser.client.signIn(ANN);
  assert.equal(await guess(ANN.email, ANN.password), 429);
});

test("a browser is known only to the account that signed in there, until its password changes", async (t) => {
  const { server, exhaustGuesses } = await setUp(t);
  const annBrowser = createBrowser(server.url);
  const benBrowser = createBrowser(server.url);
  const paired = createBrowser(server.url);
  await annBrowser.client.signIn(ANN);
  await benBrowser.client.signIn(BEN);
  await paired.client.pair({ code: (await annBrowser.client.pairings.create()).code });
  assert.ok(![...paired.cookies.keys()].some((name) => name.includes("known")));
  await exhaustGuesses(ANN.email);
  const findKnownCookie = (cookies: ReadonlyMap<string, string>) =>
    [...cookies].find(([name]) => name.includes("known")) ?? assert.fail("no cookie");
  const [name, value] = findKnownCookie(annBrowser.cookies);
  const [, benValue] = findKnownCookie(benBrowser.cookies);
  const changedValue = value.replace(/\w$/, (end) => (end === "A" ? "E" : "A"));
  for (const text of [benValue, changedValue, "", "x"]) {
    const response = await server.post(SIGN_IN, CREDENTIALS, { cookie: `${name}=${text}` });
    assert.equal(response.status, 429, text);
  }
  assert.equal(
    (await server.post(SIGN_IN, CREDENTIALS, { cookie: `${name}=${value}` })).status,
    200,
  );
  const newPassword = "staple the battery";
  await annBrowser.client.changePassword({ currentPassword: ANN.password, newPassword });
  const newCredentials = { ...CREDENTIALS, password: newPassword };
  const staleResponse = await server.post(SIGN_IN, newCredentials, { cookie: `${name}=${value}` });
  assert.equal(staleResponse.status, 429);
  await annBrowser.client.signOut();
  await annBrowser.client.signIn(newCredentials);
});

test("a password reset by email lets the owner sign in while strangers guess", async (t) => {
  const { server, exhaustGuesses } = await setUp(t);
  await exhaustGuesses(ANN.email);
  const { client } = createBrowser(server.url);
  await assert.rejects(client.signIn(ANN), TOO_MANY);
  await client.requestPasswordReset(ANN);
  const token = parseLinkToken((await server.listMails()).at(-1)?.link);
  const password = "staple the battery";
  await client.resetPassword({ token, newPassword: password });
  await client.signIn({ ...ANN, password });
});

test("a session has its own attempts; programs and paired browsers count as strangers", async (t) => {
  const { server, exhaustGuesses } = await setUp(t);
  const { client: ann } = createBrowser(server.url);
  const { client: thief } = createBrowser(server.url);
  const { client: paired } = createBrowser(server.url);
  await ann.signIn(ANN);
  await thief.signIn(ANN);
  await paired.pair({ code: (await ann.pairings.create()).code });
  const { token } = await ann.accessTokens.create({ label: "script" });
  const program = server.createClient(token);
  const wrong = { password: "wrong" };
  for (let attempt = 0; attempt < KNOWN_BURST; attempt += 1) {
    await assert.rejects(thief.twoFactor.begin(wrong), { field: "password" });
  }
  await assert.rejects(thief.twoFactor.begin({ password: ANN.password }), TOO_MANY);
  const change = { currentPassword: "wrong", newPassword: "staple the battery" };
  await assert.rejects(thief.changePassword(change), TOO_MANY);
  await ann.twoFactor.begin({ password: ANN.password });
  await exhaustGuesses(ANN.email);
  for (const stranger of [paired, program]) {
    await assert.rejects(stranger.twoFactor.begin({ password: ANN.password }), TOO_MANY);
  }
  await ann.twoFactor.begin({ password: ANN.password });
});

test("a backup code or a known browser signs in after too many wrong codes, and any browser an hour later", async (t) => {
  const { context, server, turnOnTwoFactor, createNetworkHeaders } = await setUp(t);
  const knownBrowser = createBrowser(server.url);
  const { createNextCode, backupCodes } = await turnOnTwoFactor(knownBrowser.client);
  await knownBrowser.client.signOut();
  const startSignIn = async (client: Client) => (await client.signIn(ANN)).twoFactorToken ?? "";
  // A caller with the password can start over after five codes.
  const useUpCodes = async (code: string) => {
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 15; attempt += 1) {
      const headers = createNetworkHeaders();
      const firstStep = await server.post(SIGN_IN, CREDENTIALS, headers);
      const { twoFactorToken: token } = (await firstStep.json()) as { twoFactorToken: string };
      const path = "/api/auth/sign-in/two-factor";
      statuses.push((await server.post(path, { token, code }, headers)).status);
    }
    return countByStatus(statuses);
  };
  assert.deepEqual(await useUpCodes("000000"), { 400: 10, 429: 5 });
  assert.deepEqual(await useUpCodes("AAAA-AAAA-AAAA-AAAA"), { 400: 15 });
  const newBrowser = createBrowser(server.url).client;
  await assert.rejects(
    newBrowser.signInWithCode({ token: await startSignIn(newBrowser), code: createNextCode() }),
    TOO_MANY,
  );
  await newBrowser.signInWithCode({
    token: await startSignIn(newBrowser),
    code: backupCodes[0] ?? "",
  });
  await knownBrowser.client.signInWithCode({
    token: await startSignIn(knownBrowser.client),
    code: createNextCode(),
  });
  context.clock.advance(60 * MINUTE_MS);
  const third = createBrowser(server.url).client;
  await third.signInWithCode({ token: await startSignIn(third), code: createNextCode() });
});

test("a known browser signs in from a network that used up its attempts", async (t) => {
  const { server, turnOnTwoFactor } = await setUp(t);
  const knownBrowser = createBrowser(server.url);
  const { createNextCode } = await turnOnTwoFactor(knownBrowser.client);
  await knownBrowser.client.signOut();
  for (let attempt = 0; attempt < 11; attempt += 1) {
    await server.post(SIGN_IN, { email: BEN.email, password: "wrong" });
  }
  await assert.rejects(createBrowser(server.url).client.signIn(BEN), TOO_MANY);
  const { twoFactorToken: token } = await knownBrowser.client.signIn(ANN);
  await knownBrowser.client.signInWithCode({ token: token ?? "", code: createNextCode() });
});

test(
  "strangers have the same number of guesses on all nodes together as on one",
  ON_POSTGRES,
  async (t) => {
    const { context, server } = await setUp(t);
    const nodes = [server, await startAccountsServer(t, context, { trustProxy: true })];
    const guesses = Array.from({ length: 2 * STRANGERS_BURST }, async (_, index) => {
      const headers = { "x-forwarded-for": `10.9.0.${index}` };
      const node = nodes[index % 2] ?? server;
      return (await node.post(SIGN_IN, { ...CREDENTIALS, password: "wrong" }, headers)).status;
    });
    const statuses = await Promise.all(guesses);
    assert.deepEqual(countByStatus(statuses), { 401: STRANGERS_BURST, 429: STRANGERS_BURST });
  },
);

test("a browser is known to one account with one password, until half a year after its last sign-in", () => {
  const clock = new TestClock();
  const { now } = clock;
  const browsers = createKnownBrowsers({
    secret: "s",
    now,
    isSecure: true,
    cookies: COOKIE_FUNCTIONS,
  });
  const account = { accountId: "ann", passwordHash: "hash" };
  const caller = { headers: {} };
  const line = browsers.createCookie(caller, account);
  assert.match(
    line,
    /^__Host-tocsin_known_\w{16}=[\w.-]+; Max-Age=15552000; Path=\/; HttpOnly; Secure;/,
  );
  const knownCaller = { headers: { cookie: line.split(";", 1).join("") } };
  const id = browsers.findId(knownCaller, account);
  assert.match(id ?? "", /^[\w-]{27}$/);
  clock.advance(180 * 24 * 60 * MINUTE_MS - 1);
  const renewedCaller = {
    headers: { cookie: browsers.createCookie(knownCaller, account).split(";", 1).join("") },
  };
  clock.advance(1);
  assert.equal(browsers.findId(knownCaller, account), null);
  assert.equal(browsers.findId(renewedCaller, account), id);
  for (const changes of [{ accountId: "ben" }, { passwordHash: null }, { passwordHash: "new" }]) {
    assert.equal(browsers.findId(renewedCaller, { ...account, ...changes }), null);
  }
});

async function setUp(t: TestContext) {
  const context = await createRoomContext(t);
  await createAccount(context, ANN);
  await createAccount(context, BEN);
  const server = await startAccountsServer(t, context, { trustProxy: true });
  let networkCount = 0;
  /** Returns the headers of a request from a new network. */
  const createNetworkHeaders = () => {
    networkCount += 1;
    const address = `198.51.${Math.floor(networkCount / 256)}.${networkCount % 256}`;
    return { "x-forwarded-for": address };
  };
  const guess = async (email: string, password = "wrong") =>
    (await server.post(SIGN_IN, { email, password }, createNetworkHeaders())).status;
  const exhaustGuesses = async (email: string) => {
    for (let attempt = 0; attempt < STRANGERS_BURST; attempt += 1) await guess(email);
    assert.equal(await guess(email), 429);
  };
  const turnOnTwoFactor = async (client: Client) => {
    await client.signIn(ANN);
    const { secret, backupCodes } = await client.twoFactor.begin({ password: ANN.password });
    await client.twoFactor.confirm({ code: generateTotpCode(secret, context.now()) });
    const createNextCode = () => {
      context.clock.advance(30_000);
      return generateTotpCode(secret, context.now());
    };
    return { backupCodes, createNextCode };
  };
  return { context, server, createNetworkHeaders, guess, exhaustGuesses, turnOnTwoFactor };
}

/** Creates a client that stores cookies like a browser. Signing out deletes only the session cookie. */
function createBrowser(baseUrl: string) {
  const cookies = new Map<string, string>();
  const client = createClient({
    baseUrl,
    fetch: async (url, init) => {
      const headers = new Headers(init?.headers);
      headers.set("cookie", [...cookies].map((pair) => pair.join("=")).join("; "));
      const response = await fetch(url, { ...init, headers });
      for (const line of response.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (line.includes("Max-Age=0;")) cookies.delete(name);
        else cookies.set(name, value);
      }
      return response;
    },
  });
  return { client, cookies };
}

function countByStatus(statuses: readonly number[]): Readonly<Record<number, number>> {
  const groups = Object.entries(Object.groupBy(statuses, (status) => status));
  return Object.fromEntries(groups.map(([status, group]) => [status, group?.length ?? 0]));
}
