import assert from "node:assert/strict";
import test from "node:test";
import { createClient } from "@tocsin/sdk";
import { totpCode } from "../../support/authenticator.ts";
import { examine, resize, lookAt, SIZES, type Finding } from "../../support/console-look.ts";
import { ANN } from "../../support/console-stage.ts";
import { startPasskeyServer } from "../../support/passkey-server.ts";
import { realNow } from "../../support/surroundings.ts";

const SIGN_IN_PAGES = [
  { name: "sign-in-ways", path: "/sign-in", shows: "button ::-p-text(Example ID)" },
  { name: "sign-in-ended", path: "/sign-in?ended=true", shows: 'main [role="status"]' },
  { name: "sign-up-ways", path: "/sign-up", shows: "button ::-p-text(Example ID)" },
  { name: "oidc-cancelled", path: "/sign-in/oidc?error=access_denied", shows: '[role="alert"]' },
  { name: "oidc-over", path: "/sign-in/oidc?state=x&code=y", shows: '[role="alert"]' },
  { name: "verify-email-change", path: "/verify-email-change#token=x", shows: "main button" },
];

test("the sign-in pages break no rule of WCAG 2.2 A and AA", async (t) => {
  const stage = await startPasskeyServer(t);
  const { page } = await stage.open("/sign-in");
  await lookAt(page, { sights: SIGN_IN_PAGES, expected: /400/ });
});

test("the two-factor step of sign-in breaks no rule of WCAG 2.2 A and AA", async (t) => {
  const stage = await startPasskeyServer(t);
  const ann = createClient({ baseUrl: stage.url });
  await ann.signUp(ANN);
  const { secret } = await ann.twoFactor.begin({ password: ANN.password });
  await ann.twoFactor.confirm({ code: totpCode(secret, realNow()) });
  const { page } = await stage.open("/sign-in");
  const findings: Finding[] = [];
  for (const size of SIZES) {
    await resize(page, size);
    await page.page.goto(`${stage.url}/sign-in`);
    await page.fillIn({ email: ANN.email, password: ANN.password });
    await page.press("Sign in");
    await page.fillIn({ code: "000000" });
    findings.push(...(await examine(page, { name: "code", size })));
    await page.press("Continue");
    await page.see('#code[aria-invalid="true"]');
    findings.push(...(await examine(page, { name: "code-wrong", size })));
    await page.press("Use a backup code instead");
    await page.see('#code:not([aria-invalid="true"])');
    findings.push(...(await examine(page, { name: "code-backup", size })));
  }
  assert.deepEqual(findings, []);
});

test("an ended session and an expired link, in German, break no rule of WCAG 2.2 A and AA", async (t) => {
  const stage = await startPasskeyServer(t);
  const { page } = await stage.open("/sign-in");
  await page.page.evaluate(`localStorage.setItem("tocsin.language", "de")`);
  const findings: Finding[] = [];
  for (const size of SIZES) {
    await resize(page, size);
    await page.page.goto(`${stage.url}/sign-in?ended=true`);
    await page.see('main [role="status"]');
    findings.push(...(await examine(page, { name: "sign-in-ended-german", size })));
    await page.page.goto(`${stage.url}/verify#token=over`);
    await page.press("Adresse bestätigen");
    await page.see("a ::-p-text(Neuen Link anfordern)");
    findings.push(...(await examine(page, { name: "verify-over-german", size })));
  }
  assert.deepEqual(findings, []);
});
