import assert from "node:assert/strict";
import test from "node:test";
import { examine, SIZES } from "../support/console-look.ts";
import { setUp, startStage } from "../support/console-stage.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

for (const [name, open] of Object.entries(PUSH_BROWSERS)) {
  test(`in ${name}, a used set-up link leads to sign-in, which offers no sign-up`, async (t) => {
    const browsers = await open(t);
    const stage = await startStage(t, browsers);
    const link = `${new URL(stage.url).origin}/set-up#token=of-an-earlier-start`;
    await setUp(stage, browsers);
    const bob = await browsers.open(link);
    await bob.see("main ::-p-text(This server is already set up)");
    await bob.miss("main form");
    if (name === "Chromium") {
      assert.deepEqual(await examine(bob, { name: "used-link", size: SIZES[0] }), []);
    }
    await bob.follow("Sign in");
    await bob.see("main ::-p-text(Ask the administrator of this server for an invitation)");
    await bob.miss('a[href="/sign-up"]');
    if (name === "Chromium") {
      assert.deepEqual(await examine(bob, { name: "invited-only", size: SIZES[0] }), []);
    }
    assert.deepEqual(bob.complaints, []);
  });
}
