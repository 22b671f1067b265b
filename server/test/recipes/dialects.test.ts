import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test from "node:test";
import { parse } from "yaml";
import { requestJson } from "../contract/http-requests.ts";
import { isInstalledOrSkip, runProgram } from "../support/program.ts";
import {
  PROXMOX,
  SONARR,
  toChangedetectionUrl,
  UPTIME_KUMA_NTFY,
  WATCHTOWER,
} from "./dialect-senders.ts";
import { createPlaceholderValues, fillPlaceholders, findBlock, readSetting } from "./page.ts";
import { startRecipeFixture, type RecipeFixture } from "./recipe-fixture.ts";

const FIND_CURL = ["sh", "-c", "command -v curl"];
const FIND_APPRISE = ["sh", "-c", "command -v apprise"];

/** Creates the key that a page's command creates. Fails unless the command has exactly these options. */
async function createKey(
  { ann }: RecipeFixture,
  command: string,
  options: {
    readonly label: string;
    readonly dialect: "ntfy" | "gotify";
    readonly channel?: string;
  },
): Promise<string> {
  const flags = Object.entries(options).map(([name, value]) => `--${name} ${value}`);
  assert.equal(command, `tocsin key create ${flags.join(" ")}\n`);
  return (await ann.client.keys.create({ kind: "account", ...options })).key;
}

test(`the request of Sonarr with the page's settings reaches a phone (${SONARR.source})`, async (t) => {
  const { app, ann, receiveNext } = await startRecipeFixture(t);
  const fill = (field: string) =>
    readSetting("sonarr.md", field)
      .replace("https://push.example.org", app.url)
      .replace("YOUR_API_KEY", ann.key);
  const settings = { url: fill("Server URL"), key: fill("Access Token"), topic: fill("Topics") };
  assert.equal((await requestJson(app.url, SONARR.compose(settings))).status, 200);
  const { title, body, channel, priority, timeSensitive } = await receiveNext();
  assert.deepEqual(
    [title, body, channel, priority, timeSensitive],
    ["Sonarr - Grabbed", "The Expanse - 1x01 - Dulcinea [Bluray-1080p]", "series", "high", true],
  );
  // Sonarr reports a 401 as "Authorization is required".
  const wrong = { ...settings, key: randomUUID() };
  assert.equal((await requestJson(app.url, SONARR.compose(wrong))).status, 401);
});

test("the page's call of curl reaches the same channel as Sonarr", async (t) => {
  if (!isInstalledOrSkip(t, FIND_CURL, "curl")) return;
  const { app, ann, receiveNext } = await startRecipeFixture(t);
  const command = fillPlaceholders(
    findBlock("sonarr.md", "sh"),
    createPlaceholderValues(app, ann.key),
  );
  const { code, stderr } = await runProgram("sh", ["-c", command]);
  assert.equal(code, 0, stderr);
  const { title, body, channel } = await receiveNext();
  assert.deepEqual([title, body, channel], ["Sonarr", "The key works", "series"]);
});

test(`the request of Uptime Kuma's type ntfy reaches a phone (${UPTIME_KUMA_NTFY.source})`, async (t) => {
  const { app, ann, receiveNext } = await startRecipeFixture(t);
  const fill = (field: string) =>
    readSetting("uptime-kuma.md", field)
      .replace("https://push.example.org", app.url)
      .replace("YOUR_API_KEY", ann.key);
  const topic = fill("Ntfy Topic");
  const settings = { url: fill("Server URL"), key: fill("Access Token"), topic };
  assert.equal((await requestJson(app.url, UPTIME_KUMA_NTFY.compose(settings))).status, 200);
  const { title, body, channel, link } = await receiveNext();
  assert.deepEqual(
    [title, body, channel, link],
    ["🔴 My web Down [Uptime-Kuma]", "timeout of 48000ms", "uptime", "https://web.example.org"],
  );
});

test(`the request of Proxmox with the page's target reaches a phone (${PROXMOX.source})`, async (t) => {
  const fixture = await startRecipeFixture(t);
  const { app, receiveNext } = fixture;
  const options = { label: "proxmox", dialect: "gotify", channel: "proxmox" } as const;
  const key = await createKey(fixture, findBlock("proxmox.md", "sh"), options);
  const command = fillPlaceholders(
    findBlock("proxmox.md", "text"),
    createPlaceholderValues(app, key),
  );
  const readOption = (name: string) => new RegExp(`--${name} (\\S+)`).exec(command)?.[1] ?? "";
  const settings = { url: readOption("server"), key: readOption("token"), topic: "" };
  assert.equal((await requestJson(app.url, PROXMOX.compose(settings))).status, 200);
  const { title, body, channel, priority, markdown } = await receiveNext();
  assert.deepEqual(
    [title, body, channel, priority, markdown],
    [
      "vzdump backup status (pve.lan): backup failed",
      "```\nVMID  NAME  STATUS\n100   web   err\n```",
      "proxmox",
      "high",
      true,
    ],
  );
});

test(`the request of Watchtower with the page's URL reaches a phone (${WATCHTOWER.source})`, async (t) => {
  const fixture = await startRecipeFixture(t);
  const { app, ann, receiveNext } = fixture;
  const options = { label: "watchtower", dialect: "gotify", channel: "updates" } as const;
  const key = await createKey(fixture, findBlock("watchtower.md", "sh"), options);
  const compose = parse(findBlock("watchtower.md", "yaml"));
  const pageUrl: string = compose.services.watchtower.environment.WATCHTOWER_NOTIFICATION_URL;
  const fill = (value: string) => ({
    url: fillPlaceholders(pageUrl, {
      "push.example.org": new URL(app.url).host,
      YOUR_API_KEY: value,
    }),
    key: value,
    topic: "",
  });
  assert.equal((await requestJson(app.url, WATCHTOWER.compose(fill(key)))).status, 200);
  const { title, body, channel, priority } = await receiveNext();
  assert.deepEqual(
    [title, body, channel, priority],
    [
      "Watchtower updates on nas",
      "Found new nginx:latest image (3a1b2c4d5e6f)",
      "updates",
      "normal",
    ],
  );
  // The page says that other keys do not work.
  assert.throws(() => WATCHTOWER.compose(fill(ann.key)), /shoutrrr refuses this key/);
});

test("Apprise, called as changedetection calls it, sends with the page's URL", async (t) => {
  if (!isInstalledOrSkip(t, FIND_APPRISE, "apprise")) return;
  const fixture = await startRecipeFixture(t);
  const { app, receiveNext, folder } = fixture;
  const options = { label: "changedetection", dialect: "ntfy" } as const;
  const key = await createKey(fixture, findBlock("changedetection.md", "sh"), options);
  const run = (token: string) => {
    const url = fillPlaceholders(findBlock("changedetection.md", "text").trim(), {
      "ntfys://": "ntfy://",
      "push.example.org": new URL(app.url).host,
      YOUR_API_KEY: token,
    });
    const args = ["-t", "Change: Prices", "-b", "(changed) 42 €\n(into) 39 €"];
    return runProgram("apprise", [...args, toChangedetectionUrl(url)], { env: { HOME: folder } });
  };
  const { code, stdout, stderr } = await run(key);
  assert.equal(code, 0, `${stdout}${stderr}`);
  const { title, body, channel } = await receiveNext();
  assert.deepEqual(
    [title, body, channel],
    ["Change: Prices", "(changed) 42 €\n(into) 39 €", "changes"],
  );
  assert.equal((await run(`tk_${"a".repeat(29)}`)).code, 1);
});
