import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { addDevice, signUp, startApp } from "../../../server/test/support/app.ts";
import { waitForExit, NO_TERMINAL, startOnTerminal, runTocsin } from "../tocsin.fixture.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";

const API_KEY = "4b0e9d3c-5a7e-4f6b-9a51-0c2d4e6f8a1b";
const UNKNOWN_ID = "019a8f5e-2c41-7d03-9f6e-5b1c0d7a4e22";

/**
 * Starts a server with an account that has a working phone and an unsubscribed one. The first notification goes to
 * both, and the second, on another channel, only to the working phone.
 */
async function setUp(t: TestContext) {
  // The server's clock stands still, so that no notice about the unsubscribed phone joins the list ten seconds later.
  const startedAt = Date.now();
  const app = await startApp(t, { now: () => startedAt });
  const ann = await signUp(app, "Ann");
  const phone = await addDevice(app, ann, "Ann's phone");
  const oldPhone = await addDevice(app, ann, "Old phone");
  oldPhone.phone.unsubscribe();
  const { token } = await ann.client.accessTokens.create({ label: "log" });
  const environment = {
    TOCSIN_URL: app.url,
    TOCSIN_ACCESS_TOKEN: token,
    XDG_CONFIG_HOME: await createTemporaryFolder(t),
  };
  const run = (...args: readonly string[]) => runTocsin(["log", ...args], { environment });
  const firstSend = await ann.client.notify({
    title: "Disk full",
    body: "/var",
    channel: "alerts",
  });
  const secondSend = await ann.client.notify({ title: "All is well", body: "" });
  const ids = [firstSend.notificationId ?? "", secondSend.notificationId ?? ""] as const;
  return { app, ann, phone, oldPhone, environment, run, ids };
}

test("log lists sent notifications in columns, newest first", async (t) => {
  const { run, ids } = await setUp(t);
  const { code, stdout, stderr } = await run();
  assert.deepEqual([code, stderr], [0, ""]);
  const [headings = "", secondSend = "", firstSend = "", ...rest] = stdout.split("\n");
  const timestamp = String.raw`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`;
  assert.match(headings, /^TIME +RESULT +CHANNEL +ID +TITLE$/);
  assert.match(
    secondSend,
    new RegExp(`${timestamp} {2}1 delivered +feed +${ids[1]}  All is well$`),
  );
  assert.match(
    firstSend,
    new RegExp(`${timestamp} {2}1 delivered, 1 failed +alerts +${ids[0]}  Disk full$`),
  );
  assert.deepEqual(rest, [""]);
  assert.deepEqual(
    new Set([headings, secondSend, firstSend].map((line) => line.search(/ID|[0-9a-f]{8}-/))).size,
    1,
  );
});

test("each filter and --limit narrow the list, and a filter takes the id or the name of a device", async (t) => {
  const { run, ids, ann, oldPhone } = await setUp(t);
  const [key] = (await ann.client.keys.list()).items;
  const cases: readonly (readonly [args: readonly string[], expectedIds: readonly string[]])[] = [
    [["--state", "failed"], [ids[0]]],
    [
      ["--state", "delivered"],
      [ids[1], ids[0]],
    ],
    [["--channel", "alerts"], [ids[0]]],
    [
      ["--device", "ANN'S PHONE"],
      [ids[1], ids[0]],
    ],
    [["--device", oldPhone.device.id], [ids[0]]],
    [
      ["--device", "Ann's phone"],
      [ids[1], ids[0]],
    ],
    [
      ["--key", key?.hint ?? ""],
      [ids[1], ids[0]],
    ],
    [["--key", "none"], []],
    [["--code", "device_gone"], [ids[0]]],
    [["--search", "well"], [ids[1]]],
    [
      ["--since", "1h"],
      [ids[1], ids[0]],
    ],
    [["--until", "1h"], []],
    [["--limit", "1"], [ids[1]]],
  ];
  for (const [args, expectedIds] of cases) {
    const { code, stdout, stderr } = await run("--json", ...args);
    assert.equal(code, 0, `${args.join(" ")}: ${stderr}`);
    const { items, isComplete } = JSON.parse(stdout);
    const foundIds = items.map(({ id }: { readonly id: string }) => id);
    assert.deepEqual(foundIds, expectedIds, args.join(" "));
    assert.equal(isComplete, args[0] !== "--limit");
  }
  const more = await run("--limit", "1");
  assert.match(more.stderr, /There are more\. --limit/);
  assert.equal((await run("--until", "1h")).stdout, "No sent notification matches.\n");
});

test("log ID explains each device and each attempt of a notification", async (t) => {
  const { ann, run, ids, phone } = await setUp(t);
  const { code, stdout, stderr } = await run(ids[0]);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /^Disk full\n\/var\nSent {5}\d{4}-.* by an API key \(…[0-9a-f]{4}\)\n/);
  assert.match(stdout, /^To {7}all devices of your account$/m);
  assert.match(stdout, new RegExp(`^Id {7}${ids[0]}$`, "m"));
  assert.match(stdout, /^Result {3}1 delivered, 1 failed$/m);
  assert.match(stdout, /^✓ Ann's phone {2}accepted {2}webpush, 1 attempt, /m);
  assert.match(
    stdout,
    /^✗ Old phone {2}gone {2}webpush, 1 attempt, .*\n {2}The device is no longer registered/m,
  );
  assert.match(stdout, /^ {4}#1 {2}\d{4}-\S+ \S+ {2}gone \(device_gone\): .*answered 410/m);
  phone.phone.script({ kind: "answer", status: 503, headers: { "retry-after": "600" } });
  const { notificationId } = await ann.client.notify({ title: "", body: "Later\u009b2J" });
  const waiting = await run(notificationId ?? "");
  assert.match(waiting.stdout, /^Later 2J\nSent/);
  assert.match(
    waiting.stdout,
    /^… Ann's phone {2}(?:retrying|held) .*\n[^]*^ {2}Next attempt: \d{4}-/m,
  );
});

test("log ID --json prints the explanation, and --state and --limit choose the devices in it", async (t) => {
  const { ann, run, ids } = await setUp(t);
  const output = await run(ids[0], "--json");
  const { isComplete, ...explanation } = JSON.parse(output.stdout);
  assert.equal(isComplete, true);
  assert.deepEqual(explanation, await ann.client.notifications.get(ids[0]));
  const failed = JSON.parse((await run(ids[0], "--state", "failed", "--json")).stdout);
  assert.deepEqual(
    failed.deliveries.map(({ deviceName }: { readonly deviceName: string }) => deviceName),
    ["Old phone"],
  );
  const limited = await run(ids[0], "--limit", "1");
  assert.match(limited.stderr, /^1 of 2 devices are shown\. --limit shows more/);
});

test(
  "only a terminal shows colours, and NO_COLOR turns them off",
  { skip: NO_TERMINAL },
  async (t) => {
    const { environment, run } = await setUp(t);
    const printOnTerminal = async (overrides: Readonly<Record<string, string>>) => {
      const child = startOnTerminal(["log"], { environment: { ...environment, ...overrides } });
      return (await waitForExit(child)).stdout;
    };
    assert.ok(
      (await printOnTerminal({ TERM: "xterm" })).includes("\u001b[31m1 delivered, 1 failed"),
    );
    assert.ok(!(await printOnTerminal({ TERM: "xterm", NO_COLOR: "1" })).includes("\u001b[3"));
    assert.ok(!(await run()).stdout.includes("\u001b"));
  },
);

test("log exits with code 2 and a remedy if it is used wrongly, and with code 3 if the id is unknown", async (t) => {
  const { run } = await setUp(t);
  const cases: readonly (readonly [args: readonly string[], reason: RegExp])[] = [
    [["--state", "faild"], /--state must be one of .*Did you mean failed\?/],
    [["--since", "yesterday"], /--since must be a time such as/],
    [["--limit", "0"], /--limit must be a whole number/],
    [
      ["--device", "Ann's phon"],
      /You have no device of that id or name.*Did you mean Ann's phone\?/,
    ],
    [["--key", "nobody"], /You have no API key/],
    [[UNKNOWN_ID, "--channel", "alerts"], /--channel applies only to the list/],
    [[UNKNOWN_ID, UNKNOWN_ID], /Give one ID/],
    // An API key must not appear in a request path.
    [[API_KEY], /ID must be the id of a notification/],
  ];
  for (const [args, reason] of cases) {
    const { code, stdout, stderr } = await run(...args);
    assert.deepEqual([code, stdout], [2, ""], args.join(" "));
    assert.match(stderr, reason);
  }
  const unknownIdRun = await run(UNKNOWN_ID, "--json");
  assert.equal(unknownIdRun.code, 3);
  assert.equal(JSON.parse(unknownIdRun.stdout).error.code, "not_found");
});
