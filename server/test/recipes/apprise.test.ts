import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import test from "node:test";
import { isInstalledOrSkip, runProgram } from "../support/program.ts";
import { post } from "../contract/http-requests.ts";
import { findBlock, fillPlaceholders } from "./page.ts";
import { startRecipeFixture, type RecipeFixture } from "./recipe-fixture.ts";

const FIND_APPRISE = ["sh", "-c", "command -v apprise"];
const PLUGIN_URL = "tocsins://push.example.org";
const JSON_URL = "jsons://push.example.org";

/** Installs the page's plugin as a user would, and returns the home folder that contains it. */
async function installPlugin({ folder }: RecipeFixture): Promise<string> {
  const plugins = join(folder, ".config", "apprise", "plugins");
  await mkdir(plugins, { recursive: true });
  await writeFile(join(plugins, "tocsin.py"), findBlock("apprise.md", "python"));
  return folder;
}

test("the apprise command sends with the page's plugin, and fails if the server rejects the key", async (t) => {
  if (!isInstalledOrSkip(t, FIND_APPRISE, "apprise")) return;
  const fixture = await startRecipeFixture(t);
  const home = await installPlugin(fixture);
  const { host } = new URL(fixture.app.url);
  const run = (key: string) => {
    const command = fillPlaceholders(findBlock("apprise.md", "sh", PLUGIN_URL), {
      [PLUGIN_URL]: `tocsin://${host}`,
      YOUR_API_KEY: key,
    });
    return runProgram("sh", ["-c", command], { env: { HOME: home } });
  };
  const sendResult = await run(fixture.ann.key);
  assert.equal(sendResult.code, 0, `${sendResult.stdout}${sendResult.stderr}`);
  const { title, body } = await fixture.receiveNext();
  assert.deepEqual([title, body], ["Backup finished", "42 GB in 11 minutes"]);
  assert.equal((await run(randomUUID())).code, 1);
});

test("Apprise's JSON plugin sends from version 1.4 on, and fails before", async (t) => {
  if (!isInstalledOrSkip(t, FIND_APPRISE, "apprise")) return;
  const fixture = await startRecipeFixture(t);
  const { host } = new URL(fixture.app.url);
  const command = fillPlaceholders(findBlock("apprise.md", "sh", JSON_URL), {
    [JSON_URL]: `json://${host}`,
    YOUR_API_KEY: fixture.ann.key,
  });
  const { code } = await runProgram("sh", ["-c", command], { env: { HOME: fixture.folder } });
  const { stdout } = await runProgram("apprise", ["--version"]);
  const [, major = "", minor = ""] = /v(\d+)\.(\d+)/.exec(stdout) ?? [];
  const canRenameFields = Number(major) > 1 || (Number(major) === 1 && Number(minor) >= 4);
  assert.equal(code, canRenameFields ? 0 : 1, stdout);
  if (canRenameFields) assert.equal((await fixture.receiveNext()).body, "42 GB in 11 minutes");
});

test("the JSON request of Apprise 1.4 and later is accepted", async (t) => {
  const { app, ann, receiveNext } = await startRecipeFixture(t);
  const query = /\?([^"]*)"/.exec(findBlock("apprise.md", "sh", JSON_URL))?.[1] ?? "";
  assert.equal(query, "+x-api-key=YOUR_API_KEY&:message=body");
  // Recorded with Apprise 2.2.0. The URL renames `message` to `body`.
  const body = {
    version: "1.0",
    title: "Backup finished",
    attachments: [],
    type: "info",
    body: "42 GB",
  };
  const headers = { "user-agent": "Apprise", "accept-encoding": "gzip, deflate" };
  assert.equal((await post(app.url, { key: ann.key, headers, body })).status, 200);
  const { title, body: text } = await receiveNext();
  assert.deepEqual([title, text], ["Backup finished", "42 GB"]);
});
