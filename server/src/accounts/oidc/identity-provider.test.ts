import assert from "node:assert/strict";
import { test } from "node:test";
import { OidcProvider, type OidcScript } from "../../../test/doubles/oidc-provider.ts";
import { ANN_IDENTITY, startOidcFixture } from "../../../test/support/oidc-fixture.ts";

const REFUSED = { status: 401, code: "unauthenticated" };
const UNAVAILABLE = { status: 500, code: "unavailable" };
/** The lifetime of the ID tokens of `OidcProvider`. */
const ID_TOKEN_LIFETIME_SECONDS = 300;
/** The difference of clocks that the server tolerates, as in `provider-metadata.ts`. */
const CLOCK_TOLERANCE_SECONDS = 60;

test("a forged, malformed or expired token, or one for another client, is refused", async (t) => {
  const { server, signIn, provider, context } = await startOidcFixture(t);
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
  const { server, signIn, provider } = await startOidcFixture(t);
  provider.script = { hidesEmail: true };
  const browser = server.createClient();
  await signIn(browser, ANN_IDENTITY);
  assert.equal((await browser.me()).email, "ann@example.org");
});

test("the longest allowed subject, and this client as authorized party, are accepted", async (t) => {
  const { server, signIn, provider } = await startOidcFixture(t);
  provider.script = { claims: { azp: OidcProvider.clientId, aud: [OidcProvider.clientId, "api"] } };
  const browser = server.createClient();
  await signIn(browser, { ...ANN_IDENTITY, sub: "x".repeat(255) });
  assert.equal((await browser.me()).email, "ann@example.org");
});

test("an address and its verification must come from the same source", async (t) => {
  const { server, signIn, provider } = await startOidcFixture(t);
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

test("an invalid or unavailable provider is tried again, and valid metadata are cached for an hour", async (t) => {
  const { server, signIn, provider, context } = await startOidcFixture(t);
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
  const { server, signIn, provider } = await startOidcFixture(t);
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
  const { server, provider } = await startOidcFixture(t);
  const discoveries = [{ issuer: `${provider.issuer}/` }, { padding: "x".repeat(256 * 1_024) }];
  for (const discovery of discoveries) {
    provider.script = { discovery };
    await assert.rejects(server.createClient().beginOidc(), UNAVAILABLE);
  }
});
