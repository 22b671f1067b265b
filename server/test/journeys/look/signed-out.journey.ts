import test from "node:test";
import { inspectViews } from "../../support/console-inspection.ts";
import { startConsoleFixture } from "../../support/console-fixture.ts";
import { PUSH_BROWSERS } from "../../support/push-browsers.ts";

const SIGNED_OUT_VIEWS = [
  { name: "sign-in", path: "/sign-in", waitFor: "form" },
  { name: "sign-up", path: "/sign-up", waitFor: "form" },
  { name: "forgotten-password", path: "/forgotten", waitFor: "main button" },
  { name: "set-up", path: "/set-up#token=x", waitFor: "form" },
  { name: "reset", path: "/reset-password#token=x", waitFor: "form" },
  { name: "verify", path: "/verify#token=x", waitFor: "main button" },
  { name: "invitation", path: "/invitation#token=x", waitFor: "main a" },
  { name: "link-without-token", path: "/set-up", waitFor: "main a" },
];

test("the signed-out pages meet WCAG 2.2 A and AA", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const page = await browsers.open(`${fixture.url}/sign-in`);
  // The page of an invitation looks up its token, and the server responds with 404 because it knows no token `x`.
  await inspectViews(page, { views: SIGNED_OUT_VIEWS, expectedErrors: /404/ });
});
