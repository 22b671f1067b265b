import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test, { type TestContext } from "node:test";
import { addDevice, signUp, startApp } from "../support/app.ts";
import { isInstalledOrSkip, runProgram } from "../support/program.ts";
import { requestJson } from "../contract/http-requests.ts";
import { GOTIFY_SENDERS } from "./gotify-senders.ts";

const FIND_APPRISE = ["sh", "-c", "command -v apprise"];

async function setUp(t: TestContext) {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  const request = { kind: "account", dialect: "gotify", channel: "jobs" } as const;
  const { key } = await ann.client.keys.create(request);
  return { app, ann, phone, key, host: new URL(app.url).host };
}

test("Apprise's Gotify plugin sends with a key for Gotify and with a UUID key, and fails with a wrong one", async (t) => {
  if (!isInstalledOrSkip(t, FIND_APPRISE, "apprise")) return;
  const { ann, phone, key, host } = await setUp(t);
  const run = async (token: string) => {
    const url = `gotify://${host}/${token}?priority=high`;
    const { code } = await runProgram("apprise", ["-t", "Disk \u00fc", "-b", "97 %", url]);
    return code;
  };
  assert.equal(await run(key), 0);
  const { notification } = JSON.parse((await phone.next()).text);
  assert.equal(notification.title, "Disk \u00fc");
  assert.equal(await run(ann.key), 0);
  assert.equal(await run(randomUUID()), 1);
  const [, first] = (await ann.client.feed.list()).items;
  assert.deepEqual(
    [first?.title, first?.body, first?.channel, first?.priority],
    ["Disk \u00fc", "97 %", "jobs", "high"],
  );
});

test("curl -F sends, as Gotify's documentation shows it", async (t) => {
  if (!isInstalledOrSkip(t, ["sh", "-c", "command -v curl"], "curl")) return;
  const { app, ann, key } = await setUp(t);
  const form = ["-F", "title=my title", "-F", "message=my message", "-F", "priority=5"];
  const { code, stdout } = await runProgram("curl", [
    "-sS",
    `${app.url}/message?token=${key}`,
    ...form,
  ]);
  assert.equal(code, 0);
  assert.equal(JSON.parse(stdout).message, "my message");
  const [item] = (await ann.client.feed.list()).items;
  assert.deepEqual([item?.title, item?.body], ["my title", "my message"]);
});

for (const { program, source, createRequest, expected } of GOTIFY_SENDERS) {
  test(`the request of ${program} is accepted (${source})`, async (t) => {
    const { app, ann, phone, key } = await setUp(t);
    const request = { method: "POST", ...createRequest(key) };
    const { status, text } = await requestJson(app.url, request);
    assert.equal(status, 200, text);
    const { notification } = JSON.parse((await phone.next()).text);
    const [item] = (await ann.client.feed.list()).items;
    const { title, body, priority, markdown } = item ?? assert.fail("nothing arrived");
    assert.deepEqual({ title, body, priority, markdown }, { markdown: false, ...expected });
    assert.equal(notification.title, title);
  });
}
