import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { run } from "../scripts/child.mjs";
import { addDevice, signUp, startApp } from "../server/test/support/app.ts";
import { createTemporaryFolder } from "../server/test/support/temporary-folder.ts";
import { listen } from "../server/test/doubles/listen.ts";

const MAIN = join(import.meta.dirname, "main.mjs");

const GITHUB_ENVIRONMENT = {
  GITHUB_REPOSITORY: "ann/bells",
  GITHUB_RUN_ID: "42",
  GITHUB_SERVER_URL: "https://github.example.org",
  GITHUB_WORKFLOW: "Nightly",
};

test("a step sends to the devices and links to its run", async (t) => {
  const server = await startApp(t);
  const ann = await signUp(server, "Ann");
  await addDevice(server, ann);
  const step = await runAction(t, {
    url: server.url,
    "api-key": ann.key,
    title: "Backup failed",
    channel: "builds",
    "time-sensitive": "true",
  });
  assert.equal(step.code, 0, step.printed);
  const [notification] = (await ann.client.feed.list()).items;
  assert.deepEqual(step.outputs, {
    "notification-id": notification?.id ?? "",
    success: "true",
  });
  assert.match(step.printed, /Delivered to 1 of 1 device/);
  const link = "https://github.example.org/ann/bells/actions/runs/42";
  const { title, body, channel } = notification ?? {};
  assert.deepEqual(
    { title, body, channel, link: notification?.link },
    { title: "Backup failed", body: "Nightly in ann/bells", channel: "builds", link },
  );
  // GitHub hides a masked value in all later output.
  assert.equal(step.printed.split(ann.key).length, 2);
  assert.ok(step.printed.startsWith(`::add-mask::${ann.key}\n`));
});

test("a step that reaches no device prints a warning and does not fail the run", async (t) => {
  const server = await startApp(t);
  const ann = await signUp(server, "Ann");
  const step = await runAction(t, { url: server.url, "api-key": ann.key, title: "Hello" });
  assert.equal(step.code, 0, step.printed);
  assert.equal(step.outputs["success"], "false");
  assert.match(step.printed, /^::warning title=Tocsin::No devices/m);
});

test("a step that cannot send fails with the reason", async (t) => {
  const server = await startApp(t);
  const ann = await signUp(server, "Ann");
  const validInputs = { url: server.url, "api-key": ann.key, title: "Hello" };
  const inputsByReason = {
    "Invalid API key": { ...validInputs, "api-key": "00000000-0000-4000-8000-000000000000" },
    "sound must be": { ...validInputs, sound: "nothing like it" },
    "The input title is missing": { ...validInputs, title: " " },
    "url must be an address": { ...validInputs, url: "push.example.org" },
    "time-sensitive must be": { ...validInputs, "time-sensitive": "perhaps" },
    "answered 400": { ...validInputs, group: "unknown" },
  };
  for (const [reason, inputs] of Object.entries(inputsByReason)) {
    const step = await runAction(t, inputs);
    assert.equal(step.code, 1, `${reason}: ${step.printed}`);
    assert.match(step.printed, new RegExp(`^::error title=Tocsin::.*${reason}`, "m"));
    assert.deepEqual(step.outputs, {});
  }
});

test("a URL that is not a Tocsin server's fails without a retry", async (t) => {
  let requestCount = 0;
  const server = createServer((_request, response) => {
    requestCount += 1;
    response.writeHead(404, { "content-type": "text/html" }).end("<html>");
  });
  t.after(() => server.close());
  const url = `http://127.0.0.1:${await listen(server)}`;
  const step = await runAction(t, { url, "api-key": "key", title: "Hello" });
  assert.equal(step.code, 1, step.printed);
  assert.match(step.printed, /answered 404 with something other than JSON/);
  assert.equal(requestCount, 1);
});

test("a request to a restarting server is retried with the same idempotency key", async (t) => {
  const keys: unknown[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers["idempotency-key"]);
    request.resume();
    const isRestarted = keys.length > 2;
    response.writeHead(isRestarted ? 200 : 503, {
      "retry-after": "0.01",
      "x-notification-id": "id",
    });
    response.end(
      JSON.stringify({ success: isRestarted, message: isRestarted ? "Delivered" : "Not now" }),
    );
  });
  t.after(() => server.close());
  const url = `http://127.0.0.1:${await listen(server)}`;
  const step = await runAction(t, { url, "api-key": "key", title: "Hello" });
  assert.equal(step.code, 0, step.printed);
  assert.equal(keys.length, 3);
  assert.equal(new Set(keys).size, 1);
  assert.match(step.printed, /answered 503: Not now Trying again in 0\.01 s\./);
});

test("action.yml declares the inputs and outputs of the code, and README.md uses no others", async () => {
  const actionFile = await readFile(join(import.meta.dirname, "action.yml"), "utf8");
  const code = await readFile(MAIN, "utf8");
  const listDeclaredNames = (section: string) => {
    const [, lines = ""] = new RegExp(`^${section}:\n((?:  .*\n)+)`, "m").exec(actionFile) ?? [];
    return new Set([...lines.matchAll(/^ {2}([a-z-]+):$/gm)].map(([, name]) => name));
  };
  const listUsedNames = (call: RegExp) => new Set([...code.matchAll(call)].map(([, name]) => name));
  assert.deepEqual(
    listDeclaredNames("inputs"),
    listUsedNames(/\b(?:readInput|readRequired|readBoolean)\("([a-z-]+)"\)/g),
  );
  assert.deepEqual(listDeclaredNames("outputs"), listUsedNames(/\bsetOutput\("([a-z-]+)"/g));
  assert.match(actionFile, /^ {2}main: main\.mjs$/m);
  const readme = await readFile(join(import.meta.dirname, "README.md"), "utf8");
  const [, example = ""] = /^ {2}with:\n((?: {4}.*\n)+)/m.exec(readme) ?? [];
  const usedInputs = [...example.matchAll(/^ {4}([a-z-]+):/gm)].map(([, name]) => name);
  assert.ok(usedInputs.length > 2);
  assert.deepEqual(
    usedInputs.filter((name) => !listDeclaredNames("inputs").has(name)),
    [],
  );
});

/** Runs the step as GitHub does, and returns its exit code, output and outputs. */
async function runAction(t: TestContext, inputs: Readonly<Record<string, string>>) {
  const file = join(await createTemporaryFolder(t), "output");
  const inputVariables = Object.entries(inputs).map(
    ([name, value]) => [`INPUT_${name.toUpperCase()}`, value] as const,
  );
  const env = { ...GITHUB_ENVIRONMENT, ...Object.fromEntries(inputVariables), GITHUB_OUTPUT: file };
  const { code, output: printed } = await run(process.execPath, [MAIN], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const outputText = await readFile(file, "utf8").catch(() => "");
  const lines = outputText.split("\n").filter((line) => line !== "");
  const outputs = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
  return { code, printed, outputs };
}
