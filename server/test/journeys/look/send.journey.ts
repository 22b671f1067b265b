import test from "node:test";
import { addDevice } from "../../support/app.ts";
import { inspectViews } from "../../support/console-inspection.ts";
import { setUpServer, startConsoleFixture } from "../../support/console-fixture.ts";
import type { ConsolePage } from "../../support/console-page.ts";
import { PUSH_BROWSERS } from "../../support/push-browsers.ts";

test("the send page meets WCAG 2.2 A and AA", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const ann = await setUpServer(fixture, browsers);
  const { page, client } = ann;
  await inspectViews(page, {
    views: [{ name: "send-empty", path: "/send", waitFor: "main form, main h1" }],
  });
  await addDevice({ push: fixture.push }, ann, "Ann's phone");
  const { device, phone } = await addDevice({ push: fixture.push }, ann, "Workshop tablet");
  phone.unsubscribe();
  await client.groups.create({ name: "At work", deviceIds: [device.id] });
  await page.tab.evaluate(STORE_DRAFT, (await client.me()).id);
  await inspectViews(page, {
    views: [
      { name: "send", path: "/send", waitFor: "main ::-p-text(Disk almost full)" },
      {
        name: "send-all-fields",
        path: "/send",
        waitFor: "main ::-p-text(Disk almost full)",
        prepare: async ({ tab }) => void (await tab.evaluate(OPEN_DETAILS)),
      },
      {
        name: "send-outcome",
        path: "/send",
        waitFor: "main ::-p-text(Disk almost full)",
        thenPress: { button: "Send", waitFor: "main li" },
      },
    ],
  });
});

test("the preview of an emergency and of prompts meets WCAG 2.2 A and AA", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const { page, client } = await setUpServer(fixture, browsers);
  const { id } = await client.me();
  const long = ["Roll back to the release of last Friday", "Wait for the on-call engineer first"];
  const emergency = { priority: "emergency" };
  const drafts = [
    { name: "send-emergency", kind: "Computer", fields: emergency },
    { name: "send-prompt", kind: "Computer", fields: { choices: "yes\nno" } },
    { name: "send-prompt-android", kind: "Android", fields: { choices: long.join("\n") } },
    { name: "send-prompt-long", kind: "Computer", fields: { choices: long.join("\n") } },
    { name: "send-prompt-text", kind: "Computer", fields: { allowText: true } },
    { name: "send-prompt-iphone", kind: "iPhone", fields: { ...emergency, choices: "yes\nno" } },
  ];
  for (const { name, kind, fields } of drafts) {
    await page.tab.evaluate(STORE_DRAFT, id, fields);
    const prepare = async ({ tab }: ConsolePage) => {
      await tab.locator(`[role="radiogroup"] ::-p-text(${kind})`).click();
      await tab.evaluate(SHOW_PREVIEW);
    };
    const waitFor = "main ::-p-text(Disk almost full)";
    await inspectViews(page, { views: [{ name, path: "/send", waitFor, prepare }] });
  }
});

// The browser runs these expressions and this function.
const SHOW_PREVIEW = `document.querySelector("main [data-kind]").scrollIntoView({ block: "center" })`;
const OPEN_DETAILS = `document.querySelectorAll("main details").forEach((details) => (details.open = true))`;
const STORE_DRAFT = (accountId: string, fields: Readonly<Record<string, unknown>> = {}) => {
  const title = "Disk almost full";
  const body =
    "db-1 has 2 % left on /var/lib/postgresql. At the present rate it is full in 40 minutes.";
  const image = "https://example.org/disks.png";
  const icon = "https://example.org/db-1.png";
  const content = { title, body, channel: "ops", image, icon, timeSensitive: true };
  const draft = { ...content, ...fields };
  sessionStorage.setItem(`tocsin.draft.${accountId}`, JSON.stringify(draft));
};
