import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test from "node:test";
import { addDevice, signUp, startApp } from "../support/app.ts";
import { startOwnTime } from "../support/own-time.ts";
import { isInstalled, runProgram } from "../support/program.ts";

/** Debian's own, which Debian's packages are for. */
const PYTHON = "/usr/bin/python3";
/** To import all of it takes a second. */
const NEEDED = [
  PYTHON,
  "-c",
  "import importlib.util, sys; sys.exit(importlib.util.find_spec('apprise') is None)",
];

/**
 * Apprise's plugin for this API, as it is installed: it makes the requests and judges the answers. Its address is fixed, so that
 * this one line is ours, and it would pause for seconds between two requests.
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

interface Call {
  readonly key: string;
  readonly title?: string;
  readonly body?: string;
  readonly options?: string;
}

/** Returns what Apprise says of each call: true for sent. */
async function send(url: string, ...calls: readonly Call[]): Promise<readonly boolean[]> {
  const input = JSON.stringify(calls);
  const { code, stdout, stderr } = await runProgram(PYTHON, ["-c", SEND, url], { input });
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout.slice(stdout.lastIndexOf("[")));
}

test("Apprise's own plugin sends: with and without a title, a body, a device, and much text", async (t) => {
  if (!isInstalled(t, NEEDED, "apprise")) return;
  const app = await startApp(t);
  const [ann, bob] = [await signUp(app, "Ann"), await signUp(app, "Bob")];
  const { phone } = await addDevice(app, ann);
  const long = "A line of a log.\n".repeat(1_200).trim();
  const sent = await send(
    app.url,
    { key: ann.key, title: "Disk \u00fc \u{1f514}", body: "97 %" },
    { key: ann.key, body: "No title" },
    { key: ann.key, title: "No body" },
    { key: ann.key, title: "Log", body: long },
    { key: bob.key, title: "No device", body: "97 %" },
    { key: randomUUID(), title: "No key", body: "97 %" },
  );
  // Later versions send nothing that has no body, and do not even ask.
  const [, , hasTitleAlone = false] = sent;
  assert.deepEqual(sent, [true, true, hasTitleAlone, true, true, false]);
  assert.equal((await phone.received(hasTitleAlone ? 4 : 3)).length, hasTitleAlone ? 4 : 3);
  const { items } = await ann.client.feed.list();
  const texts = items.map(({ title, body }) => [title, body].filter((text) => text !== ""));
  assert.deepEqual(texts.toReversed(), [
    ["Disk \u00fc \u{1f514}", "97 %"],
    ["No title"],
    ...(hasTitleAlone ? [["No body"]] : []),
    ["Log", long],
  ]);
});

test("a text that Apprise splits arrives in all its parts", async (t) => {
  if (!isInstalled(t, NEEDED, "apprise")) return;
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  const body = "x".repeat(4_500);
  const sent = await send(app.url, { key: ann.key, title: "Log", body, options: "overflow=split" });
  assert.deepEqual(sent, [true]);
  assert.equal((await phone.received(5)).length, 5);
  const { items } = await ann.client.feed.list();
  assert.equal(
    items.reduce((sum, item) => sum + item.body.length, 0),
    body.length,
  );
});

test("Apprise is told in time, however slow a device is", async (t) => {
  if (!isInstalled(t, NEEDED, "apprise")) return;
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  phone.script({ kind: "hang" });
  const ownMs = startOwnTime();
  // It gives up after four seconds, and people send again.
  assert.deepEqual(await send(app.url, { key: ann.key, title: "Slow", body: "device" }), [true]);
  assert.ok(ownMs() > 2_000);
  assert.equal((await ann.client.notifications.list()).items.length, 1);
});
