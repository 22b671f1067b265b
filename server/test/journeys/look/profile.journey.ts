import assert from "node:assert/strict";
import test from "node:test";
import { createClient, type Client } from "@tocsin/sdk";
import { totpCode } from "../../support/authenticator.ts";
import {
  examine,
  resize,
  lookAt,
  SIZES,
  type Finding,
  type View,
} from "../../support/console-look.ts";
import { ANN } from "../../support/console-stage.ts";
import {
  startPasskeyServer,
  type PasskeyServer,
  type PageWithAuthenticator,
} from "../../support/passkey-server.ts";
import { realNow } from "../../support/surroundings.ts";

const PROFILE = { path: "/settings", shows: "main section" };
const SECURITY = { path: "/settings/security", shows: "main section button ::-p-text(Turn on)" };
const SECURITY_FULL = { ...SECURITY, shows: "main li" };
const ACCESS = { path: "/settings/access", shows: "main li" };

test("the profile pages break no rule of WCAG 2.2 A and AA", async (t) => {
  const stage = await startPasskeyServer(t);
  const ann = createClient({ baseUrl: stage.url });
  await ann.signUp(ANN);
  const { page, authenticator } = await signInAsAnn(stage);
  await lookAt(page, {
    sights: [
      { name: "profile", ...PROFILE },
      dialog("profile-name", PROFILE, "Change name"),
      dialog("profile-email", PROFILE, "Change address"),
      dialog("profile-delete", PROFILE, "Delete account", '[role="dialog"] form'),
      { name: "security", ...SECURITY },
      dialog("security-password", SECURITY, "Change password"),
      dialog("security-turn-on", SECURITY, "Turn on"),
      dialog("security-add-passkey", SECURITY, "Add a passkey"),
      { name: "access", ...ACCESS },
      dialog("access-new-token", ACCESS, "Create an access token"),
    ],
  });
  await fillProfile(ann, stage.url);
  await page.page.goto(`${stage.url}/settings/security`);
  await page.press("Add a passkey");
  await authenticator.attend(async () => {
    await page.press("Add the passkey");
    await page.see("main li");
  });
  await lookAt(page, { sights: FULL_PAGES });
});

test("secrets that are shown once, in German, break no rule of WCAG 2.2 A and AA", async (t) => {
  const stage = await startPasskeyServer(t);
  const ann = createClient({ baseUrl: stage.url });
  await ann.signUp({ ...ANN, name: "Annemarie Freifrau von Hohenstein-Wolkenburg" });
  const { page } = await signInAsAnn(stage);
  await page.page.evaluate(`localStorage.setItem("tocsin.language", "de")`);
  const findings: Finding[] = [];
  for (const size of SIZES) {
    await resize(page, size);
    const examineStep = async (name: string) =>
      findings.push(...(await examine(page, { name: `${name}-german`, size })));
    await page.page.goto(`${stage.url}/settings`);
    await page.see("main section");
    await examineStep("profile");
    await page.page.goto(`${stage.url}/settings/security`);
    await page.press("Einschalten");
    await page.fillIn({ password: ANN.password });
    await page.press("Weiter");
    const secret = await page.see('[role="group"][aria-label="Schlüssel"]');
    await examineStep("security-secret");
    await page.fillIn({ code: totpCode(secret.trim(), realNow()) });
    await page.page.locator('[role="dialog"] form button[type="submit"]').click();
    await page.see('[role="group"][aria-label="Ersatzcodes"]');
    await examineStep("security-codes");
    await page.press("Ich habe sie gespeichert");
    await page.miss('[role="dialog"]');
    await examineStep("security");
    await ann.twoFactor.end({ password: ANN.password });
    await page.page.goto(`${stage.url}/settings/access`);
    await page.press("Zugriffstoken anlegen");
    await page.fillIn({ label: "Befehlszeile" });
    await page.press("Token anlegen");
    await page.see('[role="group"][aria-label="Zugriffstoken"]');
    await examineStep("access-token");
  }
  assert.deepEqual(findings, []);
  assert.deepEqual(page.complaints, []);
});

/** Signs Ann in at the console. */
async function signInAsAnn(stage: PasskeyServer): Promise<PageWithAuthenticator> {
  const visit = await stage.open("/sign-in");
  await visit.page.fillIn({ email: ANN.email, password: ANN.password });
  await visit.page.press("Sign in");
  await visit.page.see("header ::-p-text(ann@example.org)");
  return visit;
}

/** Creates everything that the pages can show. */
async function fillProfile(ann: Client, url: string): Promise<void> {
  const { secret } = await ann.twoFactor.begin({ password: ANN.password });
  await ann.twoFactor.confirm({ code: totpCode(secret, realNow()) });
  await ann.accessTokens.create({ label: "Command line of the laptop" });
  await ann.accessTokens.create({ label: "Phone" });
  await ann.teams.create({ name: "Operations" });
  const { code } = await ann.pairings.create();
  await createClient({ baseUrl: url }).pair({ code });
}

function dialog(
  name: string,
  page: Pick<View, "path" | "shows">,
  button: string | readonly string[],
  shows = '[role="dialog"]',
): View {
  return { name, ...page, opens: { button, shows } };
}

const FULL_PAGES: readonly View[] = [
  dialog("profile-delete-owner", PROFILE, "Delete account", '[role="dialog"] [role="alert"]'),
  { name: "security-full", ...SECURITY_FULL },
  dialog("security-passkey-menu", SECURITY_FULL, "Actions for Chrome on Linux", '[role="menu"]'),
  dialog("security-rename", SECURITY_FULL, ["Actions for Chrome on Linux", "Rename"]),
  dialog("security-remove", SECURITY_FULL, ["Actions for Chrome on Linux", "Remove"]),
  dialog("security-new-codes", SECURITY_FULL, "New backup codes"),
  dialog("security-turn-off", SECURITY_FULL, "Turn off"),
  { name: "access-full", ...ACCESS },
  dialog("access-end-others", ACCESS, "Sign out all others"),
  dialog("access-revoke", ACCESS, "Revoke Command line of the laptop"),
];
