import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { EMPTY_FORM_CONTENT } from "../../notifications/content/form-content.ts";
import type { SendRequest } from "./send-request.ts";
import { formatWebhookCommand, quoteShell, SNIPPET_FORMATTERS } from "./snippets.ts";

const KEY = "0b9e4c9e-6f6f-4c52-9d38-6a1a3d8f2f10";
const SPECIAL_CHARACTERS = `It's "half" $HOME \`id\` \\n ‘curly’ %s & <b> {{name}} äöü 🦊\n第二行`;

const REQUEST: SendRequest = {
  origin: "https://tocsin.example.org",
  key: KEY,
  groupId: "",
  ...EMPTY_FORM_CONTENT,
  title: SPECIAL_CHARACTERS,
  body: SPECIAL_CHARACTERS,
  channel: "ops",
  link: "https://example.org/?a=1&b='2'",
  timeSensitive: true,
  markdown: true,
  waitsForResults: true,
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
  const url = new URL(SNIPPET_FORMATTERS.webhook(REQUEST));
  assert.equal(url.pathname, `/api/v1/notify/${KEY}`);
  assert.deepEqual(Object.fromEntries(url.searchParams), {
    ...SENT_BODY,
    timeSensitive: "true",
    markdown: "true",
  });
});

test("a POST-only webhook is a curl command with the same URL", () => {
  const [option, method, url] = parseArguments(formatWebhookCommand(REQUEST));
  assert.deepEqual([option, method, url], ["-X", "POST", SNIPPET_FORMATTERS.webhook(REQUEST)]);
});

test("a shell passes any text to curl unchanged", () => {
  const [url, ...args] = parseArguments(SNIPPET_FORMATTERS.curl(REQUEST));
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
  assert.match(SNIPPET_FORMATTERS.curl({ ...REQUEST, ttlSeconds: 600 }), /-H 'x-ttl: 600'/);
  assert.doesNotMatch(SNIPPET_FORMATTERS.curl({ ...REQUEST, ttlSeconds: 86_400 }), /x-ttl/);
});

test("a shell reads a quoted word unchanged", () => {
  for (const text of [SPECIAL_CHARACTERS, "", "'", "''", "a'b'c", "\\'", "$(id)", "-n", "\t"]) {
    const output = execFileSync("/bin/sh", ["-c", `printf %s ${quoteShell(text)}`]);
    assert.equal(output.toString(), text);
  }
});

test("the JavaScript snippet sends the key and the body", async () => {
  const fetchArguments: unknown[] = [];
  const fetch = async (...args: unknown[]) => {
    fetchArguments.push(...args);
    return { json: async () => ({}) };
  };
  const source = `(async () => { ${SNIPPET_FORMATTERS.javascript(REQUEST)} })()`;
  await runInNewContext(source, { fetch, console: { log: () => {} } });
  const [url, options] = fetchArguments as [
    string,
    { headers: Record<string, string>; body: string },
  ];
  assert.equal(url, "https://tocsin.example.org/api/v1/notify");
  assert.equal(options.headers["x-api-key"], KEY);
  assert.deepEqual(JSON.parse(options.body), SENT_BODY);
});

test("the GitHub Actions step contains the body in one block, no key and no expression of the sender", () => {
  const step = SNIPPET_FORMATTERS.githubActions(REQUEST);
  assert.ok(!step.includes(KEY));
  const block = /NOTIFICATION: \|-\n(?<json>(?: {6}.*\n)+?) {2}run:/.exec(step)?.groups?.["json"];
  assert.deepEqual(JSON.parse(block ?? ""), SENT_BODY);
  const stepWithExpression = SNIPPET_FORMATTERS.githubActions({
    ...REQUEST,
    title: "${{ secrets.OTHER }}",
  });
  assert.match(stepWithExpression, /"title": "\$\{\{ '\$\{\{' \}\} secrets\.OTHER/);
});

test("Uptime Kuma's body is JSON after its variables are replaced", () => {
  const body = /\{\n.*?\n\}/s.exec(SNIPPET_FORMATTERS.uptimeKuma(REQUEST))?.[0] ?? "";
  const filledBody = body.replaceAll(/\{\{.*?\}\}/g, '"x"');
  assert.deepEqual(JSON.parse(filledBody), { ...SENT_BODY, title: "x", body: "x" });
});

test("Python and PowerShell quote strings by their own rules", () => {
  assert.match(SNIPPET_FORMATTERS.python(REQUEST), /"timeSensitive": True/);
  assert.ok(
    SNIPPET_FORMATTERS.python(REQUEST).includes(`"title": ${JSON.stringify(SPECIAL_CHARACTERS)}`),
  );
  assert.ok(SNIPPET_FORMATTERS.powershell(REQUEST).includes("title = 'It''s \"half\" $HOME"));
  assert.ok(SNIPPET_FORMATTERS.powershell(REQUEST).includes("‘‘curly’’"));
});

test("a request to a group and a request that does not wait have their own URLs", () => {
  const groupRequest = { ...REQUEST, groupId: "a/b" };
  assert.match(SNIPPET_FORMATTERS.curl(groupRequest), /notify\/group\/a%2Fb'/);
  assert.match(SNIPPET_FORMATTERS.curl({ ...REQUEST, waitsForResults: false }), /\/notify-async'/);
});

/** Returns the arguments that a shell passes to curl for a command. */
function parseArguments(command: string): readonly string[] {
  const script = `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }; ${command}`;
  return execFileSync("/bin/sh", ["-c", script]).toString().split("\0").slice(0, -1);
}
