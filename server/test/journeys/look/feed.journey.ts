import test from "node:test";
import { addDevice } from "../../support/app.ts";
import { inspectViews } from "../../support/console-inspection.ts";
import {
  sendNotifications,
  setUpServer,
  startConsoleFixture,
  turnOnNotifications,
} from "../../support/console-fixture.ts";
import { PUSH_BROWSERS } from "../../support/push-browsers.ts";

test("feed, log and devices meet WCAG 2.2 A and AA", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const ann = await setUpServer(fixture, browsers);
  await inspectViews(ann.page, { views: [{ name: "first-steps", path: "/", waitFor: "ol" }] });
  await turnOnNotifications(ann);
  await addDevice({ push: fixture.push }, ann, "Workshop tablet");
  const markdownId = await sendNotifications(fixture, ann, [MARKDOWN_ITEM]);
  const newest = await sendNotifications(fixture, ann, ITEMS);
  await inspectViews(ann.page, {
    views: [
      { name: "feed", path: "/", waitFor: "article" },
      { name: "notification", path: `/n/${newest}`, waitFor: "article[data-read]" },
      { name: "markdown", path: `/n/${markdownId}`, waitFor: "[data-opened-notification] h3" },
      { name: "gone", path: "/n/0190-none", waitFor: "main h2" },
      { name: "log", path: "/log", waitFor: "main li" },
      { name: "record", path: `/log/${newest}`, waitFor: "main li" },
      { name: "record-gone", path: "/log/0190-none", waitFor: "main h2" },
      { name: "devices", path: "/devices", waitFor: '[data-notification-state="on"]' },
      {
        name: "device-menu",
        path: "/devices",
        waitFor: "main li",
        thenPress: { button: "Actions for Workshop tablet", waitFor: '[role="menu"]' },
      },
      {
        name: "remove-devices",
        path: "/devices",
        waitFor: "main li",
        thenPress: { button: "Remove several devices", waitFor: '[role="dialog"]' },
      },
    ],
    expectedErrors: /404/,
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
