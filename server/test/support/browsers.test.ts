import assert from "node:assert/strict";
import { test } from "node:test";
import { launchChromium, launchFirefox } from "./browsers.ts";

test("the error names a browser path from the environment that does not exist", async (t) => {
  for (const [variable, launch] of [
    ["TOCSIN_TEST_CHROMIUM", launchChromium],
    ["TOCSIN_TEST_FIREFOX", launchFirefox],
  ] as const) {
    const before = process.env[variable];
    process.env[variable] = "/nowhere/browser";
    t.after(() => {
      if (before === undefined) delete process.env[variable];
      else process.env[variable] = before;
    });
    await assert.rejects(launch(), new RegExp(`${variable} names /nowhere/browser`, "u"));
  }
});
