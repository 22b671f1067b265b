import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { EMPTY_WORDING } from "../../notifications/content/wording.ts";
import type { SendRequest } from "./send-request.ts";
import { postToWebhook, quoteShell, SNIPPETS } from "./snippets.ts";

const KEY = "0b9e4c9e-6f6f-4c52-9d38-6a1a3d8f2f10";
const SPECIAL_CHARACTERS = `It's "half" $HOME \`id\` \\n ‘curly’ %s & <b> {{name}} äöü 🦊\n第二行`;

const REQUEST: SendRequest = {
  origin: "https://tocsin.example.org",
  key: KEY,
  groupId: "",
  ...EMPTY_WORDING,
  title: SPECIAL_CHARACTERS,
  body: SPECIAL_CHARACTERS,
  channel: "ops",
  link: "https://example.org/?a=1&b='2'",
  timeSensitive: true,
  markdown: true,
  isAwaited: true,
};
const SENT_BODY = {
  title: SPECIAL_CHARACTERS,
  body: SPECIAL_CHARACTERS,
  channel: "ops",
  link: "https://example.org/?a=1&b='2'",
  timeSensitive: true,
  markdown: true,
};

test("the webhook URL has the key in its path and every field in its query", () => {
  const url = new URL(SNIPPETS.webhook(REQUEST));
  assert.equal(url.pathname, `/api/v1/notify/${KEY}`);
  assert.deepEqual(Object.fromEntries(url.searchParams), {
    ...SENT_BODY,
    timeSensitive: "true",
    markdown: "true",
  });
});

test("a POST-only webhook is a curl command with the same URL", () => {
  const [option, method, url] = argumentsOf(postToWebhook(REQUEST));
  assert.deepEqual([option, method, url], ["-X", "POST", SNIPPETS.webhook(REQUEST)]);
});

test("a shell passes any text to curl unchanged", () => {
  const [url, ...args] = argumentsOf(SNIPPETS.curl(REQUEST));
  assert.equal(url, "https://tocsin.example.org/api/v1/notify");
  assert.deepEqual(args.slice(0, 4), [
    "-H",
    `x-api-key: ${KEY}`,
    "-H",
    "content-type: application/json",
  ]);
  assert.deepEqual(JSON.parse(args[5] ?? ""), SENT_BODY);
});

test("curl sends x-ttl only if it differs from the server's default", () => {
  assert.match(SNIPPETS.curl({ ...REQUEST, ttlSeconds: 600 }), /-H 'x-ttl: 600'/);
  assert.doesNotMatch(SNIPPETS.curl({ ...REQUEST, ttlSeconds: 86_400 }), /x-ttl/);
});

test("a shell reads a quoted word unchanged", () => {
  for (const text of [SPECIAL_CHARACTERS, "", "'", "''", "a'b'c", "\\'", "$(id)", "-n", "\t"]) {
    const echoed = execFileSync("/bin/sh", ["-c", `printf %s ${quoteShell(text)}`]);
    assert.equal(echoed.toString(), text);
  }
});

test("the JavaScript sends the key and the body", async () => {
  const received: unknown[] = [];
  const fetch = async (...args: unknown[]) => {
    received.push(...args);
    return { json: async () => ({}) };
  };
  const source = `(async () => { ${SNIPPETS.javascript(REQUEST)} })()`;
  await runInNewContext(source, { fetch, console: { log: () => {} } });
  const [url, options] = received as [string, { headers: Record<string, string>; body: string }];
  assert.equal(url, "https://tocsin.example.org/api/v1/notify");
  assert.equal(options.headers["x-api-key"], KEY);
  assert.deepEqual(JSON.parse(options.body), SENT_BODY);
});

test("the GitHub Actions step contains the body in one block and no key", () => {
  const step = SNIPPETS.githubActions(REQUEST);
  assert.ok(!step.includes(KEY));
  const block = /NOTIFICATION: \|-\n(?<json>(?: {6}.*\n)+?) {2}run:/.exec(step)?.groups?.["json"];
  assert.deepEqual(JSON.parse(block ?? ""), SENT_BODY);
  const expression = SNIPPETS.githubActions({ ...REQUEST, title: "${{ secrets.OTHER }}" });
  assert.match(expression, /"title": "\$\{\{ '\$\{\{' \}\} secrets\.OTHER/);
});

test("Uptime Kuma's body is JSON after its variables are replaced", () => {
  const body = /\{\n.*?\n\}/s.exec(SNIPPETS.uptimeKuma(REQUEST))?.[0] ?? "";
  const filled = body.replaceAll(/\{\{.*?\}\}/g, '"x"');
  assert.deepEqual(JSON.parse(filled), { ...SENT_BODY, title: "x", body: "x" });
});

test("Python and PowerShell quote strings by their own rules", () => {
  assert.match(SNIPPETS.python(REQUEST), /"timeSensitive": True/);
  assert.ok(SNIPPETS.python(REQUEST).includes(`"title": ${JSON.stringify(SPECIAL_CHARACTERS)}`));
  assert.ok(SNIPPETS.powershell(REQUEST).includes("title = 'It''s \"half\" $HOME"));
  assert.ok(SNIPPETS.powershell(REQUEST).includes("‘‘curly’’"));
});

test("a group and an unawaited request have different URLs", () => {
  const group = { ...REQUEST, groupId: "a/b" };
  assert.match(SNIPPETS.curl(group), /notify\/group\/a%2Fb'/);
  assert.match(SNIPPETS.curl({ ...REQUEST, isAwaited: false }), /\/notify-async'/);
});

/** Returns the arguments that a shell passes to curl for a command. */
function argumentsOf(command: string): readonly string[] {
  const print = `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }; ${command}`;
  return execFileSync("/bin/sh", ["-c", print]).toString().split("\0").slice(0, -1);
}
