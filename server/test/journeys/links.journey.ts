import assert from "node:assert/strict";
import test from "node:test";
import { startConsoleFixture } from "../support/console-fixture.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

for (const name of ["Chromium", "Firefox"] as const) {
  test(`${name} handles a link to a page that is already open, and removes its token from the URL`, async (t) => {
    const browsers = await PUSH_BROWSERS[name](t);
    const { url } = await startConsoleFixture(t, browsers);
    const page = await browsers.open(`${url}/reset-password`);
    await page.waitFor("main ::-p-text(This link is incomplete)");
    // Only the fragment changes: the browser loads nothing by itself.
    await page.tab.evaluate(`location.href = "/reset-password#token=abc"`);
    await page.waitFor("#newPassword");
    assert.equal(await page.tab.evaluate("location.href"), `${url}/reset-password`);
    assert.deepEqual(page.consoleErrors, []);
  });
}
