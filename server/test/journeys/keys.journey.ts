import assert from "node:assert/strict";
import test from "node:test";
import { createClient } from "@tocsin/sdk";
import type { ConsolePage } from "../support/console-page.ts";
import { setUp, startStage } from "../support/console-stage.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

const KEY = '[role="group"][aria-label="API key"]';

test("after a rotation the old key works through the overlap, or ends immediately without one", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const stage = await startStage(t, browsers);
  const { page } = await setUp(stage, browsers);
  await page.go("API keys");
  await page.press("Create an API key");
  await page.fillIn({ label: "Backup" });
  await choose(page, "Valid", "For 90 days");
  await page.press("Create the key");
  await page.miss('[role="dialog"]');
  const first = await page.see(KEY);
  assert.match(await page.see("main li"), /Backup[^]*Expires /);

  const second = await rotate(page, first, "Keep for an hour");
  assert.equal(await canSend(stage.url, first), true);
  assert.equal(await canSend(stage.url, second), true);
  assert.match(await page.see("main li ::-p-text(Replaced)"), /Replaced/);

  const third = await rotate(page, second, "Revoke immediately");
  assert.equal(await canSend(stage.url, second), false);
  assert.equal(await canSend(stage.url, first), true);
  assert.equal(await canSend(stage.url, third), true);

  await page.press(`Actions for the key ending in ${first.slice(-4)}`);
  await page.press("Revoke");
  await page.see('[role="dialog"]');
  await page.press("Revoke");
  await page.see(`::-p-text(The key …${first.slice(-4)} was revoked.)`);
  assert.equal(await canSend(stage.url, first), false);
  assert.deepEqual(page.complaints, []);
});

test("the builder's webhook URL sends the typed text with the new key", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const stage = await startStage(t, browsers);
  const { page, client } = await setUp(stage, browsers);
  await page.go("API keys");
  await page.press("Create an API key");
  await page.press("Create the key");
  await page.miss('[role="dialog"]');
  const key = await page.see(KEY);
  await page.follow("Webhooks and code examples");
  await fill(page, "Title", `Door "north" & 'south' + 100 %`);
  const webhookUrl = await page.see('[role="group"][aria-label="Webhook URL"]');
  assert.ok(webhookUrl.includes(key));
  const response = await fetch(webhookUrl);
  assert.equal(response.status, 200);
  const [sent] = (await client.feed.list()).items;
  assert.equal(sent?.title, `Door "north" & 'south' + 100 %`);
  for (const name of ["curl", "JavaScript", "Python", "PowerShell", "Uptime Kuma", "Grafana"]) {
    await page.page.locator(`::-p-aria([name="${name}"][role="tab"])`).click();
    assert.ok((await page.see(`[role="group"][aria-label="${name}"]`)).includes(key), name);
  }
  await page.page.locator('::-p-aria([name="GitHub Actions"][role="tab"])').click();
  const step = await page.see('[role="group"][aria-label="GitHub Actions"]');
  assert.ok(!step.includes(key));
  assert.deepEqual(page.complaints, []);
});

test("a POST-only key is created, offered without a URL to open, and switched back", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const stage = await startStage(t, browsers);
  const { page, client } = await setUp(stage, browsers);
  await page.go("API keys");
  await page.press("Create an API key");
  await page.page.locator("label ::-p-text(POST only)").click();
  await page.press("Create the key");
  await page.miss('[role="dialog"]');
  const key = await page.see(KEY);
  assert.match(await page.see("main li"), /POST only/);
  await page.follow("Webhooks and code examples");
  const command = await page.see(
    '[role="group"][aria-label="Webhook URL"] ::-p-text(curl -X POST)',
  );
  const [webhookUrl = ""] = /https?:[^']+/.exec(command) ?? [];
  assert.ok(webhookUrl.includes(key));
  assert.equal((await fetch(webhookUrl)).status, 400);
  assert.deepEqual((await client.feed.list()).items, []);
  assert.equal((await fetch(webhookUrl, { method: "POST" })).status, 200);
  assert.equal((await client.feed.list()).items.length, 1);

  await page.follow("API keys");
  await page.press(`Actions for the key ending in ${key.slice(-4)}`);
  await page.press("Allow GET again");
  await page.see(`::-p-text(The key …${key.slice(-4)} now accepts GET too.)`);
  await page.miss("main li ::-p-text(POST only)");
  assert.equal((await fetch(webhookUrl)).status, 200);
  await page.press(`Actions for the key ending in ${key.slice(-4)}`);
  await page.press("Allow POST only");
  await page.see("main li ::-p-text(POST only)");
  assert.equal((await fetch(webhookUrl)).status, 400);
  // A pasted key is recognised by its last characters.
  await page.page.reload();
  await page.follow("Webhooks and code examples");
  await fill(page, "API key", key);
  await page.see('[role="group"][aria-label="Webhook URL"] ::-p-text(curl -X POST)');
  assert.deepEqual(page.complaints, []);
});

async function rotate(page: ConsolePage, key: string, overlap: string): Promise<string> {
  const hint = key.slice(-4);
  await page.press(`Actions for the key ending in ${hint}`);
  await page.press("Rotate");
  await page.see('[role="dialog"]');
  await choose(page, "Old key", overlap);
  await page.press("Rotate");
  await page.miss('[role="dialog"]');
  await page.see(`::-p-text(The key …${hint} was replaced by a new one.)`);
  const newKey = await page.see(KEY);
  assert.notEqual(newKey, key);
  return newKey;
}

/** Chooses an option of the select with this label. */
async function choose(page: ConsolePage, label: string, option: string): Promise<void> {
  await page.page.locator(`::-p-aria([name="${label}"])`).click();
  await page.page.locator(`[role="option"] ::-p-text(${option})`).click();
}

/** Fills a field, with retries: Puppeteer clears it by script, and on a busy machine React may restore its text. */
async function fill(page: ConsolePage, label: string, text: string): Promise<void> {
  const selector = `::-p-aria([name="${label}"][role="textbox"])`;
  for (let tries = 0; tries < FILL_TRIES_MAX; tries += 1) {
    await page.page.locator(selector).fill(text);
    const shown = await page.page.$eval(selector, (field) => "value" in field && field.value);
    if (shown === text) return;
  }
  assert.fail(`${label} does not keep its text.`);
}

const FILL_TRIES_MAX = 3;

async function canSend(baseUrl: string, apiKey: string): Promise<boolean> {
  const sent = createClient({ baseUrl, apiKey }).notify({ title: "Is it accepted?", body: "" });
  return sent.then(
    () => true,
    () => false,
  );
}
