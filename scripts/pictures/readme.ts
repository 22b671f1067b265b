import type { TestContext } from "node:test";
import { addDevice } from "../../server/test/support/app.ts";
import {
  setUpServer,
  startConsoleFixture,
  turnOnNotifications,
  type ConsoleFixture,
  type ConsoleUser,
} from "../../server/test/support/console-fixture.ts";
import { fillFeed, type FeedContent } from "../../server/test/support/fill-feed.ts";
import { PUSH_BROWSERS } from "../../server/test/support/push-browsers.ts";
import { createContextAt } from "../../server/test/support/context.ts";
import {
  insertActivity,
  insertSentNotification,
  createFailedResult,
} from "../../server/test/support/sent-notifications.ts";
import { emulateAfternoon, takePicture, takeElementPicture } from "./camera.ts";
import { showPublicPairingLink } from "./phone-link.ts";

const COMPUTER_VIEWPORT = { width: 1200, height: 750, deviceScaleFactor: 1.6 };
const PHONE_VIEWPORT = { width: 390, height: 844, deviceScaleFactor: 2, hasTouch: true };
const HOUR_MS = 3_600_000;

/** Takes the screenshots of the README and of docs/index.md: the console after some days of use. */
export async function takeReadmeScreenshots(t: TestContext): Promise<void> {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const ann = await setUpServer(fixture, browsers);
  await turnOnNotifications(ann);
  const { tab } = ann.page;
  await tab.setViewport(COMPUTER_VIEWPORT);
  await emulateAfternoon(tab);
  const explainedId = await takeExplainedPicture(fixture, ann);
  await takeFeedPicture(fixture, ann, explainedId);
  await insertActivity(fixture.app.context, (await ann.client.me()).id);
  await tab.goto(`${fixture.url}/activity`);
  await ann.page.waitFor("main dl");
  await takePicture(tab, "activity");
  await showPublicPairingLink(tab);
  await tab.goto(`${fixture.url}/devices`);
  await tab.setViewport(PHONE_VIEWPORT);
  await ann.page.press("Add a phone");
  await ann.page.waitFor('[role="dialog"] output');
  await takeElementPicture(tab, '[role="dialog"]', "add-a-phone");
}

/** Takes the screenshot of a notification that one of three devices does not receive, and returns its id. */
async function takeExplainedPicture(
  { app, push, url }: ConsoleFixture,
  ann: ConsoleUser,
): Promise<string> {
  const { context } = app;
  const { id: accountId } = await ann.client.me();
  const key = await ann.client.keys.create({ kind: "account", label: "Disk watch" });
  const names = ["Ann's phone", "Desk", "Workshop tablet"];
  const devices = await Promise.all(names.map((name) => addDevice({ push }, ann, name)));
  const [phone = "", desk = "", tablet = ""] = devices.map(({ device }) => device.id);
  const createdAt = context.now() - 2.1 * HOUR_MS;
  const overrides = {
    title: "Disk almost full",
    body: "db-1 has 2 % left on /var/lib/postgresql. At the present rate it is full in 40 minutes.\n\nRunbook: https://example.org/runbooks/disk",
    link: "https://example.org/disks",
    timeSensitive: true,
    channel: "ops",
    keyId: key.id,
    createdAt,
  };
  const arrived = { state: "accepted", code: "accepted" } as const;
  const { id } = await insertSentNotification(createContextAt(context, createdAt), accountId, {
    overrides,
    results: [
      { deviceId: phone, ...arrived },
      { deviceId: desk, ...arrived },
      createFailedResult(tablet, createdAt),
    ],
  });
  await ann.page.tab.goto(`${url}/log/${id}`);
  await ann.page.waitFor("main ol");
  await takePicture(ann.page.tab, "explained");
  return id;
}

async function takeFeedPicture(
  { app, url }: ConsoleFixture,
  { page, client }: ConsoleUser,
  notificationId: string,
): Promise<void> {
  const { id: accountId } = await client.me();
  const ids = await fillFeed(app.context, accountId, FEED);
  await client.feed.markRead({ upTo: ids.at(-4) ?? "" });
  await page.tab.goto(`${url}/n/${notificationId}`);
  await page.waitFor("article[data-read] ::-p-text(On your devices)");
  await page.waitFor(`article ::-p-text(Workshop tablet)`);
  await takePicture(page.tab, "feed");
}

function createJobEntries(): readonly FeedContent[] {
  const channels = ["uptime", "invoices", "printer", "cron", "backup", "github"];
  return Array.from({ length: JOB_COUNT }, (_, index) => ({
    title: `Job ${index + 1} of ${channels[index % channels.length]} finished`,
    body: `Took ${3 + ((index * 7) % 50)} s`,
    channel: channels[index % channels.length] ?? "cron",
    minutesAgo: 1_500 + 20 * (JOB_COUNT - index),
  }));
}

const JOB_COUNT = 420;

const FEED: readonly FeedContent[] = [
  ...createJobEntries(),
  {
    title: "Backup finished",
    body: "db-1: 42 GB in 11 minutes",
    channel: "backup",
    minutesAgo: 320,
  },
  {
    title: "Pull request #482 wants your review",
    body: "Retry uploads that a proxy cut off, by Mia, 6 files",
    channel: "github",
    link: "https://example.org/pulls/482",
    minutesAgo: 204,
  },
  { title: "Deployed api 4.2.0", body: "by Ann, 12 commits", channel: "deploys", minutesAgo: 151 },
  {
    title: "Parcel delivered",
    body: "Your order is in the hallway.",
    channel: "home",
    minutesAgo: 95,
  },
  {
    title: "Latency of checkout above 900 ms",
    body: "p95 is 1,240 ms in eu-central.",
    channel: "grafana",
    link: "https://example.org/d/checkout",
    minutesAgo: 41,
  },
  {
    title: "Certificate renewed",
    body: "push.example.org, until 19 February",
    channel: "ops",
    minutesAgo: 28,
  },
  {
    title: "Login from a new place",
    body: "Lisbon, Firefox on Linux",
    channel: "security",
    minutesAgo: 2,
  },
];
