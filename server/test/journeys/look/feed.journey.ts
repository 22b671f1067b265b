import test from "node:test";
import { addDevice } from "../../support/app.ts";
import { lookAt } from "../../support/console-look.ts";
import { sendAll, setUp, startStage, turnOn } from "../../support/console-stage.ts";
import { PUSH_BROWSERS } from "../../support/push-browsers.ts";

test("feed, log and devices break no rule of WCAG 2.2 A and AA", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const stage = await startStage(t, browsers);
  const ann = await setUp(stage, browsers);
  await lookAt(ann.page, { sights: [{ name: "first-steps", path: "/", shows: "ol" }] });
  await turnOn(ann);
  await addDevice({ push: stage.push }, ann, "Workshop tablet");
  const markdownId = await sendAll(stage, ann, [MARKDOWN_ITEM]);
  const newest = await sendAll(stage, ann, ITEMS);
  await lookAt(ann.page, {
    sights: [
      { name: "feed", path: "/", shows: "article" },
      { name: "notification", path: `/n/${newest}`, shows: "article[data-read]" },
      { name: "markdown", path: `/n/${markdownId}`, shows: "[data-opened-notification] h3" },
      { name: "gone", path: "/n/0190-none", shows: "main h2" },
      { name: "log", path: "/log", shows: "main li" },
      { name: "record", path: `/log/${newest}`, shows: "main li" },
      { name: "record-gone", path: "/log/0190-none", shows: "main h2" },
      { name: "devices", path: "/devices", shows: '[data-capability="on"]' },
      {
        name: "device-menu",
        path: "/devices",
        shows: "main li",
        opens: { button: "Actions for Workshop tablet", shows: '[role="menu"]' },
      },
      {
        name: "remove-devices",
        path: "/devices",
        shows: "main li",
        opens: { button: "Remove several devices", shows: '[role="dialog"]' },
      },
    ],
    expected: /404/,
  });
});

const MARKDOWN_ITEM = {
  title: "Backup of the night",
  body: "# One volume failed\n\n- **db-1**: 42 GB in 11 minutes\n- **db-2**: _no space left_, see [the wiki](https://wiki.example.org/space)\n\n| volume | used |\n|---|---|\n| sda | 98 % |\n\n```\n$ df -h /var\n```\n\n> Somebody has to look.\n\n![the week](https://pictures.example.org/disks.png)",
  channel: "backup",
  markdown: true,
};

const ITEMS = [
  { title: "Backup finished", body: "42 GB in 11 minutes", channel: "backup" },
  {
    title: "Disk almost full",
    body: "db-1 has 2 % left on /var/lib/postgresql. At the present rate it is full in 40 minutes.\n\nRunbook: https://example.org/runbooks/disk",
    channel: "ops",
    link: "https://example.org/disks",
    timeSensitive: true,
  },
  { title: "Deployed api 4.2.0", body: "by Ann, 12 commits", channel: "deploys" },
  { title: "", body: "Ünïcödé and no title 🦊", channel: "feed" },
];
