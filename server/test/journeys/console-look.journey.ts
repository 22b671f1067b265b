import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { createClient } from "@tocsin/sdk";
import { examine, lookAs, VIEWS, type Finding } from "../support/console-look.ts";
import type { ConsolePage } from "../support/console-page.ts";
import { ANN, signUp, startStage, turnOn } from "../support/console-stage.ts";
import { addDevice } from "../support/app.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

/** Pages by the name of their picture, and what to wait for. */
interface Sight {
  readonly name: string;
  readonly path: string;
  readonly shows: string;
  /** A button that opens what the picture is about, and what to wait for then. */
  readonly opens?: { readonly button: string; readonly shows: string };
}

const SIGNED_OUT: readonly Sight[] = [
  { name: "sign-in", path: "/sign-in", shows: "form" },
  { name: "sign-up", path: "/sign-up", shows: "form" },
  { name: "forgotten", path: "/forgotten", shows: "form" },
  { name: "set-up", path: "/set-up?token=x", shows: "form" },
  { name: "reset", path: "/reset-password?token=x", shows: "form" },
  { name: "verify", path: "/verify?token=x", shows: "main button" },
  { name: "invitation", path: "/invitation?token=x", shows: "form" },
  { name: "cut-link", path: "/set-up", shows: "main a" },
];

const SENT = [
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

test("the console breaks no rule of WCAG 2.2 A and AA, in light and dark, on phone and desktop", async (t) => {
  const { page, url, service } = await arrive(t);
  const findings: Finding[] = [];
  findings.push(...(await examineAll(page, url, SIGNED_OUT)));
  await page.page.goto(service.setUpLink);
  const ann = await signUp(page, { url, applicant: ANN });
  findings.push(
    ...(await examineAll(page, url, [{ name: "first-steps", path: "/", shows: "ol" }])),
  );
  await turnOn(ann);
  const { key } = await ann.client.keys.create({ kind: "account", label: "Backup script" });
  const sender = createClient({ baseUrl: url, apiKey: key });
  await addDevice({ push: service.push }, ann, "Workshop tablet");
  for (const notification of SENT) await sender.notify(notification);
  const [newest] = (await ann.client.feed.list()).items;
  findings.push(
    ...(await examineAll(page, url, [
      { name: "feed", path: "/", shows: "article" },
      { name: "notification", path: `/n/${newest?.id}`, shows: "article[data-read]" },
      { name: "gone", path: "/n/0190-none", shows: "main h2" },
      { name: "log", path: "/log", shows: "main li" },
      { name: "record", path: `/log/${newest?.id}`, shows: "main li" },
      { name: "record-gone", path: "/log/0190-none", shows: "main h2" },
      { name: "devices", path: "/devices", shows: '[data-capability="on"]' },
      { name: "keys", path: "/keys", shows: "main li" },
      { name: "builder", path: "/keys/builder", shows: '[role="tablist"]' },
      {
        name: "rotate-key",
        path: "/keys",
        shows: "main li",
        opens: { button: `Rotate the key ending in ${key.slice(-4)}`, shows: '[role="dialog"]' },
      },
      {
        name: "new-key",
        path: "/keys",
        shows: "main li",
        opens: { button: "Make an API key", shows: '[role="dialog"] form' },
      },
      {
        name: "device-menu",
        path: "/devices",
        shows: "main li",
        opens: { button: "Actions for Workshop tablet", shows: '[role="menu"]' },
      },
      {
        name: "settings",
        path: "/settings",
        shows: "main section",
      },
      {
        name: "palette",
        path: "/settings",
        shows: "main section",
        opens: { button: "Search", shows: '[role="dialog"] input' },
      },
      { name: "nowhere", path: "/no/such/page", shows: "main a" },
    ])),
  );
  assert.deepEqual(findings, []);
  const expected = /404 of|status of 404/;
  assert.deepEqual(
    page.complaints.filter((complaint) => !expected.test(complaint)),
    [],
  );
});

async function arrive(t: TestContext) {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const stage = await startStage(t, browsers);
  const setUpLink = (await stage.app.createSetUpLink()) ?? "";
  const page = await browsers.open(`${stage.url}/sign-in`);
  return { page, url: stage.url, service: { setUpLink, push: stage.push } };
}

async function examineAll(
  page: ConsolePage,
  url: string,
  sights: readonly Sight[],
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const view of VIEWS) {
    await lookAs(page, view);
    for (const { name, path, shows, opens } of sights) {
      await page.page.goto(url + path);
      await page.see(shows);
      if (opens !== undefined) {
        await page.press(opens.button);
        await page.see(opens.shows);
      }
      findings.push(...(await examine(page, { name, view })));
    }
  }
  return findings;
}
