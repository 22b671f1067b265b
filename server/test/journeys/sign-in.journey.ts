import assert from "node:assert/strict";
import test from "node:test";
import { createClient } from "@tocsin/sdk";
import { generateTotpCode } from "../support/totp-code.ts";
import type { ConsolePage } from "../support/console-page.ts";
import { ANN } from "../support/console-fixture.ts";
import { startPasskeyServer } from "../support/passkey-server.ts";
import { realNow } from "../support/local-deployment.ts";

/** Matches the browser's error message about a response with status 400. */
const BAD_REQUEST = /\b400\b/;
/** The time step of the codes (RFC 6238 section 4.1). */
const TIME_STEP_MS = 30_000;

test("two-factor sign-in accepts codes and one-time backup codes, and explains wrong ones", async (t) => {
  const fixture = await startPasskeyServer(t);
  const ann = createClient({ baseUrl: fixture.url });
  await ann.signUp(ANN);
  const { page } = await fixture.openPage("/keys");
  await signInAsAnn(page);
  await page.waitFor("h1 ::-p-text(API keys)");

  await page.tab.goto(`${fixture.url}/settings/security`);
  await page.press("Turn on");
  await page.fillIn({ password: "not this one" });
  await page.press("Continue");
  await page.waitFor('#password[aria-invalid="true"]');
  await page.fillIn({ password: ANN.password });
  await page.press("Continue");
  const secret = (await page.waitFor('[role="group"][aria-label="Key"]')).trim();
  await page.waitFor('[role="dialog"] svg[role="img"]');
  await page.fillIn({ code: generateTotpCode(secret, realNow()) });
  await page.tab.keyboard.press("Enter");
  const codes = await page.waitFor('[role="group"][aria-label="Backup codes"]');
  const [backupCode = ""] = codes.trim().split("\n");
  assert.match(backupCode, /^[A-Z2-7]{4}(-[A-Z2-7]{4}){3}$/);
  await page.press("I have saved them");
  await page.waitUntilGone('[role="dialog"]');
  assert.match(await page.waitFor("main"), /10 codes left/);

  await signOut(page, fixture.url);
  await page.tab.goto(`${fixture.url}/log`);
  await signInAsAnn(page);
  await page.waitFor('#code[autocomplete="one-time-code"]');
  assert.equal(await readFocusedElementId(page), "code");
  await page.fillIn({ code: "000000" });
  await page.press("Continue");
  assert.match(await page.waitFor("#code-error"), /Wait for the next one in your app/);
  // The code of the current time step was already used.
  await page.fillIn({ code: generateTotpCode(secret, realNow() + TIME_STEP_MS) });
  await page.press("Continue");
  await page.waitFor("h1 ::-p-text(Sent)");

  for (const isFirstUse of [true, false]) {
    await signOut(page, fixture.url);
    await signInAsAnn(page);
    await page.press("Use a backup code instead");
    await page.fillIn({ code: backupCode.toLowerCase() });
    await page.press("Continue");
    if (isFirstUse) await page.waitFor(`header ::-p-text(${ANN.email})`);
    else assert.match(await page.waitFor("#code-error"), /already used/);
  }
  assert.equal((await ann.profile.security()).backupCodesLeft, 9);
  assert.deepEqual(listUnexpectedErrors(page), []);
});

test("a passkey signs in without a name or a code until it is removed", async (t) => {
  const fixture = await startPasskeyServer(t);
  const ann = createClient({ baseUrl: fixture.url });
  await ann.signUp(ANN);
  const { page, authenticator } = await fixture.openPage("/settings/security");
  await page.tab.evaluateOnNewDocument(NO_SUGGESTIONS);
  await signInAsAnn(page);
  await page.press("Add a passkey");
  await page.fillIn({ name: "Laptop" });
  await authenticator.whileUserIsPresent(async () => {
    await page.press("Add the passkey");
    await page.waitFor("main li ::-p-text(Laptop)");
  });
  const { secret } = await ann.twoFactor.begin({ password: ANN.password });
  await ann.twoFactor.confirm({ code: generateTotpCode(secret, realNow()) });

  await signOut(page, fixture.url);
  await authenticator.setUserVerified(false);
  await authenticator.whileUserIsPresent(async () => {
    await page.press("Sign in with a passkey");
    assert.match(await page.waitFor('main [role="alert"]'), /No passkey was used/);
  });
  await authenticator.setUserVerified(true);
  await page.tab.goto(`${fixture.url}/settings/security`);
  await authenticator.whileUserIsPresent(async () => {
    await page.press("Sign in with a passkey");
    await page.waitFor("main li ::-p-text(Laptop)");
  });
  assert.match(await page.waitFor("main li"), /Last used/);

  await page.press("Actions for Laptop");
  await page.press("Remove");
  await page.waitFor('[role="dialog"] ::-p-text(Remove “Laptop”?)');
  await page.tab.locator('[role="dialog"] ::-p-aria([name="Remove"][role="button"])').click();
  await page.waitUntilGone("main li");
  await signOut(page, fixture.url);
  await authenticator.whileUserIsPresent(async () => {
    await page.press("Sign in with a passkey");
    await page.waitFor('main [role="alert"]');
  });
  assert.deepEqual((await ann.passkeys.list()).items, []);
  assert.deepEqual(listUnexpectedErrors(page), []);
});

test("a passkey that the browser suggests in the email field signs in", async (t) => {
  const fixture = await startPasskeyServer(t);
  const ann = createClient({ baseUrl: fixture.url });
  await ann.signUp(ANN);
  const { page, authenticator } = await fixture.openPage("/settings/security");
  await signInAsAnn(page);
  await page.press("Add a passkey");
  await authenticator.whileUserIsPresent(async () => {
    await page.press("Add the passkey");
    await page.waitFor("main li");
  });
  await signOut(page, fixture.url);
  await page.waitFor('#email[autocomplete="username webauthn"]');
  await authenticator.whileUserIsPresent(async () => {
    await page.tab.goto(`${fixture.url}/sign-in?next=%2Fdevices`);
    await page.waitFor("h1 ::-p-text(Devices)");
  });
  assert.deepEqual(listUnexpectedErrors(page), []);
});

test("sign-in through an identity provider returns to the requested page, or says why not", async (t) => {
  const fixture = await startPasskeyServer(t);
  const { page } = await fixture.openPage("/keys");
  const { identityProvider } = fixture;
  await redirectProvider(page, identityProvider.issuer, (url) => {
    const parameters = identityProvider.authorize(url, PERSON);
    return `${fixture.url}/sign-in/oidc?${new URLSearchParams(parameters).toString()}`;
  });
  await page.press("Continue with Example ID");
  await page.waitFor("h1 ::-p-text(API keys)");
  await page.waitFor(`header ::-p-text(${PERSON.email})`);

  await page.tab.goto(`${fixture.url}/settings/security`);
  await page.waitFor("main ::-p-text(You have no password)");
  await signOut(page, fixture.url);
  await page.tab.goto(`${fixture.url}/sign-in/oidc?error=access_denied&state=x`);
  assert.match(await page.waitFor('[role="alert"]'), /cancelled/);
  assert.equal(new URL(page.tab.url()).search, "");
  await page.followLink("Back to sign-in");
  await page.waitFor("form");
});

/** Disables suggestions: otherwise the virtual authenticator accepts one before the button is clicked. */
const NO_SUGGESTIONS = "PublicKeyCredential.isConditionalMediationAvailable = async () => false";

test("deleting the account needs its email address, and the password again after a while", async (t) => {
  const fixture = await startPasskeyServer(t);
  const ann = createClient({ baseUrl: fixture.url });
  await ann.signUp(ANN);
  const { page } = await fixture.openPage("/settings");
  await signInAsAnn(page);
  await page.press("Change name");
  await page.fillIn({ name: "Ann Smith" });
  await page.press("Save");
  await page.waitFor("header ::-p-text(Ann Smith)");
  await page.waitUntilGone('[role="dialog"]');

  await page.press("Delete account");
  await page.fillIn({ confirmation: "ben@example.org" });
  await page.press("Delete permanently");
  await page.waitFor("#confirmation-error");
  fixture.advanceClock(STALE_SIGN_IN_MS);
  await page.fillIn({ confirmation: ANN.email });
  await page.press("Delete permanently");
  await page.waitFor("#password");
  assert.equal(await readFocusedElementId(page), "password");
  await page.fillIn({ password: "not this one" });
  await page.press("Delete permanently");
  assert.match(await page.waitFor("#password-error"), /not your password/);
  await page.fillIn({ password: ANN.password });
  await page.press("Delete permanently");
  await page.waitFor("h1 ::-p-text(Sign in)");
  await signInAsAnn(page);
  assert.match(await page.waitFor('main [role="alert"]'), /email address or the password is wrong/);
  const expected = /\b40[013]\b/;
  assert.deepEqual(
    page.consoleErrors.filter((error) => !expected.test(error)),
    [],
  );
});

test("the access page ends sessions and access tokens", async (t) => {
  const fixture = await startPasskeyServer(t);
  const ann = createClient({ baseUrl: fixture.url });
  const otherSession = createClient({ baseUrl: fixture.url });
  await ann.signUp(ANN);
  await otherSession.signIn(ANN);
  const { page } = await fixture.openPage("/settings/access");
  await signInAsAnn(page);
  await page.waitFor("main li ::-p-text(This browser)");
  await page.press("Create an access token");
  await page.fillIn({ label: "Command line" });
  await page.press("Create the token");
  const accessToken = await page.waitFor('[role="group"][aria-label="Access token"]');
  const program = createClient({ baseUrl: fixture.url, accessToken: accessToken.trim() });
  assert.equal((await program.me()).email, ANN.email);
  await page.press("Done");
  await page.waitUntilGone('[role="dialog"]');

  await page.press("Sign out all others");
  await page.waitFor('[role="dialog"]');
  await page.tab
    .locator('[role="dialog"] ::-p-aria([name="Sign out all others"][role="button"])')
    .click();
  await page.waitUntilGone('[role="dialog"]');
  await assert.rejects(otherSession.me(), { status: 401 });
  assert.equal((await program.sessions.list()).items.length, 1);
  await page.press("Revoke Command line");
  await page.waitFor('[role="dialog"]');
  await page.tab.locator('[role="dialog"] ::-p-aria([name="Revoke"][role="button"])').click();
  await page.waitUntilGone('[role="dialog"]');
  await assert.rejects(program.me(), { status: 401 });
  assert.deepEqual(page.consoleErrors, []);
});

/** Longer than a sign-in counts as recent. */
const STALE_SIGN_IN_MS = 11 * 60_000;

const PERSON = { sub: "1", email: "ben@example.org", email_verified: true, name: "Ben" };

async function signInAsAnn(page: ConsolePage): Promise<void> {
  await page.fillIn({ email: ANN.email, password: ANN.password });
  await page.press("Sign in");
}

async function signOut(page: ConsolePage, url: string): Promise<void> {
  await page.tab.goto(`${url}/settings`);
  await page.press("Sign out");
  await page.waitFor("h1 ::-p-text(Sign in)");
}

/** Redirects requests to the identity provider, which has no pages, straight back to the server. */
async function redirectProvider(
  { tab }: ConsolePage,
  issuer: string,
  createReturnUrl: (url: string) => string,
): Promise<void> {
  await tab.setRequestInterception(true);
  tab.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${issuer}/`)) return void request.continue();
    void request.respond({ status: 302, headers: { location: createReturnUrl(url) } });
  });
}

async function readFocusedElementId({ tab }: ConsolePage): Promise<unknown> {
  return tab.evaluate("document.activeElement?.id");
}

function listUnexpectedErrors(page: ConsolePage): readonly string[] {
  return page.consoleErrors.filter((error) => !BAD_REQUEST.test(error));
}
