import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { Client } from "@tocsin/sdk";
import {
  OidcProvider,
  type OidcPerson,
  type OidcScript,
} from "../../../test/doubles/oidc-provider.ts";
import { startAccounts, type AccountsOptions } from "../../../test/support/accounts.ts";
import { testContext } from "../../../test/support/room.ts";
import { linkToken } from "../../../test/support/link-token.ts";
import { createAccount } from "../create-account.ts";
import { totpCode } from "../../../test/support/authenticator.ts";
import { createIdentityProvider } from "./identity-provider.ts";

const BASE_URL = "https://push.example.org";
const ANN = { email: "ann@example.org", password: "correct horse", name: "Ann", isAdmin: false };
const ANN_IDENTITY = {
  sub: "248289",
  email: "Ann@Example.org",
  email_verified: true,
  name: "Ann Lee",
};
const REFUSED = { status: 401, code: "unauthenticated" };
const UNAVAILABLE = { status: 500, code: "unavailable" };

test("a returning identity signs in to the same account, even with another address", async (t) => {
  const { server, signIn } = await setUp(t);
  const first = server.client();
  assert.deepEqual((await first.signInMethods()).oidc, { name: "Acme" });
  await signIn(first, ANN_IDENTITY);
  const me = await first.me();
  assert.deepEqual([me.email, me.name, me.isAdmin], ["ann@example.org", "Ann Lee", false]);
  assert.deepEqual(await first.profile.security(), {
    hasPassword: false,
    isEmailVerified: true,
    isTwoFactorOn: false,
    backupCodesLeft: 0,
  });
  const second = server.client();
  await signIn(second, { ...ANN_IDENTITY, email: "other@example.org", email_verified: false });
  assert.equal((await second.me()).id, me.id);
});

test("an account is linked only if both sides verified the address", async (t) => {
  const { server, signIn, context } = await setUp(t);
  const id = await createAccount(context, ANN);
  const browser = server.client();
  for (const email_verified of [false, undefined, "true", 1]) {
    const person = { ...ANN_IDENTITY, email_verified };
    await assert.rejects(signIn(browser, person), { status: 403, code: "forbidden" });
  }
  const { db } = context.database;
  await db.updateTable("account").set({ email_verified: 0 }).execute();
  await assert.rejects(signIn(browser, ANN_IDENTITY), { status: 403, code: "forbidden" });
  await db.updateTable("account").set({ email_verified: 1 }).execute();
  await signIn(browser, ANN_IDENTITY);
  assert.equal((await browser.me()).id, id);
  await server.client().signIn(ANN);
});

test("a sign-up by provider follows the sign-up policy and accepts invitations", async (t) => {
  const closed = await setUp(t, { signUp: "closed" });
  const browser = closed.server.client();
  await assert.rejects(closed.signIn(browser, ANN_IDENTITY), { code: "sign_up_closed" });
  const invitations = { secret: { email: "ann@example.org", isMailed: false } };
  const { server, signIn } = await setUp(t, { signUp: "invite", invitations });
  await assert.rejects(signIn(server.client(), ANN_IDENTITY), { code: "invitation_required" });
  const ben = { ...ANN_IDENTITY, email: "ben@example.org" };
  await assert.rejects(signIn(server.client(), ben, "secret"), { code: "wrong_account" });
  const ann = server.client();
  await signIn(ann, ANN_IDENTITY, "secret");
  assert.equal((await ann.me()).email, "ann@example.org");
});

test("a sign-in by provider also requires the second factor", async (t) => {
  const { server, signIn, context } = await setUp(t);
  await createAccount(context, ANN);
  const ann = server.client();
  await ann.signIn(ANN);
  const { secret } = await ann.twoFactor.begin({ password: ANN.password });
  await ann.twoFactor.confirm({ code: totpCode(secret, context.now()) });
  const browser = server.client();
  const { twoFactorToken } = await signIn(browser, ANN_IDENTITY);
  assert.equal((await browser.session()).account, null);
  context.clock.advance(30_000);
  const code = totpCode(secret, context.now());
  await browser.signInWithCode({ token: twoFactorToken ?? "", code });
  assert.equal((await browser.me()).email, ANN.email);
});

test("a forged or expired token, or one for another client, is refused", async (t) => {
  const { server, signIn, provider, context } = await setUp(t);
  const scripts: readonly OidcScript[] = [
    { isForged: true },
    { algorithm: "HS256" },
    { algorithm: "none" },
    { claims: { nonce: "another" } },
    { claims: { nonce: undefined } },
    { claims: { iss: "https://evil.example" } },
    { claims: { aud: "another" } },
    { claims: { aud: ["tocsin", "another"], azp: "another" } },
    { delayS: 300 + 61 },
    { claims: { aud: ["tocsin"], azp: "another" } },
    { claims: { aud: "tocsin", azp: "another" } },
    { claims: { aud: ["tocsin", "another"] } },
    { claims: { sub: undefined } },
    { claims: { sub: "" } },
    { claims: { sub: null } },
    { claims: { sub: 248_289 } },
    { claims: { sub: ["248289"] } },
    { claims: { sub: "x".repeat(256) } },
    { claims: { sub: "2482\u000089" } },
    { hidesEmail: true, userInfo: { sub: undefined } },
    { hidesEmail: true, userInfo: { sub: "" } },
    { hidesEmail: true, userInfo: { sub: "another" } },
  ];
  for (const script of scripts) {
    provider.script = script;
    await assert.rejects(signIn(server.client(), ANN_IDENTITY), REFUSED, JSON.stringify(script));
    context.clock.advance(60_000);
  }
  const { db } = context.database;
  assert.deepEqual(await db.selectFrom("account").select("id").execute(), []);
  provider.script = { delayS: 300 + 30 };
  await signIn(server.client(), ANN_IDENTITY);
});

test("an address from the user info is accepted", async (t) => {
  const { server, signIn, provider } = await setUp(t);
  provider.script = { hidesEmail: true };
  const browser = server.client();
  await signIn(browser, ANN_IDENTITY);
  assert.equal((await browser.me()).email, "ann@example.org");
});

test("the longest allowed subject, and this client as authorized party, are accepted", async (t) => {
  const { server, signIn, provider } = await setUp(t);
  provider.script = { claims: { azp: OidcProvider.clientId, aud: [OidcProvider.clientId, "api"] } };
  const browser = server.client();
  await signIn(browser, { ...ANN_IDENTITY, sub: "x".repeat(255) });
  assert.equal((await browser.me()).email, "ann@example.org");
});

test("an address and its verification must come from the same source", async (t) => {
  const { server, signIn, provider } = await setUp(t);
  const victim = "victim@example.org";
  const mismatches: readonly OidcScript[] = [
    // The token verifies an address that it does not contain.
    { hidesEmail: true, claims: { email_verified: true }, userInfo: { email_verified: false } },
    { hidesEmail: true, claims: { email_verified: true }, userInfo: { email_verified: undefined } },
    // The user info verifies another address, or one that it does not contain.
    { claims: { email: victim, email_verified: undefined }, userInfo: { email: undefined } },
    { claims: { email: victim, email_verified: false } },
  ];
  for (const script of mismatches) {
    provider.script = script;
    const refused = { status: 403, code: "forbidden" };
    await assert.rejects(signIn(server.client(), ANN_IDENTITY), refused, JSON.stringify(script));
  }
  // If the token does not say whether its address is verified, the user info provides both.
  provider.script = { claims: { email: victim, email_verified: undefined } };
  const browser = server.client();
  await signIn(browser, ANN_IDENTITY);
  assert.equal((await browser.me()).email, "ann@example.org");
});

for (const signUp of ["open", "invite"] as const) {
  test(`ten concurrent first sign-ins create one account: ${signUp}`, async (t) => {
    const { server, context, provider } = await setUp(t, { signUp });
    await createAccount(context, { ...ANN, email: "root@example.org", isAdmin: true });
    const root = server.client();
    await root.signIn({ ...ANN, email: "root@example.org" });
    const { link } = await root.admin.invitations.create({ email: "ann@example.org" });
    const browsers = Array.from({ length: 10 }, () => server.client());
    const started: { readonly browser: Client; readonly url: string }[] = [];
    for (const browser of browsers) {
      const { url } = await browser.beginOidc({ token: linkToken(link) });
      started.push({ browser, url });
    }
    await Promise.all(
      started.map(({ browser, url }) => browser.finishOidc(provider.authorize(url, ANN_IDENTITY))),
    );
    const ids = await Promise.all(browsers.map(async (browser) => (await browser.me()).id));
    assert.equal(new Set(ids).size, 1);
    const { db } = context.database;
    const identities = db.selectFrom("credential").select("subject").where("password", "is", null);
    assert.deepEqual(await identities.execute(), [{ subject: ANN_IDENTITY.sub }]);
  });
}

test("only the browser that started a sign-in can finish it, once and within ten minutes", async (t) => {
  const { server, provider, context } = await setUp(t);
  const [ann, eve] = [server.client(), server.client()];
  const callback = provider.authorize((await ann.beginOidc()).url, ANN_IDENTITY);
  await assert.rejects(eve.finishOidc(callback), { code: "expired" });
  await assert.rejects(ann.finishOidc(callback), { code: "expired" });
  const late = provider.authorize((await ann.beginOidc()).url, ANN_IDENTITY);
  context.clock.advance(10 * 60_000);
  await assert.rejects(ann.finishOidc(late), { code: "expired" });
  const mixed = provider.authorize((await ann.beginOidc()).url, ANN_IDENTITY);
  const iss = "https://evil.example";
  await assert.rejects(ann.finishOidc({ ...mixed, iss }), REFUSED);
  const { url } = await ann.beginOidc();
  const stolen = provider.authorize((await eve.beginOidc()).url, ANN_IDENTITY).code;
  const { state } = provider.authorize(url, ANN_IDENTITY);
  await assert.rejects(ann.finishOidc({ state, code: stolen }), REFUSED);
});

test("an unavailable provider is tried again", async (t) => {
  const { server, signIn, provider, context } = await setUp(t);
  provider.script = { discovery: { issuer: "https://evil.example" } };
  await assert.rejects(server.client().beginOidc(), UNAVAILABLE);
  const endpoints = ["authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint"];
  for (const endpoint of endpoints) {
    provider.script = { discovery: { [endpoint]: "http://evil.example/x" } };
    await assert.rejects(server.client().beginOidc(), UNAVAILABLE);
  }
  provider.script = { tokenStatus: 503 };
  await assert.rejects(signIn(server.client(), ANN_IDENTITY), UNAVAILABLE);
  provider.script = {};
  const isDiscovery = (path: string) => path.includes("openid-configuration");
  const before = provider.requestedPaths.filter(isDiscovery).length;
  await signIn(server.client(), ANN_IDENTITY);
  assert.equal(provider.requestedPaths.filter(isDiscovery).length, before);
  context.clock.advance(60 * 60_000);
  await server.client().beginOidc();
  assert.equal(provider.requestedPaths.filter(isDiscovery).length, before + 1);
});

test("the client secret is sent in the body if possible, and never after a redirect", async (t) => {
  const { server, signIn, provider } = await setUp(t);
  provider.script = {
    discovery: {
      token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
    },
  };
  await signIn(server.client(), ANN_IDENTITY);
  provider.script = { ...provider.script, tokenLocation: `${provider.issuer}/elsewhere` };
  await assert.rejects(signIn(server.client(), ANN_IDENTITY), UNAVAILABLE);
  assert.ok(!provider.requestedPaths.includes("/elsewhere"));
});

test("discovery refuses another issuer and an oversized response", async (t) => {
  const { server, provider } = await setUp(t);
  const discoveries = [{ issuer: `${provider.issuer}/` }, { padding: "x".repeat(256 * 1_024) }];
  for (const discovery of discoveries) {
    provider.script = { discovery };
    await assert.rejects(server.client().beginOidc(), UNAVAILABLE);
  }
});

test("a sign-in by provider is refused if no provider is configured", async (t) => {
  const server = await startAccounts(t, await testContext(t));
  assert.equal((await server.client().signInMethods()).oidc, null);
  await assert.rejects(server.client().beginOidc(), { status: 400, code: "invalid_request" });
  const callback = { state: "x", code: "x" };
  await assert.rejects(server.client().finishOidc(callback), { status: 400 });
});

async function setUp(t: TestContext, options: AccountsOptions = {}) {
  const context = await testContext(t);
  const redirectUri = `${BASE_URL}/sign-in/oidc`;
  const provider = await OidcProvider.start(redirectUri);
  t.after(() => provider.close());
  const { clientId, clientSecret } = OidcProvider;
  const settings = { issuer: provider.issuer, clientId, clientSecret, name: "Acme" };
  const identityProvider = createIdentityProvider(settings, {
    redirectUri,
    elapsed: context.elapsed,
  });
  const server = await startAccounts(t, context, {
    baseUrl: BASE_URL,
    identityProvider,
    ...options,
  });
  const signIn = async (browser: Client, person: OidcPerson, token?: string) => {
    const { url } = await browser.beginOidc(token === undefined ? {} : { token });
    return browser.finishOidc(provider.authorize(url, person));
  };
  return { context, provider, server, signIn };
}
