import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { ROOT } from "../../../scripts/files.ts";
import { ask } from "../contract/ask.ts";
import { runProgram } from "../support/program.ts";
import { blockOf, fill } from "./page.ts";
import { setStage } from "./stage.ts";

interface FlowNode {
  readonly id: string;
  readonly type: string;
  readonly url?: string;
  readonly method?: string;
  readonly ret?: string;
  readonly rules?: readonly { readonly to: string }[];
  readonly headers?: readonly { readonly keyValue: string; readonly valueValue: string }[];
  readonly wires: readonly (readonly string[])[];
}

test("the flow for Node-RED is wired, and what it sends reaches a phone", async (t) => {
  const { app, ann, arrived } = await setStage(t);
  const text = fill(blockOf("node-red.md", "json"), {
    "https://push.example.org": app.url,
    "${TOCSIN_API_KEY}": ann.key,
  });
  const flow: readonly FlowNode[] = JSON.parse(text);
  const [change, request, debug] = flow;
  assert.deepEqual(
    flow.map(({ type }) => type),
    ["change", "http request", "debug"],
  );
  assert.deepEqual([change?.wires, request?.wires], [[[request?.id]], [[debug?.id]]]);
  assert.match(change?.rules?.[0]?.to ?? "", /^\{"title": topic .*, "body": \$string\(payload\)/);
  const own = request?.headers?.map(({ keyValue, valueValue }) => [keyValue, valueValue]) ?? [];
  // Recorded from Node-RED 4.1.15 with this flow; an object becomes JSON, and its bytes are counted.
  const body =
    '{"title":"K\u00fchlschrank","body":"T\u00fcr offen: 9 \u00b0C","channel":"node-red"}';
  const headers = {
    "user-agent": "got (https://github.com/sindresorhus/got)",
    ...Object.fromEntries(own),
    "Content-Type": "application/json",
    "Content-Length": 72,
  };
  const { pathname } = new URL(request?.url ?? "");
  const answer = await ask(app.url, {
    method: request?.method ?? "",
    path: pathname,
    headers,
    body,
  });
  assert.deepEqual([answer.status, JSON.parse(answer.text).success], [200, true]);
  const { title, body: shown, channel } = await arrived();
  assert.deepEqual(
    [title, shown, channel],
    ["K\u00fchlschrank", "T\u00fcr offen: 9 \u00b0C", "node-red"],
  );
});

const POWERSHELL = ["pwsh", "-NoProfile", "-NonInteractive", "-Command"] as const;

test("the lines for PowerShell send, where there is one", async (t) => {
  const [command, ...args] = POWERSHELL;
  const isThere = await runProgram(command, [...args, "exit 0"]).then(
    ({ code }) => code === 0,
    () => false,
  );
  if (!isThere) {
    t.skip("the page is not run here: neither Debian nor npm has PowerShell (pwsh)");
    return;
  }
  const { app, ann, arrived } = await setStage(t);
  const env = { TOCSIN_URL: app.url, TOCSIN_API_KEY: ann.key, COMPUTERNAME: "db" };
  const script = blockOf("powershell.md", "powershell");
  const { code, stderr } = await runProgram(command, [...args, script], { env });
  assert.equal(code, 0, stderr);
  assert.equal((await arrived()).title, "Backup of db failed");
});

test("Windows PowerShell's request by the page is taken", async (t) => {
  const { app, ann, arrived } = await setStage(t);
  const script = blockOf("powershell.md", "powershell");
  const [, method = ""] = /-Method (\w+)/.exec(script) ?? [];
  const [, path = ""] = /-Uri "\$env:TOCSIN_URL(\S+)"/.exec(script) ?? [];
  const [, type = ""] = /-ContentType '([^']+)'/.exec(script) ?? [];
  const [, header = ""] = /-Headers @\{ '([^']+)' = \$env:TOCSIN_API_KEY \}/.exec(script) ?? [];
  const names = Array.from(script.matchAll(/^ {2}(\w+) +=/gmu), ([, name = ""]) => name);
  assert.deepEqual(names, ["title", "body", "channel"]);
  // 5.1 waits to be told to continue; ConvertTo-Json writes a line per field.
  const body = JSON.stringify(
    { title: "Backup failed", body: "D: \u00fc", channel: "backups" },
    null,
    4,
  );
  const headers = {
    "user-agent": "Mozilla/5.0 (Windows NT; Windows NT 10.0; de-DE) WindowsPowerShell/5.1.19041.1",
    expect: "100-continue",
    [header]: ann.key,
    "content-type": type,
  };
  const answer = await ask(app.url, { method: method.toUpperCase(), path, headers, body });
  assert.equal(answer.status, 200);
  assert.equal((await arrived()).body, "D: \u00fc");
});

test("the step for GitHub Actions sends, with inputs that the action has", async (t) => {
  const { app, ann, arrived } = await setStage(t);
  const step = fill(blockOf("github-actions.md", "yaml"), {
    "https://push.example.org": app.url,
    "${{ secrets.TOCSIN_API_KEY }}": ann.key,
    "${{ github.workflow }}": "Nightly",
  });
  assert.match(step, /uses: \S+\/action@main$/m);
  const [, lines = ""] = /^ {2}with:\n((?: {4}.*\n)+)/m.exec(step) ?? [];
  const inputs = Array.from(
    lines.matchAll(/^ {4}([a-z-]+): (.*)$/gmu),
    ([, name = "", value = ""]) => [name, value],
  );
  const declared = readFileSync(join(ROOT, "action/action.yml"), "utf8");
  for (const [name] of inputs) assert.match(declared, new RegExp(`^ {2}${name}:$`, "m"));
  const env = {
    ...Object.fromEntries(
      inputs.map(([name = "", value = ""]) => [`INPUT_${name.toUpperCase()}`, value]),
    ),
    GITHUB_REPOSITORY: "ann/bells",
    GITHUB_RUN_ID: "42",
    GITHUB_SERVER_URL: "https://github.example.org",
    GITHUB_WORKFLOW: "Nightly",
  };
  const { code, stdout } = await runProgram(process.execPath, [join(ROOT, "action/main.mjs")], {
    env,
  });
  assert.equal(code, 0, stdout);
  const { title, link, channel } = await arrived();
  assert.deepEqual([title, channel], ["Nightly failed", "builds"]);
  assert.equal(link, "https://github.example.org/ann/bells/actions/runs/42");
});
