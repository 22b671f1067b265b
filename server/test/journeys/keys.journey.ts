import assert from "node:assert/strict";
import test from "node:test";
import { createClient } from "@tocsin/sdk";
import type { ConsolePage } from "../support/console-page.ts";
import { setUpServer, startConsoleFixture } from "../support/console-fixture.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

/** Number of last characters by which the console names a key of ours, and a token for Gotify. */
const HINT_LENGTH = 4;
const GOTIFY_HINT_LENGTH = 2;
const KEY = '[role="group"][aria-label="API key"]';

test("a rotated key keeps working during its overlap, and stops immediately without one", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const { page } = await setUpServer(fixture, browsers);
  await page.navigate("API keys");
  await page.press("Create an API key");
  await page.fillIn({ label: "Backup" });
  await choose(page, "Valid", "For 90 days");
  await page.press("Create the key");
  await page.waitUntilGone('[role="dialog"]');
  const firstKey = await page.waitFor(KEY);
  assert.match(await page.waitFor("main li"), /Backup[^]*Expires /);

  const secondKey = await rotateKeyOnPage(page, firstKey, "Keep for an hour");
  assert.equal(await canSend(fixture.url, firstKey), true);
  assert.equal(await canSend(fixture.url, secondKey), true);
  assert.match(await page.waitFor("main li ::-p-text(Replaced)"), /Replaced/);

  const thirdKey = await rotateKeyOnPage(page, secondKey, "Revoke immediately");
  assert.equal(await canSend(fixture.url, secondKey), false);
  assert.equal(await canSend(fixture.url, firstKey), true);
  assert.equal(await canSend(fixture.url, thirdKey), true);

  await page.press(`Actions for the key ending in ${getHint(firstKey)}`);
  await page.press("Revoke");
  await page.waitFor('[role="dialog"]');
  await page.press("Revoke");
  await page.waitFor(`::-p-text(The key …${getHint(firstKey)} was revoked.)`);
  assert.equal(await canSend(fixture.url, firstKey), false);
  assert.deepEqual(page.consoleErrors, []);
});

test("a key for programs that send to Gotify is shown once beside the server, and sends", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const { page, client } = await setUpServer(fixture, browsers);
  await page.navigate("API keys");
  await page.press("Create an API key");
  await choose(page, "For", "Programs that send to Gotify");
  await fillField(page, "Channel", "jobs");
  await page.press("Create the key");
  await page.waitUntilGone('[role="dialog"]');
  const server = await page.waitFor('[role="group"][aria-label="Server URL"]');
  const token = await page.waitFor('[role="group"][aria-label="Token"]');
  assert.match(await page.waitFor("main li"), /Gotify[^]*Sends to the channel jobs/);
  const body = new URLSearchParams({ message: "42 GB" });
  const response = await fetch(`${server}/message?token=${token}`, { method: "POST", body });
  assert.equal(response.status, 200);
  assert.equal((await client.feed.list()).items[0]?.channel, "jobs");
  await page.press(`Actions for the key ending in ${getHint(token, GOTIFY_HINT_LENGTH)}`);
  await page.press("Revoke");
  await page.waitFor('[role="dialog"]');
  await page.press("Revoke");
  await page.waitUntilGone('[role="group"][aria-label="Token"]');
  assert.deepEqual(page.consoleErrors, []);
});

test("a key for programs that send to ntfy is shown once beside the server, and sends", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const { page, client } = await setUpServer(fixture, browsers);
  await page.navigate("API keys");
  await page.press("Create an API key");
  await choose(page, "For", "Programs that send to ntfy");
  await page.press("Create the key");
  await page.waitUntilGone('[role="dialog"]');
  const server = await page.waitFor('[role="group"][aria-label="Server URL"]');
  const token = await page.waitFor('[role="group"][aria-label="Token"]');
  await choose(page, "Settings for", "Sonarr, Radarr");
  assert.equal(await page.waitFor('[role="group"][aria-label="Access Token"]'), token);
  assert.equal(await page.waitFor('[role="group"][aria-label="Topics"]'), "series");
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${server}/jobs`, { method: "POST", headers, body: "42 GB" });
  assert.equal(response.status, 200);
  assert.equal((await client.feed.list()).items[0]?.channel, "jobs");
  assert.deepEqual(page.consoleErrors, []);
});

test("the builder's webhook URL sends the typed text with the new key", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const { page, client } = await setUpServer(fixture, browsers);
  await page.navigate("API keys");
  await page.press("Create an API key");
  await page.press("Create the key");
  await page.waitUntilGone('[role="dialog"]');
  const key = await page.waitFor(KEY);
  await page.followLink("Webhooks and code examples");
  await fillField(page, "Title", `Door "north" & 'south' + 100 %`);
  const webhookUrl = await page.waitFor('[role="group"][aria-label="Webhook URL"]');
  assert.ok(webhookUrl.includes(key));
  const response = await fetch(webhookUrl);
  assert.equal(response.status, 200);
  const [sent] = (await client.feed.list()).items;
  assert.equal(sent?.title, `Door "north" & 'south' + 100 %`);
  for (const name of ["curl", "JavaScript", "Python", "PowerShell", "Uptime Kuma", "Grafana"]) {
    await page.tab.locator(`::-p-aria([name="${name}"][role="tab"])`).click();
    assert.ok((await page.waitFor(`[role="group"][aria-label="${name}"]`)).includes(key), name);
  }
  await page.tab.locator('::-p-aria([name="GitHub Actions"][role="tab"])').click();
  const step = await page.waitFor('[role="group"][aria-label="GitHub Actions"]');
  assert.ok(!step.includes(key));
  assert.deepEqual(page.consoleErrors, []);
});

test("a POST-only key refuses GET, and is shown with a command for POST until GET is allowed again", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const { page, client } = await setUpServer(fixture, browsers);
  await page.navigate("API keys");
  await page.press("Create an API key");
  await page.tab.locator("label ::-p-text(POST only)").click();
  await page.press("Create the key");
  await page.waitUntilGone('[role="dialog"]');
  const key = await page.waitFor(KEY);
  assert.match(await page.waitFor("main li"), /POST only/);
  await page.followLink("Webhooks and code examples");
  const command = await page.waitFor(
    '[role="group"][aria-label="Webhook URL"] ::-p-text(curl -X POST)',
  );
  const [webhookUrl = ""] = /https?:[^']+/.exec(command) ?? [];
  assert.ok(webhookUrl.includes(key));
  assert.equal((await fetch(webhookUrl)).status, 400);
  assert.deepEqual((await client.feed.list()).items, []);
  assert.equal((await fetch(webhookUrl, { method: "POST" })).status, 200);
  assert.equal((await client.feed.list()).items.length, 1);

  await page.followLink("API keys");
  await page.press(`Actions for the key ending in ${getHint(key)}`);
  await page.press("Allow GET again");
  await page.waitFor(`::-p-text(The key …${getHint(key)} now accepts GET too.)`);
  await page.waitUntilGone("main li ::-p-text(POST only)");
  assert.equal((await fetch(webhookUrl)).status, 200);
  await page.press(`Actions for the key ending in ${getHint(key)}`);
  await page.press("Allow POST only");
  await page.waitFor("main li ::-p-text(POST only)");
  assert.equal((await fetch(webhookUrl)).status, 400);
  // A pasted key is recognised by its last characters.
  await page.tab.reload();
  await page.followLink("Webhooks and code examples");
  await fillField(page, "API key", key);
  await page.waitFor('[role="group"][aria-label="Webhook URL"] ::-p-text(curl -X POST)');
  assert.deepEqual(page.consoleErrors, []);
});

test("a callback secret is created in the menu of a key, shown once, and replaced by the next", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const { page, client } = await setUpServer(fixture, browsers);
  const { key } = await client.keys.create({ kind: "account", label: "Backup" });
  await page.navigate("API keys");
  const secret = await createCallbackSecretOnPage(page, key);
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  const [listed] = (await client.keys.list()).items.filter(({ label }) => label === "Backup");
  assert.equal(listed?.hasCallbackSecret, true);
  await page.press("Close");
  await page.waitUntilGone('[role="dialog"]');
  await page.press(`Actions for the key ending in ${getHint(key)}`);
  await page.press("Callback secret");
  assert.match(await page.waitFor('[role="dialog"]'), /A new one replaces it/);
  assert.ok(!(await page.waitFor('[role="dialog"]')).includes("whsec_"));
  await page.press("Create a secret");
  assert.notEqual(await page.waitFor(CALLBACK_SECRET), secret);
  assert.deepEqual(page.consoleErrors, []);
});

const CALLBACK_SECRET = '[role="group"][aria-label="Secret"]';

async function createCallbackSecretOnPage(page: ConsolePage, key: string): Promise<string> {
  await page.press(`Actions for the key ending in ${getHint(key)}`);
  await page.press("Callback secret");
  await page.waitFor('[role="dialog"]');
  await page.press("Create a secret");
  return page.waitFor(CALLBACK_SECRET);
}

async function rotateKeyOnPage(page: ConsolePage, key: string, overlap: string): Promise<string> {
  const hint = getHint(key);
  await page.press(`Actions for the key ending in ${hint}`);
  await page.press("Rotate");
  await page.waitFor('[role="dialog"]');
  await choose(page, "Old key", overlap);
  await page.press("Rotate");
  await page.waitUntilGone('[role="dialog"]');
  await page.waitFor(`::-p-text(The key …${hint} was replaced by a new one.)`);
  const newKey = await page.waitFor(KEY);
  assert.notEqual(newKey, key);
  return newKey;
}

function getHint(key: string, length = HINT_LENGTH): string {
  return key.slice(-length);
}

/** Chooses an option of the select with this label. */
async function choose(page: ConsolePage, label: string, option: string): Promise<void> {
  await page.tab.locator(`::-p-aria([name="${label}"])`).click();
  await page.tab.locator(`[role="option"] ::-p-text(${option})`).click();
}

/**
 * Fills a field, with retries: Puppeteer clears the field by script, and on a busy machine React may restore the text.
 */
async function fillField(page: ConsolePage, label: string, text: string): Promise<void> {
  const selector = `::-p-aria([name="${label}"][role="textbox"])`;
  for (let attempt = 0; attempt < FILL_ATTEMPTS_MAX; attempt += 1) {
    await page.tab.locator(selector).fill(text);
    const fieldText = await page.tab.$eval(selector, (field) => "value" in field && field.value);
    if (fieldText === text) return;
  }
  assert.fail(`${label} does not keep its text.`);
}

const FILL_ATTEMPTS_MAX = 3;

async function canSend(baseUrl: string, apiKey: string): Promise<boolean> {
  const pendingSend = createClient({ baseUrl, apiKey }).notify({
    title: "Is it accepted?",
    body: "",
  });
  return pendingSend.then(
    () => true,
    () => false,
  );
}
