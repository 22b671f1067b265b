import assert from "node:assert/strict";
import test from "node:test";
import { inspectPage, JOURNEY_SIZES } from "../support/console-inspection.ts";
import { setUpServer, startConsoleFixture } from "../support/console-fixture.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

for (const [name, startBrowsers] of Object.entries(PUSH_BROWSERS)) {
  test(`in ${name}, a used set-up link leads to sign-in, which offers no sign-up`, async (t) => {
    const browsers = await startBrowsers(t);
    const fixture = await startConsoleFixture(t, browsers);
    const link = `${new URL(fixture.url).origin}/set-up#token=of-an-earlier-start`;
    await setUpServer(fixture, browsers);
    const bob = await browsers.open(link);
    await bob.waitFor("main ::-p-text(This server is already set up)");
    await bob.waitUntilGone("main form");
    if (name === "Chromium") {
      assert.deepEqual(await inspectPage(bob, { name: "used-link", size: JOURNEY_SIZES[0] }), []);
    }
    await bob.followLink("Sign in");
    await bob.waitFor("main ::-p-text(Ask the administrator of this server for an invitation)");
    await bob.waitUntilGone('a[href="/sign-up"]');
    if (name === "Chromium") {
      assert.deepEqual(
        await inspectPage(bob, { name: "invited-only", size: JOURNEY_SIZES[0] }),
        [],
      );
    }
    assert.deepEqual(bob.consoleErrors, []);
  });
}
