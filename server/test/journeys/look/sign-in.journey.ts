import assert from "node:assert/strict";
import test from "node:test";
import { createClient } from "@tocsin/sdk";
import { generateTotpCode } from "../../support/totp-code.ts";
import {
  inspectPage,
  resizePage,
  inspectViews,
  JOURNEY_SIZES,
  type Finding,
} from "../../support/console-inspection.ts";
import { ANN } from "../../support/console-fixture.ts";
import { startPasskeyServer } from "../../support/passkey-server.ts";
import { realNow } from "../../support/local-deployment.ts";

const SIGN_IN_PAGES = [
  { name: "sign-in-ways", path: "/sign-in", waitFor: "button ::-p-text(Example ID)" },
  { name: "sign-in-ended", path: "/sign-in?ended=true", waitFor: 'main [role="status"]' },
  { name: "sign-up-ways", path: "/sign-up", waitFor: "button ::-p-text(Example ID)" },
  { name: "oidc-cancelled", path: "/sign-in/oidc?error=access_denied", waitFor: '[role="alert"]' },
  { name: "oidc-over", path: "/sign-in/oidc?state=x&code=y", waitFor: '[role="alert"]' },
  { name: "verify-email-change", path: "/verify-email-change#token=x", waitFor: "main button" },
];

test("the sign-in pages meet WCAG 2.2 A and AA", async (t) => {
  const fixture = await startPasskeyServer(t);
  const { page } = await fixture.openPage("/sign-in");
  await inspectViews(page, { views: SIGN_IN_PAGES, expectedErrors: /400/ });
});

test("the two-factor step of sign-in meets WCAG 2.2 A and AA", async (t) => {
  const fixture = await startPasskeyServer(t);
  const ann = createClient({ baseUrl: fixture.url });
  await ann.signUp(ANN);
  const { secret } = await ann.twoFactor.begin({ password: ANN.password });
  await ann.twoFactor.confirm({ code: generateTotpCode(secret, realNow()) });
  const { page } = await fixture.openPage("/sign-in");
  const findings: Finding[] = [];
  for (const size of JOURNEY_SIZES) {
    await resizePage(page, size);
    await page.tab.goto(`${fixture.url}/sign-in`);
    await page.fillIn({ email: ANN.email, password: ANN.password });
    await page.press("Sign in");
    await page.fillIn({ code: "000000" });
    findings.push(...(await inspectPage(page, { name: "code", size })));
    await page.press("Continue");
    await page.waitFor('#code[aria-invalid="true"]');
    findings.push(...(await inspectPage(page, { name: "code-wrong", size })));
    await page.press("Use a backup code instead");
    await page.waitFor('#code:not([aria-invalid="true"])');
    findings.push(...(await inspectPage(page, { name: "code-backup", size })));
  }
  assert.deepEqual(findings, []);
});

test("an ended session and an expired link, in German, meet WCAG 2.2 A and AA", async (t) => {
  const fixture = await startPasskeyServer(t);
  const { page } = await fixture.openPage("/sign-in");
  await page.tab.evaluate(`localStorage.setItem("tocsin.language", "de")`);
  const findings: Finding[] = [];
  for (const size of JOURNEY_SIZES) {
    await resizePage(page, size);
    await page.tab.goto(`${fixture.url}/sign-in?ended=true`);
    await page.waitFor('main [role="status"]');
    findings.push(...(await inspectPage(page, { name: "sign-in-ended-german", size })));
    await page.tab.goto(`${fixture.url}/verify#token=over`);
    await page.press("Adresse bestätigen");
    await page.waitFor("a ::-p-text(Neuen Link anfordern)");
    findings.push(...(await inspectPage(page, { name: "verify-over-german", size })));
  }
  assert.deepEqual(findings, []);
});
