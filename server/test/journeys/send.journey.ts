import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import test from "node:test";
import { promisify } from "node:util";
import { addDevice } from "../support/app.ts";
import type { ConsolePage } from "../support/console-page.ts";
import { setUp, startStage, turnOn } from "../support/console-stage.ts";
import { eventually } from "../support/eventually.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

test("a person writes, previews and sends, and sees what became of it on each device", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const stage = await startStage(t, browsers);
  const ann = await setUp(stage, browsers);
  const { page, client } = ann;
  await turnOn(ann);
  const tablet = await addDevice({ push: stage.push }, ann, "Workshop tablet");
  tablet.phone.unsubscribe();
  await page.go("Send");
  await write(page, { Title: "Door open", Text: "Since 5 minutes" });
  assert.match(await page.see("main [data-kind]"), /Door open[^]*Since 5 minutes/);
  await page.press("Send");
  await page.see(`li[data-id="${tablet.device.id}"] ::-p-text(no longer registered)`);
  await page.see("main li ::-p-text(accepted)");
  await page.see("main li ::-p-text(Handed over to the browser's push service)");
  const [sent] = (await client.notifications.list()).items;
  assert.equal(sent?.title, "Door open");
  const shown = await page.shown(sent?.id ?? "");
  assert.equal(shown[0]?.title, "Door open");

  await page.follow("Details");
  await page.see("main ::-p-text(Workshop tablet)");
  assert.equal(new URL(page.page.url()).pathname, `/log/${sent?.id}`);
  assert.deepEqual(page.complaints, []);
});

test("a notification to a group reaches that alone, and its command does the same", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const stage = await startStage(t, browsers);
  const ann = await setUp(stage, browsers);
  const { page, client } = ann;
  const [desk, bed] = [
    await addDevice({ push: stage.push }, ann, "Desk"),
    await addDevice({ push: stage.push }, ann, "Bedside"),
  ];
  const group = await client.groups.create({ name: "At work", deviceIds: [desk.device.id] });
  const { key } = await client.keys.create({ kind: "account" });
  await page.page.goto(`${stage.url}/send?group=${group.id}`);
  await write(page, { Title: "It's 5 o'clock", Text: 'say "hello" & $HOME' });
  await page.press("Send");
  await page.see("main li ::-p-text(accepted)");
  await desk.phone.received(1);

  await page.page.locator("summary ::-p-text(Send with a command)").click();
  const command = (await page.see('[role="group"][aria-label="curl"]')).replace(
    "YOUR_API_KEY",
    key,
  );
  const { stdout } = await promisify(execFile)("/bin/sh", ["-c", `${command} --silent`]);
  assert.match(stdout, /Delivered to 1 of 1 device/);
  await desk.phone.received(2);
  assert.equal(bed.phone.judged.length, 0);
  const titles = (await client.notifications.list()).items.map(({ title, body }) => [title, body]);
  const said = ["It's 5 o'clock", 'say "hello" & $HOME'];
  assert.deepEqual(titles, [said, said]);
  assert.deepEqual(page.complaints, []);
});

test("a mistake is told beside its field, and a draft outlives a reload", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const stage = await startStage(t, browsers);
  const { page } = await setUp(stage, browsers);
  await page.go("Send");
  assert.match(await page.see("main ::-p-text(No device yet)"), /No device yet/);
  await page.press("Send");
  await page.see("main ::-p-text(both empty)");
  await write(page, { Title: "Half written" });
  await page.page.locator("summary ::-p-text(Channel)").click();
  await write(page, { Link: "javascript:alert(1)" });
  await page.press("Send");
  await page.see("main ::-p-text(must not begin with javascript)");
  await page.page.reload();
  await page.see("main [data-kind] ::-p-text(Half written)");
  assert.deepEqual(
    page.complaints.filter((complaint) => !complaint.includes("400")),
    [],
  );
});

test("a notification whose answer was lost is sent again, and arrives once", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const stage = await startStage(t, browsers);
  const { page, client } = await setUp(stage, browsers);
  await page.go("Send");
  await write(page, { Title: "Once" });
  await loseAnswers(page, "/api/app/v1/notifications");
  await page.press("Send");
  await page.see("main ::-p-text(The server does not answer)");
  await page.page.reload();
  await page.press("Send");
  await page.see("main ::-p-text(no device to send it to)");
  assert.equal((await client.notifications.list()).items.length, 1);
  await page.press("Send");
  await eventually(
    async () => (await client.notifications.list()).items.length,
    (count) => count === 2,
  );

  await loseAnswers(page, "/api/app/v1/notifications");
  await page.press("Send");
  await page.see("main ::-p-text(The server does not answer)");
  await write(page, { Title: "Other words" });
  await page.page.reload();
  await page.press("Send");
  await page.see("main ::-p-text(no device to send it to)");
  const titles = (await client.notifications.list()).items.map(({ title }) => title);
  assert.deepEqual(titles, ["Other words", "Once", "Once", "Once"]);
});

test("nothing that is written is cut, and what a target has become is told", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const stage = await startStage(t, browsers);
  const ann = await setUp(stage, browsers);
  const { page, client } = ann;
  const { device } = await addDevice({ push: stage.push }, ann, "Phone");
  await client.devices.remove(device.id);
  await page.page.goto(`${stage.url}/send?device=${device.id}`);
  await page.see("main ::-p-text(no longer send to this recipient)");
  await page.press("Send");
  assert.equal((await client.notifications.list()).items.length, 0);

  await page.page.evaluate("sessionStorage.clear()");
  await page.page.goto(`${stage.url}/send`);
  await page.page.locator('input[name="title"]').click();
  await page.page.evaluate('document.execCommand("insertText", false, "🦊".repeat(1_030))');
  await page.see("main ::-p-text(6 characters too many)");
  await page.press("Send");
  await page.see("main ::-p-text(title may have at most 1024 characters)");
  await write(page, { Title: "Fox" });
  await page.page.locator("summary ::-p-text(Channel)").click();
  await page.page.locator('input[name="channel"]').fill("my channel");
  await page.page.locator("summary ::-p-text(Channel)").click();
  await page.press("Send");
  await page.see("main details[open] ::-p-text(channel)");
  await page.see("main details[open] .mantine-Autocomplete-error");
});

test("the command says all that the form says, and what no key can say is told", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const stage = await startStage(t, browsers);
  const ann = await setUp(stage, browsers);
  const { page, client } = ann;
  const { device } = await addDevice({ push: stage.push }, ann, "Phone");
  const { key } = await client.keys.create({ kind: "account" });
  await client.notifications.send({
    title: "First",
    body: "",
    to: { kind: "account" },
    channel: "ops",
  });
  await page.go("Send");
  await write(page, { Title: "Disk" });
  await page.page.locator("summary ::-p-text(Channel)").click();
  await page.page.locator('input[name="channel"]').fill("o");
  await page.page.locator('[role="option"] ::-p-text(ops)').click();
  await write(page, { Link: "https://example.org/disk" });
  await choose(page, "Keep trying for", "10 minutes");
  await page.page.locator("summary ::-p-text(Send with a command)").click();
  const shown = await page.see('[role="group"][aria-label="curl"]');
  const command = shown.replace("YOUR_API_KEY", key);
  await promisify(execFile)("/bin/sh", ["-c", `${command} --silent`]);
  const [sent] = (await client.notifications.list()).items;
  assert.equal(sent?.channel, "ops");
  assert.equal(sent.link, "https://example.org/disk");
  assert.equal(Date.parse(sent.expiresAt) - Date.parse(sent.createdAt), 600_000);

  await page.page.goto(`${stage.url}/send?device=${device.id}`);
  await page.page.locator("summary ::-p-text(Send with a command)").click();
  await page.see("main ::-p-text(To reach only this device)");
  await page.miss('[role="group"][aria-label="curl"]');
  assert.deepEqual(page.complaints, []);
});

test("of many devices some are shown, and the record has all", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const stage = await startStage(t, browsers);
  const ann = await setUp(stage, browsers);
  const { page } = ann;
  for (let i = 1; i <= 12; i += 1) await addDevice({ push: stage.push }, ann, `Sensor ${i}`);
  await page.go("Send");
  await write(page, { Title: "Everyone" });
  await page.press("Send");
  await page.see('main ::-p-aria([name="and 2 more"][role="link"])');
  const shown = await page.page.$$('main ul[aria-label="Result"] > li');
  assert.equal(shown.length, 10);
  // Each is told, though their ends come while the page is still asking for the first.
  await page.miss("main li ::-p-text(queued)");
  await page.follow("and 2 more");
  await page.see("main ::-p-text(Sensor 12)");
  assert.match(new URL(page.page.url()).pathname, /^\/log\//);
  assert.deepEqual(page.complaints, []);
});

test("a person who signs out leaves no draft behind", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const stage = await startStage(t, browsers);
  const { page, client } = await setUp(stage, browsers);
  await page.go("Send");
  await write(page, { Title: "Not yet" });
  const kept = `JSON.stringify(Object.entries(sessionStorage))`;
  assert.ok(String(await page.page.evaluate(kept)).includes((await client.me()).id));
  await page.go("Profile & security");
  await page.press("Sign out");
  await page.see("h1 ::-p-text(Sign in)");
  assert.ok(!String(await page.page.evaluate(kept)).includes("Not yet"));
});

/** Until the page is loaded again, no answer to this path comes, as where a network ends; the server has done it. */
async function loseAnswers({ page }: ConsolePage, path: string): Promise<void> {
  await page.evaluate(`{
    const original = window.fetch;
    window.fetch = async (...request) => {
      const answer = await original(...request);
      if (!answer.url.endsWith(${JSON.stringify(path)})) return answer;
      throw new TypeError("The network was lost.");
    };
  }`);
}

async function write(page: ConsolePage, texts: Readonly<Record<string, string>>): Promise<void> {
  for (const [label, text] of Object.entries(texts)) {
    await page.page.locator(`::-p-aria([name="${label}"][role="textbox"])`).fill(text);
  }
}

async function choose({ page }: ConsolePage, label: string, option: string): Promise<void> {
  await page.locator(`::-p-aria([name="${label}"][role="combobox"])`).click();
  await page.locator(`[role="option"] ::-p-text(${option})`).click();
}
