import test from "node:test";
import { inspectViews } from "../../support/console-inspection.ts";
import {
  setUpServer,
  startConsoleFixture,
  turnOnNotifications,
} from "../../support/console-fixture.ts";
import { fillFeed, type FeedContent } from "../../support/fill-feed.ts";
import { PUSH_BROWSERS } from "../../support/push-browsers.ts";

test("a feed with many channels, filters and a search meets WCAG 2.2 A and AA", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const ann = await setUpServer(fixture, browsers);
  await turnOnNotifications(ann);
  const { id: accountId } = await ann.client.me();
  const ids = await fillFeed(fixture.app.context, accountId, buildFeed(NEWEST_ITEMS));
  await ann.client.feed.markRead({ upTo: ids.at(-6) ?? "" });
  const openedId = ids.at(-2) ?? "";
  await inspectViews(ann.page, {
    views: [
      { name: "feed-full", path: "/", waitFor: "article" },
      { name: "feed-channel", path: "/?channel=backup", waitFor: "article" },
      { name: "feed-unread", path: "/?unread=true", waitFor: "article" },
      { name: "feed-search", path: "/?q=disk+db-1", waitFor: "article" },
      { name: "feed-nothing-found", path: "/?q=aardvark", waitFor: "main h2" },
      { name: "feed-all-read", path: "/?channel=cron&unread=true", waitFor: ALL_READ },
      { name: "feed-opened", path: `/n/${openedId}`, waitFor: "article[data-read]" },
    ],
  });
});

const ALL_READ = "main h2 ::-p-text(All read)";

const NEWEST_ITEMS: readonly FeedContent[] = [
  { title: "Backup finished", body: "db-1: 42 GB in 11 minutes", channel: "backup" },
  {
    title: "Pull request #482 wants your review",
    body: "Retry uploads that a proxy cut off\nby Mia, 6 files",
    channel: "github",
    link: "https://example.org/pulls/482",
  },
  { title: "Deployed api 4.2.0", body: "by Ann, 12 commits, 0 errors since", channel: "deploys" },
  { title: "Paket zugestellt", body: "Deine Bestellung liegt im Treppenhaus.", channel: "home" },
  {
    title: "Latency of checkout above 900 ms for 10 minutes",
    body: "p95 is 1,240 ms in eu-central. Three other alerts fired at the same time.",
    channel: "grafana",
    link: "https://example.org/d/checkout",
  },
  { title: "Certificate renewed", body: "push.example.org, until 19 February", channel: "ops" },
  { title: "", body: "The washing machine is done 🧺", channel: "home" },
  {
    title: "Disk almost full",
    body: "db-1 has 2 % left on /var/lib/postgresql. At the present rate it is full in 40 minutes.\n\nWhat helps:\n1. Drop the old partitions of events\n2. Grow the volume\n\nRunbook: https://example.org/runbooks/disk",
    channel: "ops",
    link: "https://example.org/disks",
    image: "https://example.org/disks/db-1.png",
    timeSensitive: true,
  },
  { title: "Login from a new place", body: "Lisbon, Firefox on Linux", channel: "security-audit" },
];

const CHANNELS = ["cron", "uptime-kuma", "printer", "invoices", "feed", "weather", "calendar"];
const HOUR_MINUTES = 60;

/** Returns items of the last three days, the given ones newest. */
function buildFeed(newestItems: readonly FeedContent[]): readonly FeedContent[] {
  const older = Array.from({ length: 60 }, (_, index) => ({
    title: `Job ${index + 1} of ${CHANNELS[index % CHANNELS.length]} finished`,
    body:
      index % 4 === 0 ? "" : `Took ${3 + ((index * 7) % 50)} s, disk of db-1 at ${40 + index} %`,
    channel: CHANNELS[index % CHANNELS.length] ?? "feed",
    minutesAgo: (70 - index) * HOUR_MINUTES,
  }));
  const newest = newestItems.map((item, index) => ({
    ...item,
    minutesAgo: (newestItems.length - 1 - index) * 7,
  }));
  return [...older, ...newest];
}
