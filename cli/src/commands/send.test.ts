import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { addDevice, signUp, startApp } from "../../../server/test/support/app.ts";
import { listen } from "../../../server/test/doubles/listen.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import {
  waitForExit,
  waitForOutput,
  startTocsin,
  runTocsin,
  type RunOptions,
} from "../tocsin.fixture.ts";

/** Starts a server with an account and one device. `send` runs `tocsin send` with the account's API key. */
async function setUp(t: TestContext) {
  const app = await startApp(t);
  const account = await signUp(app, "Ann");
  const { phone, device } = await addDevice(app, account);
  const environment = { TOCSIN_URL: app.url, TOCSIN_API_KEY: account.key };
  const send = (args: readonly string[], options: RunOptions = {}) =>
    runTocsin(["send", ...args], { environment, ...options });
  const readNotification = async () => JSON.parse((await phone.next()).text).notification;
  return { app, account, phone, device, send, readNotification, environment };
}

const UNKNOWN_KEY = "4b0e9d3c-5a7e-4f6b-9a51-0c2d4e6f8a1b";

test("a sent notification contains every option, and the output has a line for each device", async (t) => {
  const { send, phone } = await setUp(t);
  const contentOptions = [
    "--link",
    "https://example.org/a",
    "--image",
    "https://example.org/a.png",
  ];
  const deliveryOptions = [
    "--channel",
    "alerts",
    "--sound",
    "doorbell",
    "--time-sensitive",
    "--priority",
    "High",
    "--ttl",
    "600",
  ];
  const { code, stdout, stderr } = await send([
    "Disk full",
    "99 % of /var is used",
    ...contentOptions,
    ...deliveryOptions,
  ]);
  // On a busy machine the command may print that it waits.
  assert.match(stderr, /^(?:Waiting for the server…\n)?$/);
  assert.equal(code, 0);
  const [first, second, third, ...rest] = stdout.trimEnd().split("\n");
  assert.equal(first, "Delivered to 1 of 1 device");
  assert.match(second ?? "", /^ {2}✓ Accepted by/);
  assert.match(third ?? "", /^ {2}notification [0-9a-f-]{36}$/);
  assert.deepEqual(rest, []);
  const message = await phone.next();
  const { notification } = JSON.parse(message.text);
  assert.deepEqual(
    [notification.title, notification.body, notification.image, notification.requireInteraction],
    ["Disk full", "99 % of /var is used", "https://example.org/a.png", true],
  );
  const { channel, sound, link } = notification.data;
  assert.deepEqual([channel, sound, link], ["alerts", "doorbell", "https://example.org/a"]);
  assert.ok(message.ttlSeconds <= 600);
});

test("--json prints the server's response with the notification's id", async (t) => {
  const { send, account } = await setUp(t);
  const { code, stdout } = await send(["Hello", "--json"]);
  assert.equal(code, 0);
  const { notificationId, ...response } = JSON.parse(stdout);
  assert.deepEqual(Object.keys(response), ["success", "message", "responses"]);
  assert.equal(response.responses.length, 1);
  const { title } = await account.client.notifications.get(notificationId);
  assert.equal(title, "Hello");
});

test("standard input is the body only if BODY is missing or a hyphen", async (t) => {
  const { send, readNotification } = await setUp(t);
  for (const args of [["Disks"], ["Disks", "-"]]) {
    assert.equal((await send(args, { input: "/var 99 %\n/ 20 %\n" })).code, 0);
    assert.equal((await readNotification()).body, "/var 99 %\n/ 20 %");
  }
  assert.equal((await send(["Disks", "given"], { input: "not read" })).code, 0);
  assert.equal((await readNotification()).body, "given");
});

test("a TITLE after -- may begin with a hyphen", async (t) => {
  const { send, readNotification } = await setUp(t);
  assert.equal((await send(["--", "-5°"])).code, 0);
  assert.equal((await readNotification()).title, "-5°");
});

test("a body over the limit is refused before it is sent", async (t) => {
  const { app, send } = await setUp(t);
  const { code, stderr } = await send(["Logs"], { input: "a".repeat(300_000) });
  assert.equal(code, 2);
  assert.match(stderr, /The body is longer than 32768 characters/);
  assert.equal(app.push.requests.length, 0);
});

test("send prints a note while it waits for the body on standard input", async (t) => {
  const { environment, readNotification } = await setUp(t);
  const child = startTocsin(["send", "Job"], { environment, keepsInput: true });
  const exited = waitForExit(child);
  await waitForOutput(child.stderr, "Reading the body from standard input");
  child.stdin?.end("done");
  assert.equal((await exited).code, 0);
  assert.equal((await readNotification()).body, "done");
});

test("send exits with code 1 if the notification reaches no device", async (t) => {
  const { app, send, phone } = await setUp(t);
  phone.unsubscribe();
  const result = await send(["Hello"]);
  assert.equal(result.code, 1);
  assert.match(
    result.stdout,
    /^Delivered to 0 of 1 device\n {2}✗ The device is no longer registered/,
  );
  const ben = await signUp(app, "Ben");
  const withoutDevices = await send(["Hello", "--json", "--key", ben.key]);
  assert.equal(withoutDevices.code, 1);
  assert.deepEqual(JSON.parse(withoutDevices.stdout).responses, []);
});

test("--async, --group and a repeated --idempotency-key each deliver once", async (t) => {
  const { send, readNotification, phone, account, device } = await setUp(t);
  const later = await send(["Later", "--async"]);
  assert.deepEqual([later.code, later.stdout.split("\n")[0]], [0, "Notification accepted"]);
  assert.equal((await readNotification()).title, "Later");
  const group = await account.client.groups.create({ name: "Phones", deviceIds: [device.id] });
  assert.equal((await send(["Grouped", "--group", group.id])).code, 0);
  assert.equal((await readNotification()).title, "Grouped");
  for (let attempt = 0; attempt < 2; attempt += 1) {
    assert.equal((await send(["Once", "--idempotency-key", "job 7"])).code, 0);
  }
  assert.equal((await readNotification()).title, "Once");
  assert.equal(phone.messages.length, 3);
});

test("send exits with code 2 and a reason if it is used wrongly, and sends no notification", async (t) => {
  const { app, environment } = await setUp(t);
  const cases: readonly (readonly [args: readonly string[], reason: RegExp])[] = [
    [[], /Give a TITLE/],
    [["Two", "words", "more"], /in quotes/],
    [["T", "--sound", "moo"], /one of default, arcade/],
    [["T", "--priority", "3"], /one of low, normal, high, emergency/],
    [["T", "--ttl", "0"], /from 1 to 2419200/],
    [["T", "--ttl", "1h"], /from 1 to 2419200/],
    [["T", "--group", "../me"], /id of a device group/],
    [["T", "--group", "g", "--async"], /leave --async out/],
    [["T", "--wait", "--async"], /leave --async out/],
    [["T", "--timeout", "9"], /--timeout needs --wait/],
    [["T", "--wait", "--timeout", "43201"], /from 1 to 43200/],
    [["T", "--idempotency-key", "naïve"], /printable ASCII/],
    [["T", "--key", "<API_KEY>"], /UUID of version 4/],
    [["T", "--url", "localhost:8080"], /--url or TOCSIN_URL/],
    [["T", "--url", "https://ann:secret@example.org"], /without user/],
  ];
  for (const [args, reason] of cases) {
    const { code, stdout, stderr } = await runTocsin(["send", ...args], { environment });
    assert.deepEqual([code, stdout], [2, ""], args.join(" "));
    assert.match(stderr, reason);
    assert.doesNotMatch(stderr, /secret/);
  }
  const { code, stderr } = await runTocsin(["send", "T"], { environment: { TOCSIN_URL: app.url } });
  assert.equal(code, 2);
  assert.match(stderr, /no API key.*TOCSIN_API_KEY/);
  assert.equal(app.push.requests.length, 0);
});

test("the API key may come from a file, and --key overrides the environment", async (t) => {
  const { app, account, environment } = await setUp(t);
  const file = join(await createTemporaryFolder(t), "key");
  writeFileSync(file, `${account.key}\n`);
  const fromFile = { TOCSIN_URL: app.url, TOCSIN_API_KEY_FILE: file };
  assert.equal((await runTocsin(["send", "T"], { environment: fromFile })).code, 0);
  const missing = { TOCSIN_URL: app.url, TOCSIN_API_KEY_FILE: `${file}.not` };
  assert.equal((await runTocsin(["send", "T"], { environment: missing })).code, 2);
  const unknownKey = await runTocsin(["send", "T", "--key", UNKNOWN_KEY], { environment });
  assert.equal(unknownKey.code, 3);
});

test("a .env file in the working folder is ignored", async (t) => {
  const { environment } = await setUp(t);
  const cwd = await createTemporaryFolder(t);
  writeFileSync(
    join(cwd, ".env"),
    `TOCSIN_API_KEY=${UNKNOWN_KEY}\nTOCSIN_URL=http://127.0.0.1:1\n`,
  );
  assert.equal((await runTocsin(["send", "T"], { environment, cwd })).code, 0);
  assert.equal((await runTocsin(["send", "T"], { cwd })).code, 2);
});

test("send exits with code 3 if the server refuses the request, and prints the reason but not the key", async (t) => {
  const { send } = await setUp(t);
  const { code, stdout, stderr } = await send(["T", "--key", UNKNOWN_KEY, "--json"]);
  assert.equal(code, 3);
  assert.match(stderr, /The server refused: Invalid API key/);
  const { success, error } = JSON.parse(stdout);
  assert.deepEqual([success, error.code], [false, "invalid_key"]);
  assert.match(error.requestId, /^[0-9a-f-]{36}$/);
  assert.doesNotMatch(`${stdout}${stderr}`, new RegExp(UNKNOWN_KEY));
  const field = await send(["T", "--channel", "a b", "--json"]);
  assert.deepEqual([field.code, JSON.parse(field.stdout).error.field], [3, "channel"]);
});

test("send exits with code 4 if the server cannot be reached, and the error names only the host", async () => {
  const server = createServer();
  const port = await listen(server);
  server.close();
  const environment = { TOCSIN_URL: `http://127.0.0.1:${port}`, TOCSIN_API_KEY: UNKNOWN_KEY };
  const { code, stdout, stderr } = await runTocsin(["send", "T", "--json"], { environment });
  assert.equal(code, 4);
  assert.match(stderr, new RegExp(`127.0.0.1:${port} does not answer \\(ECONNREFUSED\\)`));
  assert.equal(JSON.parse(stdout).error.code, "no_connection");
  assert.doesNotMatch(`${stdout}${stderr}`, new RegExp(UNKNOWN_KEY));
});

test("text from the server cannot control the terminal", async (t) => {
  const message = "Delivered\u001b]0;owned\u0007 to\n1\u202e";
  const server = createServer((_request, response) => {
    const responses = [{ success: true, message: "ok\u001b[2J" }];
    response.end(JSON.stringify({ success: true, message, responses }));
  });
  const port = await listen(server);
  t.after(() => server.close());
  const environment = { TOCSIN_URL: `http://127.0.0.1:${port}`, TOCSIN_API_KEY: UNKNOWN_KEY };
  const { stdout } = await runTocsin(["send", "T"], { environment });
  assert.equal(stdout, "Delivered ]0;owned  to 1\n  ✓ ok [2J\n");
});
