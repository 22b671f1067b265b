import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { EMPTY_WORDING } from "../../notifications/content/wording.ts";
import type { SendRequest } from "./send-request.ts";
import { postToWebhook, shellQuote, SNIPPETS } from "./snippets.ts";

const KEY = "0b9e4c9e-6f6f-4c52-9d38-6a1a3d8f2f10";
const NASTY = `It's "half" $HOME \`id\` \\n ‘curly’ %s & <b> {{name}} äöü 🦊\n第二行`;

const PLAIN: SendRequest = {
  origin: "https://tocsin.example.org",
  key: KEY,
  groupId: "",
  ...EMPTY_WORDING,
  title: NASTY,
  body: NASTY,
  channel: "ops",
  link: "https://example.org/?a=1&b='2'",
  timeSensitive: true,
  markdown: true,
  isAwaited: true,
};
const SENT = {
  title: NASTY,
  body: NASTY,
  channel: "ops",
  link: "https://example.org/?a=1&b='2'",
  timeSensitive: true,
  markdown: true,
};

test("the webhook's address carries every given field, and the key alone in its path", () => {
  const url = new URL(SNIPPETS.webhook(PLAIN));
  assert.equal(url.pathname, `/api/v1/notify/${KEY}`);
  assert.deepEqual(Object.fromEntries(url.searchParams), {
    ...SENT,
    timeSensitive: "true",
    markdown: "true",
  });
});

test("an address that is not to be opened is posted to, by a command", () => {
  const [option, method, address] = argumentsOf(postToWebhook(PLAIN));
  assert.deepEqual([option, method, address], ["-X", "POST", SNIPPETS.webhook(PLAIN)]);
});

test("a shell hands curl what was written, whatever was written", () => {
  const [address, ...args] = argumentsOf(SNIPPETS.curl(PLAIN));
  assert.equal(address, "https://tocsin.example.org/api/v1/notify");
  assert.deepEqual(args.slice(0, 4), [
    "-H",
    `x-api-key: ${KEY}`,
    "-H",
    "content-type: application/json",
  ]);
  assert.deepEqual(JSON.parse(args[5] ?? ""), SENT);
});

test("curl says how long it is tried, where that is not what the server does by itself", () => {
  assert.match(SNIPPETS.curl({ ...PLAIN, ttlSeconds: 600 }), /-H 'x-ttl: 600'/);
  assert.doesNotMatch(SNIPPETS.curl({ ...PLAIN, ttlSeconds: 86_400 }), /x-ttl/);
});

test("a word for the shell is read back as it was", () => {
  for (const text of [NASTY, "", "'", "''", "a'b'c", "\\'", "$(id)", "-n", "\t"]) {
    const echoed = execFileSync("/bin/sh", ["-c", `printf %s ${shellQuote(text)}`]);
    assert.equal(echoed.toString(), text);
  }
});

test("the JavaScript asks as it should", async () => {
  const asked: unknown[] = [];
  const fetch = async (...request: unknown[]) => {
    asked.push(...request);
    return { json: async () => ({}) };
  };
  const source = `(async () => { ${SNIPPETS.javascript(PLAIN)} })()`;
  await runInNewContext(source, { fetch, console: { log: () => {} } });
  const [address, options] = asked as [string, { headers: Record<string, string>; body: string }];
  assert.equal(address, "https://tocsin.example.org/api/v1/notify");
  assert.equal(options.headers["x-api-key"], KEY);
  assert.deepEqual(JSON.parse(options.body), SENT);
});

test("the step of GitHub Actions keeps the text in one block and the key out of the file", () => {
  const step = SNIPPETS.githubActions(PLAIN);
  assert.ok(!step.includes(KEY));
  const block = /NOTIFICATION: \|-\n(?<json>(?: {6}.*\n)+?) {2}run:/.exec(step)?.groups?.["json"];
  assert.deepEqual(JSON.parse(block ?? ""), SENT);
  const expression = SNIPPETS.githubActions({ ...PLAIN, title: "${{ secrets.OTHER }}" });
  assert.match(expression, /"title": "\$\{\{ '\$\{\{' \}\} secrets\.OTHER/);
});

test("Uptime Kuma's body is JSON once its words are filled in", () => {
  const body = /\{\n.*?\n\}/s.exec(SNIPPETS.uptimeKuma(PLAIN))?.[0] ?? "";
  const filled = body.replaceAll(/\{\{.*?\}\}/g, '"x"');
  assert.deepEqual(JSON.parse(filled), { ...SENT, title: "x", body: "x" });
});

test("Python and PowerShell quote as their languages do", () => {
  assert.match(SNIPPETS.python(PLAIN), /"timeSensitive": True/);
  assert.ok(SNIPPETS.python(PLAIN).includes(`"title": ${JSON.stringify(NASTY)}`));
  assert.ok(SNIPPETS.powershell(PLAIN).includes("title = 'It''s \"half\" $HOME"));
  assert.ok(SNIPPETS.powershell(PLAIN).includes("‘‘curly’’"));
});

test("a group has an address of its own, and who does not wait another", () => {
  const group = { ...PLAIN, groupId: "a/b" };
  assert.match(SNIPPETS.curl(group), /notify\/group\/a%2Fb'/);
  assert.match(SNIPPETS.curl({ ...PLAIN, isAwaited: false }), /\/notify-async'/);
});

/** Returns the words that a shell makes of a command, without the program's name. */
function argumentsOf(command: string): readonly string[] {
  const print = `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }; ${command}`;
  return execFileSync("/bin/sh", ["-c", print]).toString().split("\0").slice(0, -1);
}
