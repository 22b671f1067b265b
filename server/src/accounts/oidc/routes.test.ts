import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client } from "@tocsin/sdk";
import { startAccountsServer } from "../../../test/support/accounts-server.ts";
import { createRoomContext } from "../../../test/support/context.ts";
import { parseLinkToken } from "../../../test/support/link-token.ts";
import { ANN_IDENTITY, startOidcFixture } from "../../../test/support/oidc-fixture.ts";
import { generateTotpCode } from "../../../test/support/totp-code.ts";
import { createAccount } from "../create-account.ts";

const ANN = { email: "ann@example.org", password: "correct horse", name: "Ann", isAdmin: false };
const REFUSED = { status: 401, code: "unauthenticated" };

test("a returning identity signs in to the same account, even with another address", async (t) => {
  const { server, signIn } = await startOidcFixture(t);
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
  const { server, signIn, context } = await startOidcFixture(t);
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
  const closedServer = await startOidcFixture(t, { signUp: "closed" });
  const browser = closedServer.server.createClient();
  await assert.rejects(closedServer.signIn(browser, ANN_IDENTITY), { code: "sign_up_closed" });
  const invitations = { secret: { email: "ann@example.org", isMailed: false } };
  const { server, signIn } = await startOidcFixture(t, { signUp: "invite", invitations });
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
  const { server, signIn, context } = await startOidcFixture(t);
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

for (const signUp of ["open", "invite"] as const) {
  test(`ten concurrent first sign-ins create one account with the sign-up policy ${signUp}`, async (t) => {
    const { server, context, provider } = await startOidcFixture(t, { signUp });
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
  const { server, provider, context } = await startOidcFixture(t);
  const ann = server.createClient();
  const eve = server.createClient();
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

test("a sign-in by provider is refused if no provider is configured", async (t) => {
  const server = await startAccountsServer(t, await createRoomContext(t));
  assert.equal((await server.createClient().signInMethods()).oidc, null);
  await assert.rejects(server.createClient().beginOidc(), { status: 400, code: "invalid_request" });
  const callback = { state: "x", code: "x" };
  await assert.rejects(server.createClient().finishOidc(callback), { status: 400 });
});
