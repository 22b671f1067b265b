import assert from "node:assert/strict";
import test from "node:test";
import { createClient } from "@tocsin/sdk";
import { totpCode } from "../support/authenticator.ts";
import type { ConsolePage } from "../support/console-page.ts";
import { ANN } from "../support/console-stage.ts";
import { startPasskeyServer } from "../support/passkey-server.ts";
import { realNow } from "../support/surroundings.ts";

/** Matches the browser's error message about a refused request. */
const BAD_REQUEST = /\b400\b/;
const STEP_MS = 30_000;

test("two-factor sign-in accepts codes and one-time backup codes, and explains wrong ones", async (t) => {
  const stage = await startPasskeyServer(t);
  const ann = createClient({ baseUrl: stage.url });
  await ann.signUp(ANN);
  const { page } = await stage.open("/keys");
  await signInAsAnn(page);
  await page.see("h1 ::-p-text(API keys)");

  await page.page.goto(`${stage.url}/settings/security`);
  await page.press("Turn on");
  await page.fillIn({ password: "not this one" });
  await page.press("Continue");
  await page.see('#password[aria-invalid="true"]');
  await page.fillIn({ password: ANN.password });
  await page.press("Continue");
  const secret = (await page.see('[role="group"][aria-label="Key"]')).trim();
  await page.see('[role="dialog"] svg[role="img"]');
  await page.fillIn({ code: totpCode(secret, realNow()) });
  await page.page.keyboard.press("Enter");
  const codes = await page.see('[role="group"][aria-label="Backup codes"]');
  const [backupCode = ""] = codes.trim().split("\n");
  assert.match(backupCode, /^[A-Z2-7]{4}(-[A-Z2-7]{4}){3}$/);
  await page.press("I have saved them");
  await page.miss('[role="dialog"]');
  assert.match(await page.see("main"), /10 codes left/);

  await signOut(page, stage.url);
  await page.page.goto(`${stage.url}/log`);
  await signInAsAnn(page);
  await page.see('#code[autocomplete="one-time-code"]');
  assert.equal(await focused(page), "code");
  await page.fillIn({ code: "000000" });
  await page.press("Continue");
  assert.match(await page.see("#code-error"), /Wait for the next one in your app/);
  // The code of the current time step was already used.
  await page.fillIn({ code: totpCode(secret, realNow() + STEP_MS) });
  await page.press("Continue");
  await page.see("h1 ::-p-text(Sent)");

  for (const isFirstUse of [true, false]) {
    await signOut(page, stage.url);
    await signInAsAnn(page);
    await page.press("Use a backup code instead");
    await page.fillIn({ code: backupCode.toLowerCase() });
    await page.press("Continue");
    if (isFirstUse) await page.see(`header ::-p-text(${ANN.email})`);
    else assert.match(await page.see("#code-error"), /already used/);
  }
  assert.equal((await ann.profile.security()).backupCodesLeft, 9);
  assert.deepEqual(unexpectedComplaints(page), []);
});

test("a passkey signs in without a name or a code until it is removed", async (t) => {
  const stage = await startPasskeyServer(t);
  const ann = createClient({ baseUrl: stage.url });
  await ann.signUp(ANN);
  const { page, authenticator } = await stage.open("/settings/security");
  await page.page.evaluateOnNewDocument(NO_SUGGESTIONS);
  await signInAsAnn(page);
  await page.press("Add a passkey");
  await page.fillIn({ name: "Laptop" });
  await authenticator.attend(async () => {
    await page.press("Add the passkey");
    await page.see("main li ::-p-text(Laptop)");
  });
  const { secret } = await ann.twoFactor.begin({ password: ANN.password });
  await ann.twoFactor.confirm({ code: totpCode(secret, realNow()) });

  await signOut(page, stage.url);
  await authenticator.recognize(false);
  await authenticator.attend(async () => {
    await page.press("Sign in with a passkey");
    assert.match(await page.see('main [role="alert"]'), /No passkey was used/);
  });
  await authenticator.recognize(true);
  await page.page.goto(`${stage.url}/settings/security`);
  await authenticator.attend(async () => {
    await page.press("Sign in with a passkey");
    await page.see("main li ::-p-text(Laptop)");
  });
  assert.match(await page.see("main li"), /Last used/);

  await page.press("Actions for Laptop");
  await page.press("Remove");
  await page.see('[role="dialog"] ::-p-text(Remove “Laptop”?)');
  await page.page.locator('[role="dialog"] ::-p-aria([name="Remove"][role="button"])').click();
  await page.miss("main li");
  await signOut(page, stage.url);
  await authenticator.attend(async () => {
    await page.press("Sign in with a passkey");
    await page.see('main [role="alert"]');
  });
  assert.deepEqual((await ann.passkeys.list()).items, []);
  assert.deepEqual(unexpectedComplaints(page), []);
});

test("a passkey that the browser suggests in the email field signs in", async (t) => {
  const stage = await startPasskeyServer(t);
  const ann = createClient({ baseUrl: stage.url });
  await ann.signUp(ANN);
  const { page, authenticator } = await stage.open("/settings/security");
  await signInAsAnn(page);
  await page.press("Add a passkey");
  await authenticator.attend(async () => {
    await page.press("Add the passkey");
    await page.see("main li");
  });
  await signOut(page, stage.url);
  await page.see('#email[autocomplete="username webauthn"]');
  await authenticator.attend(async () => {
    await page.page.goto(`${stage.url}/sign-in?next=%2Fdevices`);
    await page.see("h1 ::-p-text(Devices)");
  });
  assert.deepEqual(unexpectedComplaints(page), []);
});

test("sign-in through an identity provider returns to the requested page, or says why not", async (t) => {
  const stage = await startPasskeyServer(t);
  const { page } = await stage.open("/keys");
  const { provider } = stage;
  await redirectProvider(page, provider.issuer, (url) => {
    const parameters = provider.authorize(url, PERSON);
    return `${stage.url}/sign-in/oidc?${new URLSearchParams(parameters).toString()}`;
  });
  await page.press("Continue with Example ID");
  await page.see("h1 ::-p-text(API keys)");
  await page.see(`header ::-p-text(${PERSON.email})`);

  await page.page.goto(`${stage.url}/settings/security`);
  await page.see("main ::-p-text(You have no password)");
  await signOut(page, stage.url);
  await page.page.goto(`${stage.url}/sign-in/oidc?error=access_denied&state=x`);
  assert.match(await page.see('[role="alert"]'), /cancelled/);
  assert.equal(new URL(page.page.url()).search, "");
  await page.follow("Back to sign-in");
  await page.see("form");
});

/** Disables suggestions: otherwise the virtual authenticator accepts one before the button is clicked. */
const NO_SUGGESTIONS = "PublicKeyCredential.isConditionalMediationAvailable = async () => false";

test("deleting the account needs its email address, and the password again after a while", async (t) => {
  const stage = await startPasskeyServer(t);
  const ann = createClient({ baseUrl: stage.url });
  await ann.signUp(ANN);
  const { page } = await stage.open("/settings");
  await signInAsAnn(page);
  await page.press("Change name");
  await page.fillIn({ name: "Ann Smith" });
  await page.press("Save");
  await page.see("header ::-p-text(Ann Smith)");
  await page.miss('[role="dialog"]');

  await page.press("Delete account");
  await page.fillIn({ confirmation: "ben@example.org" });
  await page.press("Delete permanently");
  await page.see("#confirmation-error");
  stage.advance(STALE_SIGN_IN_MS);
  await page.fillIn({ confirmation: ANN.email });
  await page.press("Delete permanently");
  await page.see("#password");
  assert.equal(await focused(page), "password");
  await page.fillIn({ password: "not this one" });
  await page.press("Delete permanently");
  assert.match(await page.see("#password-error"), /not your password/);
  await page.fillIn({ password: ANN.password });
  await page.press("Delete permanently");
  await page.see("h1 ::-p-text(Sign in)");
  await signInAsAnn(page);
  assert.match(await page.see('main [role="alert"]'), /e-mail address or the password is wrong/);
  const expected = /\b40[013]\b/;
  assert.deepEqual(
    page.complaints.filter((complaint) => !expected.test(complaint)),
    [],
  );
});

test("the access page ends sessions and access tokens", async (t) => {
  const stage = await startPasskeyServer(t);
  const [ann, otherSession] = [
    createClient({ baseUrl: stage.url }),
    createClient({ baseUrl: stage.url }),
  ];
  await ann.signUp(ANN);
  await otherSession.signIn(ANN);
  const { page } = await stage.open("/settings/access");
  await signInAsAnn(page);
  await page.see("main li ::-p-text(This browser)");
  await page.press("Create an access token");
  await page.fillIn({ label: "Command line" });
  await page.press("Create the token");
  const accessToken = await page.see('[role="group"][aria-label="Access token"]');
  const program = createClient({ baseUrl: stage.url, accessToken: accessToken.trim() });
  assert.equal((await program.me()).email, ANN.email);
  await page.press("Done");
  await page.miss('[role="dialog"]');

  await page.press("Sign out all others");
  await page.see('[role="dialog"]');
  await page.page
    .locator('[role="dialog"] ::-p-aria([name="Sign out all others"][role="button"])')
    .click();
  await page.miss('[role="dialog"]');
  await assert.rejects(otherSession.me(), { status: 401 });
  assert.equal((await program.sessions.list()).items.length, 1);
  await page.press("Revoke Command line");
  await page.see('[role="dialog"]');
  await page.page.locator('[role="dialog"] ::-p-aria([name="Revoke"][role="button"])').click();
  await page.miss('[role="dialog"]');
  await assert.rejects(program.me(), { status: 401 });
  assert.deepEqual(page.complaints, []);
});

/** Longer than a sign-in counts as recent. */
const STALE_SIGN_IN_MS = 11 * 60_000;

const PERSON = { sub: "1", email: "ben@example.org", email_verified: true, name: "Ben" };

async function signInAsAnn(page: ConsolePage): Promise<void> {
  await page.fillIn({ email: ANN.email, password: ANN.password });
  await page.press("Sign in");
}

async function signOut(page: ConsolePage, url: string): Promise<void> {
  await page.page.goto(`${url}/settings`);
  await page.press("Sign out");
  await page.see("h1 ::-p-text(Sign in)");
}

/** Redirects requests to the identity provider, which has no pages, straight back to the server. */
async function redirectProvider(
  { page }: ConsolePage,
  issuer: string,
  returnUrl: (url: string) => string,
): Promise<void> {
  await page.setRequestInterception(true);
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${issuer}/`)) return void request.continue();
    void request.respond({ status: 302, headers: { location: returnUrl(url) } });
  });
}

async function focused({ page }: ConsolePage): Promise<unknown> {
  return page.evaluate("document.activeElement?.id");
}

function unexpectedComplaints(page: ConsolePage): readonly string[] {
  return page.complaints.filter((complaint) => !BAD_REQUEST.test(complaint));
}
