import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test, type TestContext } from "node:test";
import { listen } from "../../../server/test/doubles/listen.ts";
import { addDevice, signUp, startApp } from "../../../server/test/support/app.ts";
import { ON_ANY_DATABASE } from "../../../server/test/support/database.ts";
import { ended, NO_TERMINAL, printed, startOnTerminal, tocsin } from "../tocsin.fixture.ts";

/** A push service that throttles, and accepts the message a second later. */
const LATER = { kind: "answer", status: 429, headers: { "retry-after": "1" } } as const;
/** One that throttles for longer than a test takes. */
const MUCH_LATER = { kind: "answer", status: 429, headers: { "retry-after": "3600" } } as const;
const GONE = { kind: "answer", status: 410 } as const;
const KEY = "4b0e9d3c-5a7e-4f6b-9a51-0c2d4e6f8a1b";

/** A person with two devices, and `send --wait` with only her key. */
async function personWithDevices(test: TestContext) {
  const app = await startApp(test, { random: () => 0 });
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann, "Phone");
  const { phone: tablet } = await addDevice(app, ann, "Tablet");
  const environment = { TOCSIN_URL: app.url, TOCSIN_API_KEY: ann.key };
  const sendAndWait = (...args: readonly string[]) =>
    tocsin(["send", "Hello", "--wait", ...args], { environment });
  return { ann, phone, tablet, environment, sendAndWait };
}

test("--wait follows a notification until every device has it, and sends it once", async (t) => {
  const { sendAndWait, phone, tablet, ann } = await personWithDevices(t);
  phone.script(LATER);
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

test("a device that turns out to be gone keeps its line, and nobody reached is exit code 1", async (t) => {
  const { sendAndWait, phone, tablet } = await personWithDevices(t);
  phone.script(LATER, GONE);
  tablet.script(GONE);
  const { code, stdout } = await sendAndWait();
  assert.equal(code, 1, stdout);
  assert.match(stdout, /^Delivered to 0 of 2 devices\n/);
  assert.equal(stdout.match(/✗ The device is no longer registered/g)?.length, 2);
});

test(
  "after --timeout the answer says which devices are still tried; one reached device is exit code 0",
  ON_ANY_DATABASE,
  async (t) => {
    const { sendAndWait, phone, tablet } = await personWithDevices(t);
    phone.script(MUCH_LATER, MUCH_LATER);
    const one = await sendAndWait("--timeout", "1", "--json");
    assert.equal(one.code, 0);
    const { success, isComplete, responses } = JSON.parse(one.stdout);
    assert.deepEqual([success, isComplete, responses.length], [true, false, 2]);
    assert.match(one.stderr, /--timeout is over/);
    tablet.script(MUCH_LATER);
    const none = await sendAndWait("--timeout", "1");
    assert.equal(none.code, 1);
    assert.match(none.stdout, /0 of 2 delivered so far, 2 queued/);
  },
);

test(
  "a terminal shows progress, a pipe does not",
  { skip: NO_TERMINAL || ON_ANY_DATABASE.skip },
  async (t) => {
    const { phone, environment } = await personWithDevices(t);
    phone.script(LATER);
    const child = startOnTerminal(["send", "Hello", "--wait"], { environment });
    const end = ended(child);
    await printed(child.stdout, "Waiting: 1 of 2 devices");
    const { code, stdout } = await end;
    assert.equal(code, 0);
    assert.match(stdout, /Delivered to 2 of 2 devices/);
    phone.script(LATER);
    const piped = await tocsin(["send", "Once more", "--wait"], { environment });
    assert.doesNotMatch(piped.stderr, /devices have/);
  },
);

test(
  "a temporary error does not end the wait; the result is requested under one idempotency key",
  ON_ANY_DATABASE,
  async (t) => {
    const keys: unknown[] = [];
    const queued = {
      success: true,
      message: "",
      responses: [{ success: false, message: "Queued." }],
    };
    const done = { success: true, message: "Done", responses: [{ success: true, message: "" }] };
    const unavailable = { success: false, message: "", error: { code: "unavailable" } };
    const answers = [queued, unavailable, unavailable, unavailable, done];
    const server = createServer((request, response) => {
      keys.push(request.headers["idempotency-key"]);
      const answer = answers[keys.length - 1] ?? done;
      response.writeHead(answer === unavailable ? 500 : 200, { "retry-after": "0" });
      response.end(JSON.stringify(answer));
    });
    const TOCSIN_URL = `http://127.0.0.1:${await listen(server)}`;
    t.after(() => server.close());
    const environment = { TOCSIN_URL, TOCSIN_API_KEY: KEY };
    const { code, stdout } = await tocsin(["send", "Hello", "--wait"], { environment });
    assert.deepEqual([code, stdout.split("\n")[0]], [0, "Done"]);
    assert.deepEqual([keys.length, new Set(keys).size], [5, 1]);
    assert.match(String(keys[0]), /^[0-9a-f]{32}$/);
  },
);

test(
  "an audience too large for results per device is accepted, with a hint where to look",
  ON_ANY_DATABASE,
  async (t) => {
    const server = createServer((_request, response) => {
      response.end(JSON.stringify({ success: true, message: "Accepted for many", responses: [] }));
    });
    const TOCSIN_URL = `http://127.0.0.1:${await listen(server)}`;
    t.after(() => server.close());
    const environment = { TOCSIN_URL, TOCSIN_API_KEY: KEY };
    const { code, stderr } = await tocsin(["send", "Hello", "--wait"], { environment });
    assert.equal(code, 0);
    assert.match(stderr, /See tocsin log for the results/);
  },
);
