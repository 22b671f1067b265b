import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { addDevice, signUp, startApp } from "../../../server/test/support/app.ts";
import { listen } from "../../../server/test/doubles/listen.ts";
import { temporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { ended, printed, startTocsin, tocsin, type RunOptions } from "../tocsin.fixture.ts";

/** A person with one device on a server, and `send` as she calls it. */
async function personWithPhone(test: TestContext) {
  const app = await startApp(test);
  const person = await signUp(app, "Ann");
  const { phone, device } = await addDevice(app, person);
  const environment = { TOCSIN_URL: app.url, TOCSIN_API_KEY: person.key };
  const send = (args: readonly string[], options: RunOptions = {}) =>
    tocsin(["send", ...args], { environment, ...options });
  const read = async () => JSON.parse((await phone.next()).text).notification;
  return { app, person, phone, device, send, read, environment };
}

const STRANGER = "4b0e9d3c-5a7e-4f6b-9a51-0c2d4e6f8a1b";

test("a notification reaches a device with all its options, and each device has a line", async (test) => {
  const { send, phone } = await personWithPhone(test);
  const shown = ["--link", "https://example.org/a", "--image", "https://example.org/a.png"];
  const how = ["--channel", "alerts", "--sound", "doorbell", "--time-sensitive", "--ttl", "600"];
  const { code, stdout, stderr } = await send([
    "Disk full",
    "99 % of /var is used",
    ...shown,
    ...how,
  ]);
  // A busy machine may take so long that the wait is announced.
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

test("programs get the answer as JSON, with the notification's id", async (test) => {
  const { send, person } = await personWithPhone(test);
  const { code, stdout } = await send(["Hello", "--json"]);
  assert.equal(code, 0);
  const { notificationId, ...answer } = JSON.parse(stdout);
  assert.deepEqual(Object.keys(answer), ["success", "message", "responses"]);
  assert.equal(answer.responses.length, 1);
  const { title } = await person.client.notifications.get(notificationId);
  assert.equal(title, "Hello");
});

test("a pipe provides the body if there is none, or if it is a hyphen", async (test) => {
  const { send, read } = await personWithPhone(test);
  for (const args of [["Disks"], ["Disks", "-"]]) {
    assert.equal((await send(args, { input: "/var 99 %\n/ 20 %\n" })).code, 0);
    assert.equal((await read()).body, "/var 99 %\n/ 20 %");
  }
  assert.equal((await send(["Disks", "given"], { input: "not read" })).code, 0);
  assert.equal((await read()).body, "given");
  assert.equal((await send(["--", "-5°"])).code, 0);
  assert.equal((await read()).title, "-5°");
});

test("a body that no server accepts is refused before it is sent", async (test) => {
  const { app, send } = await personWithPhone(test);
  const { code, stderr } = await send(["Logs"], { input: "a".repeat(300_000) });
  assert.equal(code, 2);
  assert.match(stderr, /The body is longer than 32768 characters/);
  assert.equal(app.push.judged.length, 0);
});

test("waiting for a pipe is announced", async (test) => {
  const { environment, read } = await personWithPhone(test);
  const child = startTocsin(["send", "Job"], { environment, keepsInput: true });
  const end = ended(child);
  await printed(child.stderr, "Reading the body from standard input");
  child.stdin?.end("done");
  assert.equal((await end).code, 0);
  assert.equal((await read()).body, "done");
});

test("no devices, and only devices that are gone, are exit code 1", async (test) => {
  const { app, send, phone } = await personWithPhone(test);
  phone.unsubscribe();
  const gone = await send(["Hello"]);
  assert.equal(gone.code, 1);
  assert.match(
    gone.stdout,
    /^Delivered to 0 of 1 device\n {2}✗ The device is no longer registered/,
  );
  const ben = await signUp(app, "Ben");
  const nobody = await send(["Hello", "--json", "--key", ben.key]);
  assert.equal(nobody.code, 1);
  assert.deepEqual(JSON.parse(nobody.stdout).responses, []);
});

test("without waiting, to a group, and repeated: the three ways arrive once each", async (test) => {
  const { send, read, phone, person, device } = await personWithPhone(test);
  const later = await send(["Later", "--async"]);
  assert.deepEqual([later.code, later.stdout.split("\n")[0]], [0, "Notification accepted"]);
  assert.equal((await read()).title, "Later");
  const group = await person.client.groups.create({ name: "Phones", deviceIds: [device.id] });
  assert.equal((await send(["Grouped", "--group", group.id])).code, 0);
  assert.equal((await read()).title, "Grouped");
  for (let times = 0; times < 2; times += 1) {
    assert.equal((await send(["Once", "--idempotency-key", "job 7"])).code, 0);
  }
  assert.equal((await read()).title, "Once");
  assert.equal(phone.messages.length, 3);
});

test("wrong usage is exit code 2 with the reason, and sends nothing", async (test) => {
  const { app, environment } = await personWithPhone(test);
  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [[], /Give a TITLE/],
    [["Two", "words", "more"], /in quotes/],
    [["T", "--sound", "moo"], /one of default, arcade/],
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
  for (const [args, reason] of wrong) {
    const { code, stdout, stderr } = await tocsin(["send", ...args], { environment });
    assert.deepEqual([code, stdout], [2, ""], args.join(" "));
    assert.match(stderr, reason);
    assert.doesNotMatch(stderr, /secret/);
  }
  const { code, stderr } = await tocsin(["send", "T"], { environment: { TOCSIN_URL: app.url } });
  assert.equal(code, 2);
  assert.match(stderr, /no API key.*TOCSIN_API_KEY/);
  assert.equal(app.push.judged.length, 0);
});

test("a key may be in a file, and an argument overrides the environment", async (test) => {
  const { app, person, environment } = await personWithPhone(test);
  const file = join(await temporaryFolder(test), "key");
  writeFileSync(file, `${person.key}\n`);
  const fromFile = { TOCSIN_URL: app.url, TOCSIN_API_KEY_FILE: file };
  assert.equal((await tocsin(["send", "T"], { environment: fromFile })).code, 0);
  const missing = { TOCSIN_URL: app.url, TOCSIN_API_KEY_FILE: `${file}.not` };
  assert.equal((await tocsin(["send", "T"], { environment: missing })).code, 2);
  const stranger = await tocsin(["send", "T", "--key", STRANGER], { environment });
  assert.equal(stranger.code, 3);
});

test("a .env file in the working folder is ignored: it may be somebody else's", async (test) => {
  const { environment } = await personWithPhone(test);
  const cwd = await temporaryFolder(test);
  writeFileSync(join(cwd, ".env"), `TOCSIN_API_KEY=${STRANGER}\nTOCSIN_URL=http://127.0.0.1:1\n`);
  assert.equal((await tocsin(["send", "T"], { environment, cwd })).code, 0);
  assert.equal((await tocsin(["send", "T"], { cwd })).code, 2);
});

test("a refusal is exit code 3 and gives the reason without the key", async (test) => {
  const { send } = await personWithPhone(test);
  const { code, stdout, stderr } = await send(["T", "--key", STRANGER, "--json"]);
  assert.equal(code, 3);
  assert.match(stderr, /The server refused: Invalid API key/);
  const { success, error } = JSON.parse(stdout);
  assert.deepEqual([success, error.code], [false, "invalid_key"]);
  assert.match(error.requestId, /^[0-9a-f-]{36}$/);
  assert.doesNotMatch(`${stdout}${stderr}`, new RegExp(STRANGER));
  const field = await send(["T", "--channel", "a b", "--json"]);
  assert.deepEqual([field.code, JSON.parse(field.stdout).error.field], [3, "channel"]);
});

test("no connection is exit code 4 and names the host, not the key", async () => {
  const server = createServer();
  const port = await listen(server);
  server.close();
  const environment = { TOCSIN_URL: `http://127.0.0.1:${port}`, TOCSIN_API_KEY: STRANGER };
  const { code, stdout, stderr } = await tocsin(["send", "T", "--json"], { environment });
  assert.equal(code, 4);
  assert.match(stderr, new RegExp(`127.0.0.1:${port} does not answer \\(ECONNREFUSED\\)`));
  assert.equal(JSON.parse(stdout).error.code, "no_connection");
  assert.doesNotMatch(`${stdout}${stderr}`, new RegExp(STRANGER));
});

test("another server's text cannot control the terminal", async (test) => {
  const message = "Delivered\u001b]0;owned\u0007 to\n1\u202e";
  const server = createServer((_request, response) => {
    const responses = [{ success: true, message: "ok\u001b[2J" }];
    response.end(JSON.stringify({ success: true, message, responses }));
  });
  const port = await listen(server);
  test.after(() => server.close());
  const environment = { TOCSIN_URL: `http://127.0.0.1:${port}`, TOCSIN_API_KEY: STRANGER };
  const { stdout } = await tocsin(["send", "T"], { environment });
  assert.equal(stdout, "Delivered ]0;owned  to 1\n  ✓ ok [2J\n");
});
