import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import test from "node:test";
import { promisify } from "node:util";
import { addDevice } from "../support/app.ts";
import type { ConsolePage } from "../support/console-page.ts";
import {
  setUpServer,
  startConsoleFixture,
  turnOnNotifications,
} from "../support/console-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

test("the send page previews, sends and shows the outcome per device", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const ann = await setUpServer(fixture, browsers);
  const { page, client } = ann;
  await turnOnNotifications(ann);
  const tablet = await addDevice({ push: fixture.push }, ann, "Workshop tablet");
  tablet.phone.unsubscribe();
  await page.navigate("Send");
  await fillFields(page, { Title: "Door open", Text: "For 5 minutes" });
  assert.match(await page.waitFor("main [data-kind]"), /Door open[^]*For 5 minutes/);
  await page.press("Send");
  await page.waitFor(`li[data-id="${tablet.device.id}"] ::-p-text(no longer registered)`);
  await page.waitFor("main li ::-p-text(accepted)");
  await page.waitFor("main li ::-p-text(Handed over to the browser's push service)");
  const [sent] = (await client.notifications.list()).items;
  assert.equal(sent?.title, "Door open");
  const shownNotifications = await page.waitForNotification(sent?.id ?? "");
  assert.equal(shownNotifications[0]?.title, "Door open");

  await page.followLink("Details");
  await page.waitFor("main ::-p-text(Workshop tablet)");
  assert.equal(new URL(page.tab.url()).pathname, `/log/${sent?.id}`);
  assert.deepEqual(page.consoleErrors, []);
});

test("the preview shows the buttons of an emergency and of a prompt, and how a person acts on an iPhone, which shows none", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const { page } = await setUpServer(fixture, browsers);
  const showOn = (kind: string) =>
    page.tab.locator(`[role="radiogroup"] ::-p-text(${kind})`).click();
  const buttons = 'main [data-kind] ul[aria-label="Buttons"]';
  await page.navigate("Send");
  await fillFields(page, { Title: "Deploy?" });
  await showOn("Computer");
  await page.waitUntilGone(buttons);
  await page.tab.locator("summary ::-p-text(Channel)").click();
  await choose(page, "Priority", "Emergency");
  assert.equal(await page.waitFor(buttons), "Acknowledge");
  await page.tab.locator("summary ::-p-text(Ask a question)").click();
  await fillFields(page, { Choices: "yes\nno" });
  await page.waitFor(`${buttons} ::-p-text(no)`);
  assert.match(await page.waitFor(buttons), /^yes\s*no$/);
  await fillFields(page, { Choices: "yes\nno\nlater" });
  await page.waitFor(`${buttons} ::-p-text(Answer)`);
  await showOn("Android");
  assert.equal(await page.waitFor(buttons), "Answer");
  await showOn("iPhone");
  await page.waitFor("main [data-kind] ::-p-text(a tap opens the answers)");
  await page.waitUntilGone(buttons);
  assert.deepEqual(page.consoleErrors, []);
});

test("a send to a group reaches only its devices, and so does the curl command", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const ann = await setUpServer(fixture, browsers);
  const { page, client } = ann;
  const desk = await addDevice({ push: fixture.push }, ann, "Desk");
  const bedside = await addDevice({ push: fixture.push }, ann, "Bedside");
  const group = await client.groups.create({ name: "At work", deviceIds: [desk.device.id] });
  const { key } = await client.keys.create({ kind: "account" });
  await page.tab.goto(`${fixture.url}/send?group=${group.id}`);
  await fillFields(page, { Title: "It's 5 o'clock", Text: 'say "hello" & $HOME' });
  await page.press("Send");
  await page.waitFor("main li ::-p-text(accepted)");
  await desk.phone.waitForRequests(1);

  await page.tab.locator("summary ::-p-text(Send with a command)").click();
  const command = (await page.waitFor('[role="group"][aria-label="curl"]')).replace(
    "YOUR_API_KEY",
    key,
  );
  const { stdout } = await promisify(execFile)("/bin/sh", ["-c", `${command} --silent`]);
  assert.match(stdout, /Delivered to 1 of 1 device/);
  await desk.phone.waitForRequests(2);
  assert.equal(bedside.phone.requests.length, 0);
  const texts = (await client.notifications.list()).items.map(({ title, body }) => [title, body]);
  const expected = ["It's 5 o'clock", 'say "hello" & $HOME'];
  assert.deepEqual(texts, [expected, expected]);
  assert.deepEqual(page.consoleErrors, []);
});

test("errors appear beside their fields, and a draft survives a reload", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const { page } = await setUpServer(fixture, browsers);
  await page.navigate("Send");
  assert.match(await page.waitFor("main ::-p-text(No device yet)"), /No device yet/);
  await page.press("Send");
  await page.waitFor("main ::-p-text(both empty)");
  await fillFields(page, { Title: "Half written" });
  await page.tab.locator("summary ::-p-text(Channel)").click();
  await fillFields(page, { Link: "javascript:alert(1)" });
  await page.press("Send");
  await page.waitFor("main ::-p-text(must not begin with javascript)");
  await page.tab.reload();
  await page.waitFor("main [data-kind] ::-p-text(Half written)");
  assert.deepEqual(
    page.consoleErrors.filter((error) => !error.includes("400")),
    [],
  );
});

test("a retry after a lost response sends the notification once, and a changed draft is sent as a new one", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const { page, client } = await setUpServer(fixture, browsers);
  await page.navigate("Send");
  await fillFields(page, { Title: "Once" });
  await dropResponses(page, "/api/app/v1/notifications");
  await page.press("Send");
  await page.waitFor("main ::-p-text(The server is not responding)");
  await page.tab.reload();
  await page.press("Send");
  await page.waitFor("main ::-p-text(no device to send it to)");
  assert.equal((await client.notifications.list()).items.length, 1);
  await page.press("Send");
  await eventually(
    async () => (await client.notifications.list()).items.length,
    (count) => count === 2,
  );

  await dropResponses(page, "/api/app/v1/notifications");
  await page.press("Send");
  await page.waitFor("main ::-p-text(The server is not responding)");
  await fillFields(page, { Title: "Other words" });
  await page.tab.reload();
  await page.press("Send");
  await page.waitFor("main ::-p-text(no device to send it to)");
  const titles = (await client.notifications.list()).items.map(({ title }) => title);
  assert.deepEqual(titles, ["Other words", "Once", "Once", "Once"]);
});

test("input is never truncated, and a removed addressee is reported", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const ann = await setUpServer(fixture, browsers);
  const { page, client } = ann;
  const { device } = await addDevice({ push: fixture.push }, ann, "Phone");
  await client.devices.remove(device.id);
  await page.tab.goto(`${fixture.url}/send?device=${device.id}`);
  await page.waitFor("main ::-p-text(no longer send to this recipient)");
  await page.press("Send");
  assert.equal((await client.notifications.list()).items.length, 0);

  await page.tab.evaluate("sessionStorage.clear()");
  await page.tab.goto(`${fixture.url}/send`);
  await page.tab.locator('input[name="title"]').click();
  await page.tab.evaluate('document.execCommand("insertText", false, "🦊".repeat(1_030))');
  await page.waitFor("main ::-p-text(6 characters too many)");
  await page.press("Send");
  await page.waitFor("main ::-p-text(title may have at most 1024 characters)");
  await fillFields(page, { Title: "Fox" });
  await page.tab.locator("summary ::-p-text(Channel)").click();
  await page.tab.locator('input[name="channel"]').fill("my channel");
  await page.tab.locator("summary ::-p-text(Channel)").click();
  await page.press("Send");
  await page.waitFor("main details[open] ::-p-text(channel)");
  await page.waitFor("main details[open] .mantine-Autocomplete-error");
});

test("the curl command has the form's channel, link and expiry, or the page says why it cannot", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const ann = await setUpServer(fixture, browsers);
  const { page, client } = ann;
  const { device } = await addDevice({ push: fixture.push }, ann, "Phone");
  const { key } = await client.keys.create({ kind: "account" });
  await client.notifications.send({
    title: "First",
    body: "",
    to: { kind: "account" },
    channel: "ops",
  });
  await page.navigate("Send");
  await fillFields(page, { Title: "Disk" });
  await page.tab.locator("summary ::-p-text(Channel)").click();
  await page.tab.locator('input[name="channel"]').fill("o");
  await page.tab.locator('[role="option"] ::-p-text(ops)').click();
  await fillFields(page, { Link: "https://example.org/disk" });
  await choose(page, "Keep trying for", "10 minutes");
  await page.tab.locator("summary ::-p-text(Send with a command)").click();
  const shownCommand = await page.waitFor('[role="group"][aria-label="curl"]');
  const command = shownCommand.replace("YOUR_API_KEY", key);
  await promisify(execFile)("/bin/sh", ["-c", `${command} --silent`]);
  const [sent] = (await client.notifications.list()).items;
  assert.equal(sent?.channel, "ops");
  assert.equal(sent.link, "https://example.org/disk");
  assert.equal(Date.parse(sent.expiresAt) - Date.parse(sent.createdAt), 600_000);

  await page.tab.goto(`${fixture.url}/send?device=${device.id}`);
  await page.tab.locator("summary ::-p-text(Send with a command)").click();
  await page.waitFor("main ::-p-text(To reach only this device)");
  await page.waitUntilGone('[role="group"][aria-label="curl"]');
  assert.deepEqual(page.consoleErrors, []);
});

test("the send page shows ten devices, and the log entry shows all of them", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const ann = await setUpServer(fixture, browsers);
  const { page } = ann;
  for (let number = 1; number <= 12; number += 1)
    await addDevice({ push: fixture.push }, ann, `Sensor ${number}`);
  await page.navigate("Send");
  await fillFields(page, { Title: "Everyone" });
  await page.press("Send");
  await page.waitFor('main ::-p-aria([name="and 2 more"][role="link"])');
  const resultRows = await page.tab.$$('main ul[aria-label="Result"] > li');
  assert.equal(resultRows.length, 10);
  // Every result appears, even if it arrives while the page still loads the first.
  await page.waitUntilGone("main li ::-p-text(queued)");
  await page.followLink("and 2 more");
  await page.waitFor("main ::-p-text(Sensor 12)");
  assert.match(new URL(page.tab.url()).pathname, /^\/log\//);
  assert.deepEqual(page.consoleErrors, []);
});

test("signing out deletes the draft", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const { page, client } = await setUpServer(fixture, browsers);
  await page.navigate("Send");
  await fillFields(page, { Title: "Not yet" });
  const storedDrafts = `JSON.stringify(Object.entries(sessionStorage))`;
  assert.ok(String(await page.tab.evaluate(storedDrafts)).includes((await client.me()).id));
  await page.navigate("Profile & security");
  await page.press("Sign out");
  await page.waitFor("h1 ::-p-text(Sign in)");
  assert.ok(!String(await page.tab.evaluate(storedDrafts)).includes("Not yet"));
});

/**
 * Drops every response from this path until the page is reloaded, as a broken network would. The server still handles
 * the requests.
 */
async function dropResponses({ tab }: ConsolePage, path: string): Promise<void> {
  await tab.evaluate(`{
    const original = window.fetch;
    window.fetch = async (...request) => {
      const response = await original(...request);
      if (!response.url.endsWith(${JSON.stringify(path)})) return response;
      throw new TypeError("The network was lost.");
    };
  }`);
}

async function fillFields(
  page: ConsolePage,
  texts: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [label, text] of Object.entries(texts)) {
    await page.tab.locator(`::-p-aria([name="${label}"][role="textbox"])`).fill(text);
  }
}

async function choose({ tab }: ConsolePage, label: string, option: string): Promise<void> {
  await tab.locator(`::-p-aria([name="${label}"][role="combobox"])`).click();
  await tab.locator(`[role="option"] ::-p-text(${option})`).click();
}
