import test from "node:test";
import { lookAt } from "../../support/console-look.ts";
import { setUp, startStage } from "../../support/console-stage.ts";
import { PUSH_BROWSERS } from "../../support/push-browsers.ts";

test("what stands around the pages breaks no rule of WCAG 2.2 A and AA", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const stage = await startStage(t, browsers);
  const { page } = await setUp(stage, browsers);
  const onSettings = { path: "/settings", shows: "main section" };
  await lookAt(page, {
    sights: [
      { name: "settings", ...onSettings },
      {
        name: "palette",
        ...onSettings,
        opens: { button: "Search Ctrl K", shows: '[role="dialog"] input' },
      },
      { name: "nowhere", path: "/no/such/page", shows: "main a" },
    ],
    expected: /404/,
  });
});
