import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import test from "node:test";
import { gzipSync } from "node:zlib";
import {
  setUpServer,
  startConsoleFixture,
  turnOnNotifications,
} from "../support/console-fixture.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

const SCRIPT_MAX_BYTES = 225_000;
const DIST_FOLDER = join(import.meta.dirname, "../../../console/dist");

test("the first page loads at most 225 kB of script, gzipped", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const ann = await setUpServer(fixture, browsers);
  await turnOnNotifications(ann);
  // Without a notification, the page would also load the onboarding, which later visits do not need.
  await ann.client.notifications.send({ title: "Hello", body: "World" });
  const { tab } = ann.page;
  const scripts = new Set<string>();
  tab.on("request", (request) => {
    if (request.resourceType() === "script") scripts.add(new URL(request.url()).pathname);
  });
  await tab.goto(fixture.url, { waitUntil: "networkidle2" });
  await ann.page.waitFor("[data-live=true]");
  const sizes = await Promise.all(
    [...scripts].map(async (path) => gzipSync(await readFile(join(DIST_FOLDER, path))).byteLength),
  );
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  t.diagnostic(`${scripts.size} scripts, ${bytes} bytes gzipped`);
  assert.ok(scripts.size > 1, `the page loaded ${scripts.size} scripts`);
  assert.ok(bytes <= SCRIPT_MAX_BYTES, `${bytes} bytes of script exceed the limit`);
});
