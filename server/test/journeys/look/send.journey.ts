import test from "node:test";
import { addDevice } from "../../support/app.ts";
import { lookAt } from "../../support/console-look.ts";
import { setUp, startStage } from "../../support/console-stage.ts";
import { PUSH_BROWSERS } from "../../support/push-browsers.ts";

test("the send page breaks no rule of WCAG 2.2 A and AA", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const stage = await startStage(t, browsers);
  const ann = await setUp(stage, browsers);
  const { page, client } = ann;
  await lookAt(page, {
    sights: [{ name: "send-empty", path: "/send", shows: "main form, main h1" }],
  });
  await addDevice({ push: stage.push }, ann, "Ann's phone");
  const { device, phone } = await addDevice({ push: stage.push }, ann, "Workshop tablet");
  phone.unsubscribe();
  await client.groups.create({ name: "At work", deviceIds: [device.id] });
  await page.page.evaluate(STORE_DRAFT, (await client.me()).id);
  await lookAt(page, {
    sights: [
      { name: "send", path: "/send", shows: "main ::-p-text(Disk almost full)" },
      {
        name: "send-all-fields",
        path: "/send",
        shows: "main ::-p-text(Disk almost full)",
        act: async ({ page: tab }) => void (await tab.evaluate(OPEN_DETAILS)),
      },
      {
        name: "send-outcome",
        path: "/send",
        shows: "main ::-p-text(Disk almost full)",
        opens: { button: "Send", shows: "main li" },
      },
    ],
  });
});

// The browser runs both.
const OPEN_DETAILS = `document.querySelectorAll("main details").forEach((details) => (details.open = true))`;
const STORE_DRAFT = (accountId: string) => {
  const title = "Disk almost full";
  const body =
    "db-1 has 2 % left on /var/lib/postgresql. At the present rate it is full in 40 minutes.";
  const [image, icon] = ["https://example.org/disks.png", "https://example.org/db-1.png"];
  const draft = { title, body, channel: "ops", image, icon, timeSensitive: true };
  sessionStorage.setItem(`tocsin.draft.${accountId}`, JSON.stringify(draft));
};
