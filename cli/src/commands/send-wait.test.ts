import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test, type TestContext } from "node:test";
import { listen } from "../../../server/test/doubles/listen.ts";
import { addDevice, signUp, startApp } from "../../../server/test/support/app.ts";
import { ON_ONE_DATABASE } from "../../../server/test/support/database.ts";
import {
  waitForExit,
  NO_TERMINAL,
  waitForOutput,
  startOnTerminal,
  runTocsin,
} from "../tocsin.fixture.ts";

/** The response of a throttling push service that allows a retry after one second. */
const RETRY_SOON = { kind: "answer", status: 429, headers: { "retry-after": "1" } } as const;
/** The response of a throttling push service that allows no retry during the test. */
const RETRY_IN_AN_HOUR = {
  kind: "answer",
  status: 429,
  headers: { "retry-after": "3600" },
} as const;
const GONE = { kind: "answer", status: 410 } as const;
const KEY = "4b0e9d3c-5a7e-4f6b-9a51-0c2d4e6f8a1b";

/** Starts a server with an account and two devices. `sendAndWait` runs `send --wait` with the API key. */
async function setUp(t: TestContext) {
  const app = await startApp(t, { random: () => 0 });
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann, "Phone");
  const { phone: tablet } = await addDevice(app, ann, "Tablet");
  const environment = { TOCSIN_URL: app.url, TOCSIN_API_KEY: ann.key };
  const sendAndWait = (...args: readonly string[]) =>
    runTocsin(["send", "Hello", "--wait", ...args], { environment });
  return { ann, phone, tablet, environment, sendAndWait };
}

test("send --wait polls until every device has the notification, and sends the notification once", async (t) => {
  const { sendAndWait, phone, tablet, ann } = await setUp(t);
  phone.script(RETRY_SOON);
  const { code, stdout } = await sendAndWait("--json");
  assert.equal(code, 0, stdout);
  const { message, responses, isComplete, notificationId } = JSON.parse(stdout);
  assert.deepEqual([message, isComplete], ["Delivered to 2 of 2 devices", true]);
  assert.ok(responses.every(({ success }: { readonly success: boolean }) => success));
  assert.equal(phone.messages.length, 1);
  assert.equal(tablet.messages.length, 1);
  const { items } = await ann.client.notifications.list();
  assert.deepEqual(
    items.map(({ id }) => id),
    [notificationId],
  );
});

test("send --wait exits with code 1 if no device was reached, and lists the removed devices", async (t) => {
  const { sendAndWait, phone, tablet } = await setUp(t);
  phone.script(RETRY_SOON, GONE);
  tablet.script(GONE);
  const { code, stdout } = await sendAndWait();
  assert.equal(code, 1, stdout);
  assert.match(stdout, /^Delivered to 0 of 2 devices\n/);
  assert.equal(stdout.match(/✗ The device is no longer registered/g)?.length, 2);
});

test(
  "send --wait shows the devices that are still queued at the timeout, and exits with code 0 if one was reached",
  ON_ONE_DATABASE,
  async (t) => {
    const { sendAndWait, phone, tablet } = await setUp(t);
    phone.script(RETRY_IN_AN_HOUR, RETRY_IN_AN_HOUR);
    const oneReached = await sendAndWait("--timeout", "1", "--json");
    assert.equal(oneReached.code, 0);
    const { success, isComplete, responses } = JSON.parse(oneReached.stdout);
    assert.deepEqual([success, isComplete, responses.length], [true, false, 2]);
    assert.match(oneReached.stderr, /--timeout is over/);
    tablet.script(RETRY_IN_AN_HOUR);
    const noneReached = await sendAndWait("--timeout", "1");
    assert.equal(noneReached.code, 1);
    assert.match(noneReached.stdout, /0 of 2 delivered so far, 2 queued/);
  },
);

test(
  "send --wait shows its progress on a terminal, but not in a pipe",
  { skip: NO_TERMINAL || ON_ONE_DATABASE.skip },
  async (t) => {
    const { phone, environment } = await setUp(t);
    phone.script(RETRY_SOON);
    const child = startOnTerminal(["send", "Hello", "--wait"], { environment });
    const exited = waitForExit(child);
    await waitForOutput(child.stdout, "Waiting: 1 of 2 devices");
    const { code, stdout } = await exited;
    assert.equal(code, 0);
    assert.match(stdout, /Delivered to 2 of 2 devices/);
    phone.script(RETRY_SOON);
    const piped = await runTocsin(["send", "Once more", "--wait"], { environment });
    assert.doesNotMatch(piped.stderr, /devices have/);
  },
);

test(
  "send --wait survives temporary errors, and polls with one idempotency key",
  ON_ONE_DATABASE,
  async (t) => {
    const idempotencyKeys: unknown[] = [];
    const queued = {
      success: true,
      message: "",
      responses: [{ success: false, message: "Queued." }],
    };
    const delivered = {
      success: true,
      message: "Done",
      responses: [{ success: true, message: "" }],
    };
    const unavailable = { success: false, message: "", error: { code: "unavailable" } };
    const replies = [queued, unavailable, unavailable, unavailable, delivered];
    const server = createServer((request, response) => {
      idempotencyKeys.push(request.headers["idempotency-key"]);
      const body = replies[idempotencyKeys.length - 1] ?? delivered;
      response.writeHead(body === unavailable ? 500 : 200, { "retry-after": "0" });
      response.end(JSON.stringify(body));
    });
    const TOCSIN_URL = `http://127.0.0.1:${await listen(server)}`;
    t.after(() => server.close());
    const environment = { TOCSIN_URL, TOCSIN_API_KEY: KEY };
    const { code, stdout } = await runTocsin(["send", "Hello", "--wait"], { environment });
    assert.deepEqual([code, stdout.split("\n")[0]], [0, "Done"]);
    assert.equal(idempotencyKeys.length, replies.length);
    assert.equal(new Set(idempotencyKeys).size, 1);
    assert.match(String(idempotencyKeys[0]), /^[0-9a-f]{32}$/);
  },
);

test(
  "an audience too large for results per device is accepted, with a hint to tocsin log",
  ON_ONE_DATABASE,
  async (t) => {
    const server = createServer((_request, response) => {
      response.end(JSON.stringify({ success: true, message: "Accepted for many", responses: [] }));
    });
    const TOCSIN_URL = `http://127.0.0.1:${await listen(server)}`;
    t.after(() => server.close());
    const environment = { TOCSIN_URL, TOCSIN_API_KEY: KEY };
    const { code, stderr } = await runTocsin(["send", "Hello", "--wait"], { environment });
    assert.equal(code, 0);
    assert.match(stderr, /See tocsin log for the results/);
  },
);
