import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test from "node:test";
import { addDevice, signUp, startApp } from "../support/app.ts";
import { startStealFreeTimer } from "../support/steal-time.ts";
import { isInstalledOrSkip, runProgram } from "../support/program.ts";

/** Debian's Python, because Debian's packages install into it. */
const PYTHON = "/usr/bin/python3";
/** Checks for the package without importing it, which would take a second. */
const FIND_APPRISE = [
  PYTHON,
  "-c",
  "import importlib.util, sys; sys.exit(importlib.util.find_spec('apprise') is None)",
];

/**
 * Runs Apprise's installed plugin for this API: it makes the requests and evaluates the responses. The script overrides its
 * fixed URL and its pause of several seconds between two requests.
 */
const SEND = `
import json, sys
from apprise import Apprise
url, calls = sys.argv[1], json.load(sys.stdin)
def send(call):
    plugin = Apprise.instantiate("push://" + call["key"] + "/?" + call.get("options", "overflow=upstream"))
    plugin.notify_url = url + "/api/v1/notify"
    plugin.request_rate_per_sec = 0
    return plugin.notify(title=call.get("title"), body=call.get("body"))
print(json.dumps([send(call) for call in calls]))
`;

interface AppriseCall {
  readonly key: string;
  readonly title?: string;
  readonly body?: string;
  readonly options?: string;
}

/** Returns for each call whether Apprise reports the notification as sent. */
async function sendWithApprise(
  url: string,
  ...calls: readonly AppriseCall[]
): Promise<readonly boolean[]> {
  const input = JSON.stringify(calls);
  const { code, stdout, stderr } = await runProgram(PYTHON, ["-c", SEND, url], { input });
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout.slice(stdout.lastIndexOf("[")));
}

test("Apprise's plugin sends long text, and without a title, a body or a device, and fails with a wrong key", async (t) => {
  if (!isInstalledOrSkip(t, FIND_APPRISE, "apprise")) return;
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const bob = await signUp(app, "Bob");
  const { phone } = await addDevice(app, ann);
  const longText = "A line of a log.\n".repeat(1_200).trim();
  const sendResults = await sendWithApprise(
    app.url,
    { key: ann.key, title: "Disk \u00fc \u{1f514}", body: "97 %" },
    { key: ann.key, body: "No title" },
    { key: ann.key, title: "No body" },
    { key: ann.key, title: "Log", body: longText },
    { key: bob.key, title: "No device", body: "97 %" },
    { key: randomUUID(), title: "No key", body: "97 %" },
  );
  // Later versions refuse a notification without a body before they make a request.
  const [, , sendsTitleOnly = false] = sendResults;
  assert.deepEqual(sendResults, [true, true, sendsTitleOnly, true, true, false]);
  assert.equal(
    (await phone.waitForRequests(sendsTitleOnly ? 4 : 3)).length,
    sendsTitleOnly ? 4 : 3,
  );
  const { items } = await ann.client.feed.list();
  const parts = items.map(({ title, body }) => [title, body].filter((text) => text !== ""));
  assert.deepEqual(parts.toReversed(), [
    ["Disk \u00fc \u{1f514}", "97 %"],
    ["No title"],
    ...(sendsTitleOnly ? [["No body"]] : []),
    ["Log", longText],
  ]);
});

test("a message that Apprise splits arrives completely", async (t) => {
  if (!isInstalledOrSkip(t, FIND_APPRISE, "apprise")) return;
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  const body = "x".repeat(4_500);
  const sendResults = await sendWithApprise(app.url, {
    key: ann.key,
    title: "Log",
    body,
    options: "overflow=split",
  });
  assert.deepEqual(sendResults, [true]);
  assert.equal((await phone.waitForRequests(5)).length, 5);
  const { items } = await ann.client.feed.list();
  assert.equal(
    items.reduce((sum, item) => sum + item.body.length, 0),
    body.length,
  );
});

test("Apprise gets a response in time even if a device is slow", async (t) => {
  if (!isInstalledOrSkip(t, FIND_APPRISE, "apprise")) return;
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  phone.script({ kind: "hang" });
  const readElapsedMs = startStealFreeTimer();
  // Apprise gives up after four seconds, and its user would send again.
  assert.deepEqual(
    await sendWithApprise(app.url, { key: ann.key, title: "Slow", body: "device" }),
    [true],
  );
  assert.ok(readElapsedMs() > 2_000);
  assert.equal((await ann.client.notifications.list()).items.length, 1);
});
