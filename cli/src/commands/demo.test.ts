import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import {
  waitForExit,
  NO_TERMINAL,
  waitForOutput,
  startOnTerminal,
  startTocsin,
  runTocsin,
} from "../tocsin.fixture.ts";
import { startStealFreeTimer } from "../../../server/test/support/steal-time.ts";

/** The documented maximum for any machine. The demo usually takes about one second. */
const DEMO_MAX_MS = 30_000;

test("the demo shows each received notification, and the removal of a device without the app", async (t) => {
  const folder = await createTemporaryFolder(t);
  const elapsedMs = startStealFreeTimer();
  const { code, stdout, stderr } = await runTocsin(["demo"], { environment: { TMPDIR: folder } });
  assert.ok(elapsedMs() < DEMO_MAX_MS);
  assert.deepEqual([code, stderr], [0, ""]);
  for (const pattern of [
    /APNs +simulated on https:\/\/127\.0\.0\.1:\d+;/,
    /FCM +simulated on https:\/\/127\.0\.0\.1:\d+;/,
    /Web Push +simulated on http:\/\/127\.0\.0\.1:\d+;/,
    /curl http:\/\/127\.0\.0\.1:\d+\/api\/v1\/notify \\\n +-H 'x-api-key: [0-9a-f-]{36}'/,
    /iPhone +received “Doorbell”: .+\n +sound doorbell\.caf, link .+\n.+-level time-sensitive\n/,
    /Android +received “Doorbell”: .+\n +sound doorbell, link .+\n.+timeSensitive 1, priority HIGH\n/,
    /Browser +decrypted “Doorbell”: .+\n +sound doorbell, link .+\n.+Interaction true, urgency high\n/,
    /Delivered to 3 of 3 devices\n +✓ Accepted by Apple\.\n +✓ Accepted by Google\.\n +✓ Accepted by the b/,
    /log .*Android +fcm +accepted +1 attempt\n/s,
    /Android +the app is removed/,
    /Android +refused: FCM answered 404 UNREGISTERED\n/,
    /Delivered to 2 of 3 devices\n +✓ .+\n +✗ The device is no longer registered\. It has been removed\.\n/,
    /log .*Android +fcm +gone +1 attempt\n/s,
    /left in the account: iPhone, Browser\n/,
  ]) {
    assert.match(stdout, pattern);
  }
  assert.equal(stdout.includes("\u001b"), false);
  assert.deepEqual(readdirSync(folder), []);
});

test("the demo fits a terminal of 80 columns", async () => {
  const { stdout } = await runTocsin(["demo"]);
  assert.deepEqual(
    stdout.split("\n").filter((line) => line.length > 80),
    [],
  );
});

test("demo --json prints the same events as one JSON document", async () => {
  const { code, stdout, stderr } = await runTocsin(["demo", "--json"]);
  assert.deepEqual([code, stderr], [0, ""]);
  const report = JSON.parse(stdout);
  const [first, second] = report.sends;
  assert.equal(report.success, true);
  assert.equal(report.sends.length, 2);
  const { title, body, link } = first.notification;
  const sound = "doorbell";
  const channel = "feed";
  const text = { title, body };
  assert.deepEqual(first.received, [
    {
      device: "iPhone",
      provider: "apns",
      ...text,
      fields: {
        sound: "doorbell.caf",
        link,
        "thread-id": channel,
        "interruption-level": "time-sensitive",
      },
    },
    {
      device: "Android",
      provider: "fcm",
      ...text,
      fields: { sound, link, channel, timeSensitive: "1", priority: "HIGH" },
    },
    {
      device: "Browser",
      provider: "webpush",
      ...text,
      fields: { sound, link, channel, requireInteraction: true, urgency: "high" },
    },
  ]);
  assert.deepEqual(listSuccesses(first), [true, true, true]);
  assert.deepEqual(listStates(first), ["Android accepted", "Browser accepted", "iPhone accepted"]);
  assert.deepEqual(listValues(second.received, "device"), ["iPhone", "Browser"]);
  assert.deepEqual(listSuccesses(second), [true, false, true]);
  assert.deepEqual(listStates(second), ["Android gone", "Browser accepted", "iPhone accepted"]);
  assert.deepEqual(listValues(report.devices, "name"), ["iPhone", "Android", "Browser"]);
  assert.equal(report.uninstalled, report.devices[1].id);
  assert.deepEqual(listValues(report.devicesLeft, "name"), ["iPhone", "Browser"]);
});

interface ReportedSend {
  readonly answer: { readonly responses: readonly { readonly success: boolean }[] };
  readonly deliveries: readonly { readonly deviceName: string; readonly state: string }[];
}

function listSuccesses({ answer }: ReportedSend): readonly boolean[] {
  return answer.responses.map(({ success }) => success);
}

function listStates({ deliveries }: ReportedSend): readonly string[] {
  return deliveries.map(({ deviceName, state }) => `${deviceName} ${state}`).toSorted();
}

function listValues(items: readonly Readonly<Record<string, unknown>>[], field: string) {
  return items.map((item) => item[field]);
}

test("Ctrl-C stops the demo and removes its folder", async (t) => {
  const folder = await createTemporaryFolder(t);
  const child = startTocsin(["demo"], { environment: { TMPDIR: folder } });
  const exited = waitForExit(child);
  await waitForOutput(child.stdout, "listens on");
  assert.equal(readdirSync(folder).length, 1);
  child.kill("SIGINT");
  const { code, stderr } = await exited;
  assert.equal(code, 130);
  assert.match(stderr, /Stopped by SIGINT/);
  assert.deepEqual(readdirSync(folder), []);
});

test("the demo removes its folder even if its output is closed early", async (t) => {
  const folder = await createTemporaryFolder(t);
  const child = startTocsin(["demo"], { environment: { TMPDIR: folder } });
  const exited = waitForExit(child);
  child.stdout?.destroy();
  const { code, stderr } = await exited;
  assert.deepEqual([code, stderr], [0, ""]);
  assert.deepEqual(readdirSync(folder), []);
});

test("a terminal shows colours unless NO_COLOR is set", { skip: NO_TERMINAL }, async () => {
  const coloured = await waitForExit(startOnTerminal(["demo"]));
  assert.ok(coloured.stdout.includes("\u001b["));
  const plain = await waitForExit(startOnTerminal(["demo"], { environment: { NO_COLOR: "1" } }));
  assert.equal(plain.stdout.includes("\u001b["), false);
});
