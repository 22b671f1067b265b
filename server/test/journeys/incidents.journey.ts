import assert from "node:assert/strict";
import test from "node:test";
import { createClient } from "@tocsin/sdk";
import { inspectViews, JOURNEY_SIZES, resizePage } from "../support/console-inspection.ts";
import { addDevice } from "../support/app.ts";
import {
  BEN,
  setUpServer,
  startConsoleFixture,
  type ConsoleUser,
} from "../support/console-fixture.ts";
import { joinTeamByLink } from "../support/join-team-by-link.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";
import { eventually } from "../support/eventually.ts";

const [DESKTOP, PHONE] = JOURNEY_SIZES;
/** One more than a single request can acknowledge. */
const INCIDENT_COUNT = 101;

test("one person acknowledges an emergency on a phone, and another person sees who did", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const ann = await setUpServer(fixture, browsers);
  await addDevice({ push: fixture.push }, ann, "Ann's phone");
  const { id: teamId } = await ann.client.teams.create({ name: "Operations" });
  const team = { owner: ann, teamId, teamName: "Operations", url: fixture.url };
  const ben = await joinTeamByLink(browsers, team, BEN);
  await addDevice({ push: fixture.push }, ben, "Ben's phone");
  await inspectViews(ann.page, {
    views: [{ name: "incidents-empty", path: "/incidents", waitFor: "main h2" }],
  });
  const id = await openIncident(ann, { url: fixture.url, teamId });

  await ann.page.waitFor('nav a[href="/incidents"] ::-p-text(1 emergency is ringing)');
  await resizePage(ben.page, PHONE);
  await ben.page.waitFor("nav button ::-p-text(1 emergency is ringing)");
  await ben.page.waitFor("article ::-p-text(open)");
  await ben.page.followLink("Disk full");
  await ben.page.waitFor("[data-incident] ::-p-text(Rings again in)");
  await ann.page.tab.goto(`${fixture.url}/incidents`);
  const replacedId = await inspectIncident(ann, id);

  await ben.page.press("Acknowledge");
  await ben.page.waitFor("[data-incident] ::-p-text(Acknowledged by Ben)");
  for (const { page } of [ann, ben]) await page.waitUntilGone("nav ::-p-text(is ringing)");
  await resizePage(ann.page, DESKTOP);
  await ann.page.tab.goto(`${fixture.url}/incidents`);
  await ann.page.waitFor("main li[data-id] ::-p-text(Acknowledged by Ben)");
  await ann.page.tab.locator(`main li[data-id="${id}"] a`).click();
  await ann.page.waitFor('[data-incident] li[data-kind="acknowledged"] ::-p-text(in the console)');
  await ann.page.press("Resolve");
  // The notification of the resolution replaces the earlier one, even on the earlier one's own page.
  await ann.page.waitFor("[data-incident] ::-p-text(Resolved by Ann)");
  await ben.page.waitFor("[data-incident] ::-p-text(Resolved by Ann)");
  await inspectViews(ann.page, {
    views: [
      { name: "incidents-resolved", path: "/incidents", waitFor: `main li[data-id="${id}"]` },
      { name: "incident-feed", path: "/", waitFor: "article ::-p-text(resolved)" },
    ],
  });
  await ann.page.tab.goto(`${fixture.url}/incidents`);
  await ann.page.tab.locator(`main li[data-id="${id}"] a`).click();
  await ann.page.waitFor("[data-incident] ::-p-text(Resolved by Ann)");
  await openReplacedNotification(ben, { url: fixture.url, replacedId });
  assert.deepEqual(ben.page.consoleErrors, []);
});

test("the navigation counts an emergency in its last round, until somebody acknowledges it", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const { page, client } = await setUpServer(fixture, browsers);
  const alarm = { title: "Disk full", body: "", priority: "emergency" } as const;
  // Its first round is also its last one.
  const sent = await client.notifications.send({ ...alarm, repeatEvery: 600, expireAfter: 600 });
  const id = sent.incidentId ?? assert.fail();
  assert.equal((await client.incidents.get(id)).nextRoundAt, null);
  await page.waitFor('nav a[href="/incidents"] ::-p-text(1 emergency is ringing)');
  await client.incidents.acknowledge(id);
  await page.waitUntilGone("nav ::-p-text(is ringing)");
  assert.deepEqual(page.consoleErrors, []);
});

test("one press acknowledges more incidents than one request takes", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const { page, client } = await setUpServer(fixture, browsers);
  const { key } = await client.keys.create({ kind: "account" });
  const sender = createClient({ baseUrl: fixture.url, apiKey: key });
  for (let count = 0; count < INCIDENT_COUNT; count += 1)
    await sender.notifyAsync({ title: "Disk full", body: "", incidentKey: `disk ${count}` });
  await page.tab.goto(`${fixture.url}/incidents`);
  await page.press(`Acknowledge all ${INCIDENT_COUNT}`);
  await page.waitUntilGone(`::-p-text(Acknowledge all)`);
  // The button that acknowledges all disappears as soon as only one incident is left.
  await eventually(
    () => client.incidents.list({ state: "triggered", limit: 200 }),
    ({ items }) => items.length === 0,
  );
  assert.deepEqual(page.consoleErrors, []);
});

/** Opens an incident with a key of the team, whose policy has two steps, and returns its id. */
async function openIncident(
  { client }: ConsoleUser,
  { url, teamId }: { readonly url: string; readonly teamId: string },
): Promise<string> {
  const policy = await client.escalationPolicies.create({
    teamId,
    name: "Nights",
    steps: [
      { afterSeconds: 0, targets: [{ kind: "team" }] },
      { afterSeconds: 600, targets: [{ kind: "team" }] },
    ],
  });
  const key = await client.keys.create({ kind: "team", teamId, label: "Monitoring" });
  await client.keys.update(key.id, { escalationPolicyId: policy.id });
  const { incidentId } = await createClient({ baseUrl: url, apiKey: key.key }).notify({
    title: "Disk full",
    body: "db-1 has 2 % left",
    channel: "databases",
    priority: "emergency",
    incidentKey: "disk",
  });
  assert.ok(incidentId !== undefined);
  return incidentId;
}

/** Opens the URL of a replaced notification, as a tap on an old push does, and expects the newer notification. */
async function openReplacedNotification(
  { page, client }: ConsoleUser,
  { url, replacedId }: { readonly url: string; readonly replacedId: string },
): Promise<void> {
  const [newerItem] = (await client.feed.list()).items;
  assert.ok(newerItem !== undefined && newerItem.id !== replacedId);
  await page.tab.goto(`${url}/n/${replacedId}`);
  await page.waitFor(`[data-opened-notification="${newerItem.id}"]`);
  await page.tab.waitForFunction(`location.pathname === "/n/${newerItem.id}"`);
}

/** Inspects the list, the notification's page and the feed while the incident rings. Returns the notification's id. */
async function inspectIncident({ page, client }: ConsoleUser, id: string): Promise<string> {
  const { items } = await client.feed.list();
  const notificationId = items.find((item) => item.incidentId === id)?.id ?? "";
  await inspectViews(page, {
    views: [
      {
        name: "incidents",
        path: "/incidents",
        waitFor: `main li[data-id="${id}"] ::-p-text(Next step in)`,
      },
      {
        name: "incident",
        path: `/n/${notificationId}`,
        waitFor: '[data-incident] li[data-kind="push"]',
      },
      { name: "incident-row", path: "/", waitFor: "article ::-p-text(open)" },
    ],
  });
  return notificationId;
}
