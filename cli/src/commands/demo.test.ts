import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { temporaryFolder } from "../../../server/test/support/room.ts";
import {
  ended,
  NO_TERMINAL,
  printed,
  startOnTerminal,
  startTocsin,
  tocsin,
} from "../tocsin.fixture.ts";

/** The issue promises this for any machine; here it takes about one second. */
const DEMO_MAX_MS = 30_000;

test("the demo shows a send, what each device decrypts, and how one is retired", async (test) => {
  const folder = await temporaryFolder(test);
  const start = performance.now();
  const { code, stdout, stderr } = await tocsin(["demo"], { environment: { TMPDIR: folder } });
  assert.ok(performance.now() - start < DEMO_MAX_MS);
  assert.deepEqual([code, stderr], [0, ""]);
  for (const part of [
    /curl http:\/\/127\.0\.0\.1:\d+\/api\/v1\/notify \\\n +-H 'x-api-key: [0-9a-f-]{36}'/,
    /Phone +decrypted “Backup finished”/,
    /Laptop +decrypted “Backup finished”/,
    /Delivered to 2 of 2 devices/,
    /delivery log +Phone +accepted +Accepted by/,
    /Laptop +unsubscribes/,
    /Laptop +its push service answered 410/,
    /Delivered to 1 of 2 devices/,
    /delivery log +Laptop +gone +The device is no longer registered/,
    /left in the account: Phone\n/,
  ]) {
    assert.match(stdout, part);
  }
  assert.equal(stdout.includes("\u001b"), false);
  assert.deepEqual(readdirSync(folder), []);
});

test("the demo tells programs the same in one JSON document", async () => {
  const { code, stdout, stderr } = await tocsin(["demo", "--json"]);
  assert.deepEqual([code, stderr], [0, ""]);
  const report = JSON.parse(stdout);
  const [first, second] = report.sends;
  const states = (deliveries: readonly { deviceName: string; state: string }[]) =>
    deliveries.map(({ deviceName, state }) => `${deviceName} ${state}`).toSorted();
  assert.equal(report.success, true);
  assert.equal(report.sends.length, 2);
  assert.deepEqual(
    first.received.map(({ device, title }: { device: string; title: string }) => [device, title]),
    [
      ["Phone", first.notification.title],
      ["Laptop", first.notification.title],
    ],
  );
  assert.deepEqual(states(first.deliveries), ["Laptop accepted", "Phone accepted"]);
  assert.deepEqual(states(second.deliveries), ["Laptop gone", "Phone accepted"]);
  assert.deepEqual(
    report.devicesLeft.map(({ name }: { name: string }) => name),
    ["Phone"],
  );
});

test("Ctrl-C stops the demo and leaves nothing behind", async (test) => {
  const folder = await temporaryFolder(test);
  const child = startTocsin(["demo"], { environment: { TMPDIR: folder } });
  const end = ended(child);
  await printed(child.stdout, "listens on");
  assert.equal(readdirSync(folder).length, 1);
  child.kill("SIGINT");
  const { code, stderr } = await end;
  assert.equal(code, 130);
  assert.match(stderr, /Stopped by SIGINT/);
  assert.deepEqual(readdirSync(folder), []);
});

test("a reader that closes early does not keep the demo from cleaning up", async (test) => {
  const folder = await temporaryFolder(test);
  const child = startTocsin(["demo"], { environment: { TMPDIR: folder } });
  const end = ended(child);
  child.stdout?.destroy();
  const { code, stderr } = await end;
  assert.deepEqual([code, stderr], [0, ""]);
  assert.deepEqual(readdirSync(folder), []);
});

test("colours are for terminals, and for those who want them", { skip: NO_TERMINAL }, async () => {
  const coloured = await ended(startOnTerminal(["demo"]));
  assert.ok(coloured.stdout.includes("\u001b["));
  const plain = await ended(startOnTerminal(["demo"], { environment: { NO_COLOR: "1" } }));
  assert.equal(plain.stdout.includes("\u001b["), false);
});
