import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { ROOT } from "../../../scripts/files.ts";
import { requestJson } from "../contract/http-requests.ts";
import { runProgram } from "../support/program.ts";
import { findBlock, fillPlaceholders } from "./page.ts";
import { startRecipeFixture } from "./recipe-fixture.ts";

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

test("the Node-RED flow is wired, and its request reaches a phone", async (t) => {
  const { app, ann, receiveNext } = await startRecipeFixture(t);
  const text = fillPlaceholders(findBlock("node-red.md", "json"), {
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
  const flowHeaders =
    request?.headers?.map(({ keyValue, valueValue }) => [keyValue, valueValue]) ?? [];
  // Recorded from Node-RED 4.1.15 with this flow: it serialises an object as JSON and counts its bytes.
  const body =
    '{"title":"K\u00fchlschrank","body":"T\u00fcr offen: 9 \u00b0C","channel":"node-red"}';
  const headers = {
    "user-agent": "got (https://github.com/sindresorhus/got)",
    ...Object.fromEntries(flowHeaders),
    "Content-Type": "application/json",
    "Content-Length": 72,
  };
  const { pathname } = new URL(request?.url ?? "");
  const response = await requestJson(app.url, {
    method: request?.method ?? "",
    path: pathname,
    headers,
    body,
  });
  assert.deepEqual([response.status, JSON.parse(response.text).success], [200, true]);
  const { title, body: displayed, channel } = await receiveNext();
  assert.deepEqual(
    [title, displayed, channel],
    ["K\u00fchlschrank", "T\u00fcr offen: 9 \u00b0C", "node-red"],
  );
});

const POWERSHELL = ["pwsh", "-NoProfile", "-NonInteractive", "-Command"] as const;

test("the PowerShell lines send if PowerShell is installed", async (t) => {
  const [command, ...args] = POWERSHELL;
  const isPresent = await runProgram(command, [...args, "exit 0"]).then(
    ({ code }) => code === 0,
    () => false,
  );
  if (!isPresent) {
    t.skip("the page is not run here: neither Debian nor npm has PowerShell (pwsh)");
    return;
  }
  const { app, ann, receiveNext } = await startRecipeFixture(t);
  const env = { TOCSIN_URL: app.url, TOCSIN_API_KEY: ann.key, COMPUTERNAME: "db" };
  const script = findBlock("powershell.md", "powershell");
  const { code, stderr } = await runProgram(command, [...args, script], { env });
  assert.equal(code, 0, stderr);
  assert.equal((await receiveNext()).title, "Backup of db failed");
});

test("the request that Windows PowerShell makes of the page is accepted", async (t) => {
  const { app, ann, receiveNext } = await startRecipeFixture(t);
  const script = findBlock("powershell.md", "powershell");
  const [, method = ""] = /-Method (\w+)/.exec(script) ?? [];
  const [, path = ""] = /-Uri "\$env:TOCSIN_URL(\S+)"/.exec(script) ?? [];
  const [, type = ""] = /-ContentType '([^']+)'/.exec(script) ?? [];
  const [, header = ""] = /-Headers @\{ '([^']+)' = \$env:TOCSIN_API_KEY \}/.exec(script) ?? [];
  const names = Array.from(script.matchAll(/^ {2}(\w+) +=/gmu), ([, name = ""]) => name);
  assert.deepEqual(names, ["title", "body", "channel"]);
  // PowerShell 5.1 waits for 100 Continue, and ConvertTo-Json writes one line per field.
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
  const response = await requestJson(app.url, {
    method: method.toUpperCase(),
    path,
    headers,
    body,
  });
  assert.equal(response.status, 200);
  assert.equal((await receiveNext()).body, "D: \u00fc");
});

test("the GitHub Actions step sends, with inputs that the action declares", async (t) => {
  const { app, ann, receiveNext } = await startRecipeFixture(t);
  const step = fillPlaceholders(findBlock("github-actions.md", "yaml"), {
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
  const actionFile = readFileSync(join(ROOT, "action/action.yml"), "utf8");
  for (const [name] of inputs) assert.match(actionFile, new RegExp(`^ {2}${name}:$`, "m"));
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
  const { title, link, channel } = await receiveNext();
  assert.deepEqual([title, channel], ["Nightly failed", "builds"]);
  assert.equal(link, "https://github.example.org/ann/bells/actions/runs/42");
});
