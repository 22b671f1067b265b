import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { Client } from "@tocsin/sdk";
import {
  OidcProvider,
  type OidcPerson,
  type OidcScript,
} from "../../../test/doubles/oidc-provider.ts";
import {
  startAccountsServer,
  type AccountsServerOptions,
} from "../../../test/support/accounts-server.ts";
import { createRoomContext } from "../../../test/support/context.ts";
import { parseLinkToken } from "../../../test/support/link-token.ts";
import { createAccount } from "../create-account.ts";
import { generateTotpCode } from "../../../test/support/totp-code.ts";
import { createIdentityProvider } from "./identity-provider.ts";

const BASE_URL = "https://push.example.org";
const ANN = { email: "ann@example.org", password: "correct horse", name: "Ann", isAdmin: false };
const ANN_EMAIL = { email: "Ann@Example.org", email_verified: true };
const ANN_IDENTITY = { ...ANN_EMAIL, sub: "248289", name: "Ann Lee" };
const REFUSED = { status: 401, code: "unauthenticated" };
const UNAVAILABLE = { status: 500, code: "unavailable" };
/** The lifetime of the ID tokens of `OidcProvider`. */
const ID_TOKEN_LIFETIME_SECONDS = 300;
/** The difference of clocks that the server tolerates, as in `provider-metadata.ts`. */
const CLOCK_TOLERANCE_SECONDS = 60;

test("a returning identity signs in to the same account, even with another address", async (t) => {
  const { server, signIn } = await setUp(t);
  const firstClient = server.createClient();
  assert.deepEqual((await firstClient.signInMethods()).oidc, { name: "Acme" });
  await signIn(firstClient, ANN_IDENTITY);
  const me = await firstClient.me();
  assert.deepEqual([me.email, me.name, me.isAdmin], ["ann@example.org", "Ann Lee", false]);
  assert.deepEqual(await firstClient.profile.security(), {
    hasPassword: false,
    isEmailVerified: true,
    isTwoFactorOn: false,
    backupCodesLeft: 0,
  });
  const secondClient = server.createClient();
  await signIn(secondClient, {
    ...ANN_IDENTITY,
    email: "other@example.org",
    email_verified: false,
  });
  assert.equal((await secondClient.me()).id, me.id);
});

test("an account is linked only if both sides verified the address", async (t) => {
  const { server, signIn, context } = await setUp(t);
  const id = await createAccount(context, ANN);
  const browser = server.createClient();
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
  await server.createClient().signIn(ANN);
});

test("a sign-up by provider follows the sign-up policy and accepts invitations", async (t) => {
  const closedServer = await setUp(t, { signUp: "closed" });
  const browser = closedServer.server.createClient();
  await assert.rejects(closedServer.signIn(browser, ANN_IDENTITY), { code: "sign_up_closed" });
  const invitations = { secret: { email: "ann@example.org", isMailed: false } };
  const { server, signIn } = await setUp(t, { signUp: "invite", invitations });
  await assert.rejects(signIn(server.createClient(), ANN_IDENTITY), {
    code: "invitation_required",
  });
  const ben = { ...ANN_IDENTITY, email: "ben@example.org" };
  await assert.rejects(signIn(server.createClient(), ben, "secret"), { code: "wrong_account" });
  const ann = server.createClient();
  await signIn(ann, ANN_IDENTITY, "secret");
  assert.equal((await ann.me()).email, "ann@example.org");
});

test("a sign-in by provider also requires the second factor", async (t) => {
  const { server, signIn, context } = await setUp(t);
  await createAccount(context, ANN);
  const ann = server.createClient();
  await ann.signIn(ANN);
  const { secret } = await ann.twoFactor.begin({ password: ANN.password });
  await ann.twoFactor.confirm({ code: generateTotpCode(secret, context.now()) });
  const browser = server.createClient();
  const { twoFactorToken } = await signIn(browser, ANN_IDENTITY);
  assert.equal((await browser.session()).account, null);
  context.clock.advance(30_000);
  const code = generateTotpCode(secret, context.now());
  await browser.signInWithCode({ token: twoFactorToken ?? "", code });
  assert.equal((await browser.me()).email, ANN.email);
});

test("a forged, malformed or expired token, or one for another client, is refused", async (t) => {
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
    { idTokenAgeS: ID_TOKEN_LIFETIME_SECONDS + CLOCK_TOLERANCE_SECONDS + 1 },
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
    await assert.rejects(
      signIn(server.createClient(), ANN_IDENTITY),
      REFUSED,
      JSON.stringify(script),
    );
    context.clock.advance(60_000);
  }
  const { db } = context.database;
  assert.deepEqual(await db.selectFrom("account").select("id").execute(), []);
  provider.script = { idTokenAgeS: ID_TOKEN_LIFETIME_SECONDS + CLOCK_TOLERANCE_SECONDS / 2 };
  await signIn(server.createClient(), ANN_IDENTITY);
});

test("an address from the user info is accepted", async (t) => {
  const { server, signIn, provider } = await setUp(t);
  provider.script = { hidesEmail: true };
  const browser = server.createClient();
  await signIn(browser, ANN_IDENTITY);
  assert.equal((await browser.me()).email, "ann@example.org");
});

test("the longest allowed subject, and this client as authorized party, are accepted", async (t) => {
  const { server, signIn, provider } = await setUp(t);
  provider.script = { claims: { azp: OidcProvider.clientId, aud: [OidcProvider.clientId, "api"] } };
  const browser = server.createClient();
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
    const refusal = { status: 403, code: "forbidden" };
    await assert.rejects(
      signIn(server.createClient(), ANN_IDENTITY),
      refusal,
      JSON.stringify(script),
    );
  }
  // If the token does not say whether its address is verified, the user info provides both.
  provider.script = { claims: { email: victim, email_verified: undefined } };
  const browser = server.createClient();
  await signIn(browser, ANN_IDENTITY);
  assert.equal((await browser.me()).email, "ann@example.org");
});

for (const signUp of ["open", "invite"] as const) {
  test(`ten concurrent first sign-ins create one account with the sign-up policy ${signUp}`, async (t) => {
    const { server, context, provider } = await setUp(t, { signUp });
    await createAccount(context, { ...ANN, email: "root@example.org", isAdmin: true });
    const root = server.createClient();
    await root.signIn({ ...ANN, email: "root@example.org" });
    const { link } = await root.admin.invitations.create({ email: "ann@example.org" });
    const browsers = Array.from({ length: 10 }, () => server.createClient());
    const startedSignIns: { readonly browser: Client; readonly url: string }[] = [];
    for (const browser of browsers) {
      const { url } = await browser.beginOidc({ token: parseLinkToken(link) });
      startedSignIns.push({ browser, url });
    }
    await Promise.all(
      startedSignIns.map(({ browser, url }) =>
        browser.finishOidc(provider.authorize(url, ANN_IDENTITY)),
      ),
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
  const [ann, eve] = [server.createClient(), server.createClient()];
  const callback = provider.authorize((await ann.beginOidc()).url, ANN_IDENTITY);
  await assert.rejects(eve.finishOidc(callback), { code: "expired" });
  await assert.rejects(ann.finishOidc(callback), { code: "expired" });
  const expiredCallback = provider.authorize((await ann.beginOidc()).url, ANN_IDENTITY);
  context.clock.advance(10 * 60_000);
  await assert.rejects(ann.finishOidc(expiredCallback), { code: "expired" });
  const otherCallback = provider.authorize((await ann.beginOidc()).url, ANN_IDENTITY);
  const iss = "https://evil.example";
  await assert.rejects(ann.finishOidc({ ...otherCallback, iss }), REFUSED);
  const { url } = await ann.beginOidc();
  const stolenCode = provider.authorize((await eve.beginOidc()).url, ANN_IDENTITY).code;
  const { state } = provider.authorize(url, ANN_IDENTITY);
  await assert.rejects(ann.finishOidc({ state, code: stolenCode }), REFUSED);
});

test("an invalid or unavailable provider is tried again, and valid metadata are cached for an hour", async (t) => {
  const { server, signIn, provider, context } = await setUp(t);
  provider.script = { discovery: { issuer: "https://evil.example" } };
  await assert.rejects(server.createClient().beginOidc(), UNAVAILABLE);
  const endpoints = ["authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint"];
  for (const endpoint of endpoints) {
    provider.script = { discovery: { [endpoint]: "http://evil.example/x" } };
    await assert.rejects(server.createClient().beginOidc(), UNAVAILABLE);
  }
  provider.script = { tokenStatus: 503 };
  await assert.rejects(signIn(server.createClient(), ANN_IDENTITY), UNAVAILABLE);
  provider.script = {};
  const isDiscovery = (path: string) => path.includes("openid-configuration");
  const discoveryCountBefore = provider.requestedPaths.filter(isDiscovery).length;
  await signIn(server.createClient(), ANN_IDENTITY);
  assert.equal(provider.requestedPaths.filter(isDiscovery).length, discoveryCountBefore);
  context.clock.advance(60 * 60_000);
  await server.createClient().beginOidc();
  assert.equal(provider.requestedPaths.filter(isDiscovery).length, discoveryCountBefore + 1);
});

test("the client secret is sent in the body if possible, and never after a redirect", async (t) => {
  const { server, signIn, provider } = await setUp(t);
  provider.script = {
    discovery: {
      token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
    },
  };
  await signIn(server.createClient(), ANN_IDENTITY);
  provider.script = { ...provider.script, tokenLocation: `${provider.issuer}/elsewhere` };
  await assert.rejects(signIn(server.createClient(), ANN_IDENTITY), UNAVAILABLE);
  assert.ok(!provider.requestedPaths.includes("/elsewhere"));
});

test("discovery refuses another issuer and an oversized response", async (t) => {
  const { server, provider } = await setUp(t);
  const discoveries = [{ issuer: `${provider.issuer}/` }, { padding: "x".repeat(256 * 1_024) }];
  for (const discovery of discoveries) {
    provider.script = { discovery };
    await assert.rejects(server.createClient().beginOidc(), UNAVAILABLE);
  }
});

test("a sign-in by provider is refused if no provider is configured", async (t) => {
  const server = await startAccountsServer(t, await createRoomContext(t));
  assert.equal((await server.createClient().signInMethods()).oidc, null);
  await assert.rejects(server.createClient().beginOidc(), { status: 400, code: "invalid_request" });
  const callback = { state: "x", code: "x" };
  await assert.rejects(server.createClient().finishOidc(callback), { status: 400 });
});

async function setUp(t: TestContext, options: AccountsServerOptions = {}) {
  const context = await createRoomContext(t);
  const redirectUri = `${BASE_URL}/sign-in/oidc`;
  const provider = await OidcProvider.start(redirectUri);
  t.after(() => provider.close());
  const { clientId, clientSecret } = OidcProvider;
  const settings = { issuer: provider.issuer, clientId, clientSecret, name: "Acme" };
  const identityProvider = createIdentityProvider(settings, {
    redirectUri,
    elapsed: context.elapsed,
  });
  const server = await startAccountsServer(t, context, {
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
