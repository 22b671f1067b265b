import test from "node:test";
import { lookAt } from "../../support/console-look.ts";
import type { ConsolePage } from "../../support/console-page.ts";
import { setUp, startStage } from "../../support/console-stage.ts";
import { PUSH_BROWSERS } from "../../support/push-browsers.ts";

test("the API key pages break no rule of WCAG 2.2 A and AA", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const stage = await startStage(t, browsers);
  const { page, client } = await setUp(stage, browsers);
  await lookAt(page, { sights: [{ name: "keys-empty", path: "/keys", shows: "main h2" }] });
  const activeKey = await client.keys.create({ kind: "account", label: "Backup script" });
  const rotatedKey = await client.keys.create({ kind: "account", label: "Monitoring" });
  await client.keys.rotate(rotatedKey.id, { overlapSeconds: 3_600 });
  const postOnlyKey = await client.keys.create({ kind: "account", label: "Shop", postOnly: true });
  const hint = activeKey.key.slice(-4);
  const onList = { path: "/keys", shows: "main li" };
  await lookAt(page, {
    sights: [
      { name: "keys", ...onList },
      { name: "builder", path: "/keys/builder", shows: '[role="tablist"]' },
      {
        name: "new-key",
        ...onList,
        opens: { button: "Create an API key", shows: '[role="dialog"] form' },
      },
      {
        name: "key-menu",
        ...onList,
        opens: { button: `Actions for the key ending in ${hint}`, shows: '[role="menu"]' },
      },
      {
        name: "builder-post-only",
        path: "/keys/builder",
        shows: '[role="tablist"]',
        act: async (tab) => {
          await tab.find('main input[type="password"]').fill(postOnlyKey.key);
          await tab.see("::-p-text(curl -X POST)");
        },
      },
      {
        name: "rotate-key",
        ...onList,
        opens: {
          button: [`Actions for the key ending in ${hint}`, "Rotate"],
          shows: '[role="dialog"]',
        },
      },
    ],
  });
  await lookInGerman(page, hint);
});

async function lookInGerman(page: ConsolePage, hint: string): Promise<void> {
  const onList = { path: "/keys", shows: "main li" };
  await page.speak("de");
  await lookAt(page, {
    sights: [
      { name: "keys-german", ...onList },
      {
        name: "new-key-german",
        ...onList,
        opens: { button: "Create an API key", shows: '[role="dialog"] form' },
      },
      {
        name: "key-menu-german",
        ...onList,
        opens: {
          button: `Actions for the key ending in ${hint}`,
          shows: '[role="menu"]',
        },
      },
    ],
  });
}
