import assert from "node:assert/strict";
import { test } from "node:test";
import { launchChromium, launchFirefox } from "./browsers.ts";

test("if an environment variable names a browser that does not exist, the error contains the variable and the path", async (t) => {
  for (const [variable, launch] of [
    ["TOCSIN_TEST_CHROMIUM", launchChromium],
    ["TOCSIN_TEST_FIREFOX", launchFirefox],
  ] as const) {
    const previousPath = process.env[variable];
    process.env[variable] = "/nowhere/browser";
    t.after(() => {
      if (previousPath === undefined) delete process.env[variable];
      else process.env[variable] = previousPath;
    });
    await assert.rejects(launch(), new RegExp(`${variable} names /nowhere/browser`, "u"));
  }
});
