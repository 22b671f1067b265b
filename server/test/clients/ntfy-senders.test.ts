import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { signUp, startApp } from "../support/app.ts";
import { isInstalledOrSkip, runProgram } from "../support/program.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { requestJson } from "../contract/http-requests.ts";

async function setUp(t: TestContext) {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { key: token } = await ann.client.keys.create({ kind: "account", dialect: "ntfy" });
  const { host } = new URL(app.url);
  const readFirst = async () =>
    (await ann.client.feed.list()).items[0] ?? assert.fail("The feed is empty.");
  return { app, ann, token, host, readFirst };
}

const FIND_APPRISE = ["sh", "-c", "command -v apprise"];
const APPRISE_URLS = [
  "ntfy://TOKEN@HOST/backups",
  "ntfy://x:TOKEN@HOST/backups",
  "ntfy://x:KEY@HOST/backups",
];

test("Apprise's plugin for ntfy sends with every form of a key, and fails with a wrong one", async (t) => {
  if (!isInstalledOrSkip(t, FIND_APPRISE, "apprise")) return;
  const { ann, token, host, readFirst } = await setUp(t);
  const home = await createTemporaryFolder(t);
  const picture = join(home, "cam.png");
  await writeFile(picture, Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff]));
  const run = (url: string, ...options: readonly string[]) =>
    runProgram("apprise", ["-t", "Höhe", "-b", "42 GB", ...options, url], { env: { HOME: home } });
  for (const form of APPRISE_URLS) {
    const url = form.replace("TOKEN", token).replace("KEY", ann.key).replace("HOST", host);
    const { code, stdout, stderr } = await run(`${url}?priority=high&tags=tada`);
    assert.equal(code, 0, `${form} ${stdout}${stderr}`);
    const { title, body, channel, priority } = await readFirst();
    assert.deepEqual([title, body, channel, priority], ["🎉 Höhe", "42 GB", "backups", "high"]);
  }
  assert.equal((await run(`ntfy://x:${ann.key}@${host}/backups`, "-a", picture)).code, 0);
  assert.equal((await readFirst()).body, "42 GB\n(not kept: cam.png)");
  assert.equal((await run(`ntfy://x:${randomUUID()}@${host}/backups`)).code, 1);
  assert.equal((await run(`ntfy://tk_${"a".repeat(29)}@${host}/backups`)).code, 1);
});

// server/notification-providers/ntfy.js of louislam/uptime-kuma at 04d5e83e, for a monitor that is down.
test("the request of Uptime Kuma is accepted", async (t) => {
  const { app, token, readFirst } = await setUp(t);
  const headers = {
    accept: "application/json, text/plain, */*",
    "user-agent": "axios/1.7.9",
    authorization: `Bearer ${token}`,
  };
  const body = {
    topic: "uptime",
    message: "timeout of 48000ms",
    priority: 5,
    title: "My web Down [Uptime-Kuma]",
    tags: ["red_circle", "team: ops"],
    actions: [{ action: "view", label: "Open My web", url: "https://web.example.org" }],
  };
  const { status } = await requestJson(app.url, { method: "POST", path: "/", headers, body });
  assert.equal(status, 200);
  const { title, body: text, channel, link, priority } = await readFirst();
  assert.deepEqual(
    [title, text, channel, link, priority],
    ["🔴 My web Down [Uptime-Kuma]", body.message, "uptime", "https://web.example.org", "high"],
  );
});

// NtfyProxy.cs of Sonarr/Sonarr at 0ef037e2.
test("the request of Sonarr, without a body, is accepted, and one with a wrong key is 401", async (t) => {
  const { app, token, readFirst } = await setUp(t);
  const post = (key: string) =>
    requestJson(app.url, {
      method: "POST",
      path: "/series",
      headers: {
        "user-agent": "Sonarr/4.0.9 (debian 12)",
        "content-length": "0",
        "x-title": "Sonarr - Grabbed",
        "x-message": "The Expanse - 1x01 - Dulcinea [Bluray-1080p]",
        "x-priority": "2",
        "x-tags": "tv,popcorn",
        "x-click": "https://sonarr.example.org",
        authorization: `Bearer ${key}`,
      },
    });
  assert.equal((await post(token)).status, 200);
  const { title, body, channel, priority, link } = await readFirst();
  assert.deepEqual(
    [title, body, channel, priority, link],
    [
      "📺 🍿 Sonarr - Grabbed",
      "The Expanse - 1x01 - Dulcinea [Bluray-1080p]",
      "series",
      "low",
      "https://sonarr.example.org",
    ],
  );
  assert.equal((await post(randomUUID())).status, 401);
});
