import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import test from "node:test";
import { SOUNDS } from "@tocsin/sdk";
import {
  createJsonReply,
  createRefusalReply,
  startServer,
} from "../sdk/src/test-server.fixture.ts";
import { listen } from "../server/test/doubles/listen.ts";
import { addDevice, signUp, startApp } from "../server/test/support/app.ts";
import { ON_ONE_DATABASE } from "../server/test/support/database.ts";
import { run } from "./child.mjs";
import { ROOT } from "./files.ts";
import { renderPythonExample, fillInTemplate, type OpenApiDocument } from "./python-example.ts";

const EXAMPLE_FILE = join(ROOT, "docs/examples/tocsin.py");
const KEY = "4b0e9d3c-5a7e-4f6b-9a51-0c2d4e6f8a1b";
const HAS_PYTHON = spawnSync("python3", ["--version"]).error === undefined;
const skip = HAS_PYTHON ? ON_ONE_DATABASE.skip : "needs python3";
const SENT_RESPONSE = { success: true, message: "Delivered to 0 of 0 devices", responses: [] };

/** Runs a Python program with a `client` variable, and returns the JSON that it prints. */
async function runInPython(
  setting: { url: string; key?: string; options?: string },
  program: string,
) {
  const { url, key = KEY, options = "" } = setting;
  const head = [
    "import json, sys, tocsin",
    "from dataclasses import asdict",
    "url, key = sys.argv[1:]",
    "def failure(act):",
    "    try: act()",
    "    except Exception as error: return [type(error).__name__, str(error), vars(error)]",
    ...(options === "none" ? [] : [`client = tocsin.Tocsin(url, key${options})`]),
  ];
  return JSON.parse(await runPythonSuccessfully(["-c", [...head, program].join("\n"), url, key]));
}

async function runPythonSuccessfully(
  args: readonly string[],
  environment: Record<string, string> = {},
) {
  const { code, output } = await runPython(args, environment);
  assert.equal(code, 0, output);
  return output;
}

/** Runs Python without leaving byte code next to the example. */
function runPython(args: readonly string[], environment: Record<string, string> = {}) {
  const overrides = { PYTHONPATH: join(ROOT, "docs/examples"), PYTHONDONTWRITEBYTECODE: "1" };
  const env = { PATH: process.env["PATH"], ...overrides, ...environment };
  return run("python3", args, { cwd: ROOT, env, stdio: ["ignore", "pipe", "pipe"] });
}

test("the Python example is up to date with the OpenAPI document", async () => {
  assert.equal(readFileSync(EXAMPLE_FILE, "utf8"), await renderPythonExample());
});

test("the example follows the OpenAPI document, and a missing operation is an error", () => {
  const document = JSON.parse(
    readFileSync(join(ROOT, "server/openapi.json"), "utf8").replaceAll("doorbell", "trumpet"),
  ) as OpenApiDocument;
  const template = "@@SOUNDS@@ @@METHODS@@\n @@KEY_HEADER@@ @@IDEMPOTENCY_HEADER@@";
  const rendered = fillInTemplate(document, template);
  assert.match(rendered, /"trumpet",/);
  assert.match(rendered, / x-api-key idempotency-key$/);
  assert.throws(() => fillInTemplate({ ...document, paths: {} }, template), /no operation notify/);
});

test("Python sends to devices with each of its three methods", { skip }, async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { phone, device } = await addDevice(app, ann);
  const group = await ann.client.groups.create({ name: "Phones", deviceIds: [device.id] });
  const setting = { url: `${app.url}/`, key: ann.key };
  const fields =
    'sound="doorbell", channel="alerts", link="https://example.org/ä", time_sensitive=True, ttl=60';
  const printed = await runInPython(
    setting,
    `now = client.notify("Naïve 🔔", "Line\\n2", ${fields})
later = client.notify_async("Later", "", idempotency_key="once")
again = client.notify_async("Later", "", idempotency_key="once")
group = client.notify_group("${group.id}", "", "Grouped")
print(json.dumps([[asdict(each) for each in (now, later, again, group)], tocsin.SOUNDS]))`,
  );
  const [[now, later, again, grouped], sounds] = printed;
  assert.deepEqual(sounds, SOUNDS);
  assert.deepEqual([now.success, now.message], [true, "Delivered to 1 of 1 device"]);
  assert.match(now.responses[0].message, /^Accepted by/);
  assert.deepEqual([later.success, later.responses], [true, []]);
  assert.equal(later.notification_id, again.notification_id);
  assert.equal(grouped.responses.length, 1);
  const arrived = [await phone.next(), await phone.next(), await phone.next()];
  const texts = arrived.map(({ text }) => JSON.parse(text).notification);
  const [first] = texts;
  assert.deepEqual(
    [first.title, first.body, first.data.sound],
    ["Naïve 🔔", "Line\n2", "doorbell"],
  );
  assert.deepEqual([first.data.channel, first.requireInteraction], ["alerts", true]);
  assert.ok((arrived[0]?.ttlSeconds ?? 0) <= 60);
  const record = await ann.client.notifications.get(now.notification_id);
  assert.equal(record.timeSensitive, true);
});

test(
  "Python raises refusals with their fields, and rejects invalid settings without repeating the key",
  { skip },
  async (t) => {
    const app = await startApp(t);
    const { key } = await signUp(app, "Ann");
    const setting = { url: app.url, key };
    const [field] = await runInPython(
      setting,
      'print(json.dumps([failure(lambda: client.notify("T", "B", channel="a b"))]))',
    );
    assert.equal(field[0], "TocsinError");
    const { status, code, field: name, request_id: requestId } = field[2];
    assert.deepEqual([status, code, name], [400, "invalid_field", "channel"]);
    assert.match(requestId, /^[0-9a-f-]{36}$/);
    const unknownKey = await runInPython(
      { url: app.url },
      'print(json.dumps(failure(lambda: client.notify("T", "B"))))',
    );
    assert.deepEqual([unknownKey[2].status, unknownKey[2].code], [401, "invalid_key"]);
    const settingFailures = await runInPython(
      { ...setting, options: "none" },
      `print(json.dumps([failure(lambda: tocsin.Tocsin(*each)) for each in
      ((url, key + "\\nx"), (url, "<API_KEY>"), ("localhost", key), ("http://a:b@c", key))]))`,
    );
    for (const [kind, message] of settingFailures) {
      assert.equal(kind, "ValueError");
      assert.ok(!message.includes(key) && !message.includes("a:b"));
    }
  },
);

test(
  "Python retries temporary failures with one idempotency key, then gives up",
  { skip },
  async (t) => {
    const { baseUrl, requests } = await startServer(
      t,
      (response) => response.destroy(),
      createRefusalReply(500, "unavailable", { "retry-after": "0" }),
      createJsonReply(200, SENT_RESPONSE),
      createRefusalReply(429, "rate_limited", { "retry-after": "61" }),
      createRefusalReply(500, "unavailable", { "retry-after": "0" }),
    );
    const [sent, longWait, exhausted] = await runInPython(
      { url: baseUrl },
      `print(json.dumps([asdict(client.notify("T", "B")), failure(lambda: client.notify("T", "B")),
      failure(lambda: client.notify("T", "B"))]))`,
    );
    assert.equal(sent.success, true);
    assert.deepEqual([longWait[2].code, longWait[2].retry_after], ["rate_limited", 61]);
    assert.equal(exhausted[2].code, "unavailable");
    const keys = requests.map(({ headers }) => headers["idempotency-key"]);
    assert.equal(keys.length, 3 + 1 + 3);
    assert.equal(new Set(keys.slice(0, 3)).size, 1);
    assert.equal(new Set(keys).size, 3);
  },
);

test(
  "Python distinguishes timeouts, unreachable servers, other servers and redirects",
  { skip },
  async (t) => {
    const silentServer = await startServer(t, () => {});
    const redirectTarget = await startServer(t, createJsonReply(200, SENT_RESPONSE));
    const moved = await startServer(
      t,
      createJsonReply(302, {}, { location: `${redirectTarget.baseUrl}/` }),
    );
    const otherServer = await startServer(t, (response) => response.end("<html>"));
    const closedServer = createServer();
    const port = await listen(closedServer);
    closedServer.close();
    const program = 'print(json.dumps(failure(lambda: client.notify("T", "B"))))';
    const options = ", timeout=0.3, retries=0";
    const call = (url: string) => runInPython({ url, options }, program);
    const timeout = await call(silentServer.baseUrl);
    const refused = await call(`http://127.0.0.1:${port}`);
    assert.deepEqual([timeout[0], timeout[2].is_timeout], ["TocsinConnectionError", true]);
    assert.deepEqual([refused[0], refused[2].is_timeout], ["TocsinConnectionError", false]);
    assert.equal((await call(otherServer.baseUrl))[2].code, "not_json");
    assert.equal((await call(moved.baseUrl))[2].code, "redirected");
    assert.equal(redirectTarget.requests.length, 0);
  },
);

test("the Python program has the exit codes of tocsin send", { skip }, async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const environment = { TOCSIN_URL: app.url, TOCSIN_API_KEY: ann.key };
  const send = (overrides: Record<string, string> = {}, args = ["Title", "Body"]) =>
    runPython([EXAMPLE_FILE, ...args], { ...environment, ...overrides });
  assert.equal((await send()).code, 1);
  const { phone } = await addDevice(app, ann);
  const reached = await send({}, ["Only a title"]);
  assert.deepEqual([reached.code, reached.output], [0, "Delivered to 1 of 1 device\n"]);
  assert.equal(JSON.parse((await phone.next()).text).notification.title, "Only a title");
  assert.equal((await send({}, [])).code, 2);
  assert.equal((await send({ TOCSIN_API_KEY: "" })).code, 2);
  assert.equal((await send({ TOCSIN_API_KEY: KEY })).code, 3);
  const unreachable = await send({ TOCSIN_URL: "http://127.0.0.1:1" });
  assert.equal(unreachable.code, 4);
  assert.match(unreachable.output, /127\.0\.0\.1:1 does not answer/);
});
