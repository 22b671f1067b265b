import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test, { type TestContext } from "node:test";
import type { Page } from "puppeteer-core";
import { createClient } from "@tocsin/sdk";
import { totpCode } from "#accounts/two-factor/totp.ts";
import { startApp } from "../support/app.ts";
import { launchChromium } from "../support/browsers.ts";
import { freePort } from "../support/console-stage.ts";

/** What the console speaks to authenticators with, for pages without modules. */
const LIBRARY = new URL(
  "../dist/bundle/index.umd.min.js",
  import.meta.resolve("@simplewebauthn/browser"),
);
const ANN = { email: "ann@example.org", name: "Ann", password: "password of Ann" };

test("Chromium's authenticator registers a passkey and signs in with it, without a name or a code", async (t) => {
  const { page, url, authenticatorId } = await arrive(t);
  const ann = createClient({ baseUrl: url });
  await ann.signUp(ANN);
  await ask(page, "/api/auth/sign-in/email", ANN);
  const options = await ask(page, "/api/app/v1/passkeys/options", {});
  await page.evaluate(await readFile(LIBRARY, "utf8"));
  const credential = await page.evaluate(`(${CREATE})(${JSON.stringify(options)})`);
  const made = await ask(page, "/api/app/v1/passkeys", { name: "Chromium", credential });
  const { secret } = await ann.twoFactor.begin({ password: ANN.password });
  await ann.twoFactor.confirm({ code: totpCode(secret, Date.now()) });
  await ask(page, "/api/auth/sign-out", {});

  await signIn(page);
  await page.goto(url);
  assert.match(await textOf(page, "header ::-p-text(ann@example.org)"), /ann@example\.org/);
  const { items } = await ann.passkeys.list();
  assert.deepEqual([items[0]?.name, items.length], ["Chromium", 1]);
  assert.notEqual(items[0]?.lastUsedAt, null);

  const { cdp } = authenticatorId;
  await cdp.send("WebAuthn.setUserVerified", { ...authenticatorId.of, isUserVerified: false });
  await ask(page, "/api/auth/sign-out", {});
  await assert.rejects(signIn(page));
  // As the server made it.
  await ann.passkeys.remove((made as { readonly id: string }).id);
  await cdp.send("WebAuthn.setUserVerified", { ...authenticatorId.of, isUserVerified: true });
  await assert.rejects(signIn(page), /400/);
});

async function arrive(t: TestContext) {
  // A passkey belongs to a name: browsers make none for an IP address.
  const port = await freePort();
  const url = `http://localhost:${port}`;
  await startApp(t, {
    environment: { TOCSIN_PORT: String(port), TOCSIN_HOST: "localhost", TOCSIN_BASE_URL: url },
  });
  const browser = await launchChromium();
  t.after(() => browser.stop());
  const page = await browser.newPage();
  await page.goto(url);
  const cdp = await page.createCDPSession();
  await cdp.send("WebAuthn.enable");
  const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  });
  return { url, page, authenticatorId: { cdp, of: { authenticatorId } } };
}

async function signIn(page: Page): Promise<void> {
  const options = await ask(page, "/api/auth/sign-in/passkey/options", {});
  await page.evaluate(await readFile(LIBRARY, "utf8"));
  const credential = await page.evaluate(`(${GET})(${JSON.stringify(options)})`);
  await ask(page, "/api/auth/sign-in/passkey", { credential });
}

/** Posts from the page, as the console does; rejects with the status of a refusal. */
async function ask(page: Page, path: string, body: unknown): Promise<unknown> {
  const input = JSON.stringify([path, JSON.stringify(body)]);
  return page.evaluate(`(${POST})(...${input})`);
}

async function textOf(page: Page, selector: string): Promise<string> {
  const element = await page.locator(selector).waitHandle();
  return String(await (await element.getProperty("innerText")).jsonValue());
}

const POST = `async (path, body) => {
  const headers = { "content-type": "application/json" };
  const response = await fetch(path, { method: "POST", headers, body });
  const text = await response.text();
  if (!response.ok) throw new Error(response.status + text);
  return text === "" ? null : JSON.parse(text);
}`;

const CREATE = "(optionsJSON) => SimpleWebAuthnBrowser.startRegistration({ optionsJSON })";
const GET = "(optionsJSON) => SimpleWebAuthnBrowser.startAuthentication({ optionsJSON })";
