import assert from "node:assert/strict";
import test from "node:test";
import { createClient, type Client } from "@tocsin/sdk";
import { generateTotpCode } from "../../support/totp-code.ts";
import {
  inspectPage,
  resizePage,
  inspectViews,
  JOURNEY_SIZES,
  type Finding,
  type View,
} from "../../support/console-inspection.ts";
import { ANN } from "../../support/console-fixture.ts";
import {
  startPasskeyServer,
  type PasskeyServer,
  type PageWithAuthenticator,
} from "../../support/passkey-server.ts";
import { realNow } from "../../support/local-deployment.ts";

const PROFILE = { path: "/settings", waitFor: "main section" };
const SECURITY = { path: "/settings/security", waitFor: "main section button ::-p-text(Turn on)" };
const SECURITY_FULL = { ...SECURITY, waitFor: "main li" };
const ACCESS = { path: "/settings/access", waitFor: "main li" };

test("the profile pages meet WCAG 2.2 A and AA", async (t) => {
  const fixture = await startPasskeyServer(t);
  const ann = createClient({ baseUrl: fixture.url });
  await ann.signUp(ANN);
  const { page, authenticator } = await signInAsAnn(fixture);
  await inspectViews(page, {
    views: [
      { name: "profile", ...PROFILE },
      createDialogView("profile-name", PROFILE, "Change name"),
      createDialogView("profile-email", PROFILE, "Change address"),
      createDialogView("profile-delete", PROFILE, "Delete account", '[role="dialog"] form'),
      { name: "security", ...SECURITY },
      createDialogView("security-password", SECURITY, "Change password"),
      createDialogView("security-turn-on", SECURITY, "Turn on"),
      createDialogView("security-add-passkey", SECURITY, "Add a passkey"),
      { name: "access", ...ACCESS },
      createDialogView("access-new-token", ACCESS, "Create an access token"),
    ],
  });
  await fillProfile(ann, fixture.url);
  await page.tab.goto(`${fixture.url}/settings/security`);
  await page.press("Add a passkey");
  await authenticator.whileUserIsPresent(async () => {
    await page.press("Add the passkey");
    await page.waitFor("main li");
  });
  await inspectViews(page, { views: FULL_PAGES });
});

test("secrets that are shown once, in German, meet WCAG 2.2 A and AA", async (t) => {
  const fixture = await startPasskeyServer(t);
  const ann = createClient({ baseUrl: fixture.url });
  await ann.signUp({ ...ANN, name: "Annemarie Freifrau von Hohenstein-Wolkenburg" });
  const { page } = await signInAsAnn(fixture);
  await page.tab.evaluate(`localStorage.setItem("tocsin.language", "de")`);
  const findings: Finding[] = [];
  for (const size of JOURNEY_SIZES) {
    await resizePage(page, size);
    const examineStep = async (name: string) =>
      findings.push(...(await inspectPage(page, { name: `${name}-german`, size })));
    await page.tab.goto(`${fixture.url}/settings`);
    await page.waitFor("main section");
    await examineStep("profile");
    await page.tab.goto(`${fixture.url}/settings/security`);
    await page.press("Einschalten");
    await page.fillIn({ password: ANN.password });
    await page.press("Weiter");
    const secret = await page.waitFor('[role="group"][aria-label="Schlüssel"]');
    await examineStep("security-secret");
    await page.fillIn({ code: generateTotpCode(secret.trim(), realNow()) });
    await page.tab.locator('[role="dialog"] form button[type="submit"]').click();
    await page.waitFor('[role="group"][aria-label="Ersatzcodes"]');
    await examineStep("security-codes");
    await page.press("Ich habe sie gespeichert");
    await page.waitUntilGone('[role="dialog"]');
    await examineStep("security");
    await ann.twoFactor.end({ password: ANN.password });
    await page.tab.goto(`${fixture.url}/settings/access`);
    await page.press("Zugriffstoken anlegen");
    await page.fillIn({ label: "Befehlszeile" });
    await page.press("Token anlegen");
    await page.waitFor('[role="group"][aria-label="Zugriffstoken"]');
    await examineStep("access-token");
  }
  assert.deepEqual(findings, []);
  assert.deepEqual(page.consoleErrors, []);
});

/** Signs Ann in at the console. */
async function signInAsAnn(fixture: PasskeyServer): Promise<PageWithAuthenticator> {
  const openedPage = await fixture.openPage("/sign-in");
  await openedPage.page.fillIn({ email: ANN.email, password: ANN.password });
  await openedPage.page.press("Sign in");
  await openedPage.page.waitFor("header ::-p-text(ann@example.org)");
  return openedPage;
}

/** Creates what an empty profile lacks: two-factor sign-in, access tokens, a team and a paired session. */
async function fillProfile(ann: Client, url: string): Promise<void> {
  const { secret } = await ann.twoFactor.begin({ password: ANN.password });
  await ann.twoFactor.confirm({ code: generateTotpCode(secret, realNow()) });
  await ann.accessTokens.create({ label: "Command line of the laptop" });
  await ann.accessTokens.create({ label: "Phone" });
  await ann.teams.create({ name: "Operations" });
  const { code } = await ann.pairings.create();
  await createClient({ baseUrl: url }).pair({ code });
}

function createDialogView(
  name: string,
  page: Pick<View, "path" | "waitFor">,
  button: string | readonly string[],
  waitFor = '[role="dialog"]',
): View {
  return { name, ...page, thenPress: { button, waitFor } };
}

const FULL_PAGES: readonly View[] = [
  createDialogView(
    "profile-delete-owner",
    PROFILE,
    "Delete account",
    '[role="dialog"] [role="alert"]',
  ),
  { name: "security-full", ...SECURITY_FULL },
  createDialogView(
    "security-passkey-menu",
    SECURITY_FULL,
    "Actions for Chrome on Linux",
    '[role="menu"]',
  ),
  createDialogView("security-rename", SECURITY_FULL, ["Actions for Chrome on Linux", "Rename"]),
  createDialogView("security-remove", SECURITY_FULL, ["Actions for Chrome on Linux", "Remove"]),
  createDialogView("security-new-codes", SECURITY_FULL, "New backup codes"),
  createDialogView("security-turn-off", SECURITY_FULL, "Turn off"),
  { name: "access-full", ...ACCESS },
  createDialogView("access-end-others", ACCESS, "Sign out all others"),
  createDialogView("access-revoke", ACCESS, "Revoke Command line of the laptop"),
];
