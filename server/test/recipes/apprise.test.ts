import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import test from "node:test";
import { isInstalled, runProgram } from "../support/program.ts";
import { post } from "../contract/ask.ts";
import { blockOf, fill } from "./page.ts";
import { setStage, type Stage } from "./stage.ts";

const NEEDED = ["sh", "-c", "command -v apprise"];
const PLUGIN_URL = "tocsins://push.example.org";
const JSON_URL = "jsons://push.example.org";

/** Installs the plugin of the page as a person does, and returns the home that has it. */
async function installPlugin({ folder }: Stage): Promise<string> {
  const plugins = join(folder, ".config", "apprise", "plugins");
  await mkdir(plugins, { recursive: true });
  await writeFile(join(plugins, "tocsin.py"), blockOf("apprise.md", "python"));
  return folder;
}

test("the command apprise reaches a phone by the plugin of the page, and fails where the server refuses", async (t) => {
  if (!isInstalled(t, NEEDED, "apprise")) return;
  const stage = await setStage(t);
  const HOME = await installPlugin(stage);
  const { host } = new URL(stage.app.url);
  const run = (key: string) => {
    const command = fill(blockOf("apprise.md", "sh", PLUGIN_URL), {
      [PLUGIN_URL]: `tocsin://${host}`,
      YOUR_API_KEY: key,
    });
    return runProgram("sh", ["-c", command], { env: { HOME } });
  };
  const sent = await run(stage.ann.key);
  assert.equal(sent.code, 0, `${sent.stdout}${sent.stderr}`);
  const { title, body } = await stage.arrived();
  assert.deepEqual([title, body], ["Backup finished", "42 GB in 11 minutes"]);
  assert.equal((await run(randomUUID())).code, 1);
});

test("the command apprise reaches a phone by its own plugin for JSON, from the version on that the page names", async (t) => {
  if (!isInstalled(t, NEEDED, "apprise")) return;
  const stage = await setStage(t);
  const { host } = new URL(stage.app.url);
  const command = fill(blockOf("apprise.md", "sh", JSON_URL), {
    [JSON_URL]: `json://${host}`,
    YOUR_API_KEY: stage.ann.key,
  });
  const { code } = await runProgram("sh", ["-c", command], { env: { HOME: stage.folder } });
  const { stdout } = await runProgram("apprise", ["--version"]);
  const [, major = "", minor = ""] = /v(\d+)\.(\d+)/.exec(stdout) ?? [];
  const renames = Number(major) > 1 || Number(minor) >= 4;
  assert.equal(code, renames ? 0 : 1, stdout);
  if (renames) assert.equal((await stage.arrived()).body, "42 GB in 11 minutes");
});

test("the requests of Apprise 1.4 and later to the address for JSON are taken", async (t) => {
  const { app, ann, arrived } = await setStage(t);
  const query = /\?([^"]*)"/.exec(blockOf("apprise.md", "sh", JSON_URL))?.[1] ?? "";
  assert.equal(query, "+x-api-key=YOUR_API_KEY&:message=body");
  // As 2.2.0 sends it: `message` has the name that the address gives it.
  const body = {
    version: "1.0",
    title: "Backup finished",
    attachments: [],
    type: "info",
    body: "42 GB",
  };
  const headers = { "user-agent": "Apprise", "accept-encoding": "gzip, deflate" };
  assert.equal((await post(app.url, { key: ann.key, headers, body })).status, 200);
  const { title, body: text } = await arrived();
  assert.deepEqual([title, text], ["Backup finished", "42 GB"]);
});
