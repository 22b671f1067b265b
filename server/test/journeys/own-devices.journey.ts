import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { NOTICE_WINDOW_MS } from "#devices/left-devices/store/notices.ts";
import { addDevice, signUp, type TestPerson } from "../support/app.ts";
import type { ConsolePage } from "../support/console-page.ts";
import { startConsoleFixture } from "../support/console-fixture.ts";
import { eventually } from "../support/eventually.ts";
import {
  getNotificationId,
  areDeliveriesFinished,
  waitForRecord,
} from "../support/notification-records.ts";
import { addMember } from "../support/team-members.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

const ALARM = { title: "Pump stopped", body: "Basement" };

/** People of the test; `signUp` derives their passwords from the names. */
type Name = "Ann" | "Adam" | "Bob";

for (const browserName of ["Chromium", "Firefox"] as const) {
  test(`in ${browserName}, a member and the team's managers see why a device was not reached`, async (t) => {
    const { fixture, browsers, ann, bob, team, bobPhone } = await setUp(t, browserName);
    const id = getNotificationId(await ann.withKey(team.key).notify(ALARM));
    await waitForRecord(ann.client, id, areDeliveriesFinished);
    const page = await browsers.open(fixture.url);

    // The member sees his own devices, with the failed one expanded.
    await signInAs(page, fixture.url, "Bob");
    await page.tab.goto(`${fixture.url}/n/${id}`);
    await page.waitFor("article section li");
    const ownDeliveries = await page.waitFor("article section");
    assert.match(
      ownDeliveries,
      /On your devices[^]*Bob's phone[^]*no longer registered[^]*Its push service says/,
    );
    assert.match(ownDeliveries, /Bob's tablet/);
    assert.doesNotMatch(ownDeliveries, /Ann's phone/);
    await page.waitUntilGone("article ::-p-text(Show under “Sent”)");
    await page.tab.goto(`${fixture.url}/devices`);
    const removedDevice = await page.waitFor(`li[data-id="${bobPhone.device.id}"]`);
    assert.match(removedDevice, /Bob's phone[^]*Removed[^]*turned notifications off/);

    // The admin sees the members' devices by name, failures first, and in the log's filters.
    await signInAs(page, fixture.url, "Adam");
    await page.tab.goto(`${fixture.url}/n/${id}`);
    await page.waitFor("article section li");
    const teamDeliveries = await page.waitFor("article section");
    assert.match(teamDeliveries, /^Deliveries\s+Bob's phone of Bob[^]*Ann's phone/);
    await page.tab.goto(`${fixture.url}/log`);
    await page.tab.waitForSelector(`select option[value="${bobPhone.device.id}"]`);
    await page.tab.select('select[aria-label="Device"]', bobPhone.device.id);
    await page.waitFor("main li ::-p-text(Pump stopped)");
    await page.followLink("Pump stopped");
    const record = await page.waitFor('section[aria-label="Devices"] li:first-child');
    assert.match(record, /Bob's phone of Bob[^]*no longer registered/);

    // The owner sees the removal in the member list.
    await signInAs(page, fixture.url, "Ann");
    await page.tab.goto(`${fixture.url}/teams/${team.id}`);
    await page.waitFor("main li ::-p-text(A device is no longer registered)");
    await waitForNotice(bob);
    assert.deepEqual(page.consoleErrors, []);
  });
}

async function setUp(t: TestContext, browserName: keyof typeof PUSH_BROWSERS) {
  const browsers = await PUSH_BROWSERS[browserName](t);
  const fixture = await startConsoleFixture(t, browsers, { TOCSIN_SIGN_UP: "open" });
  const ann = await signUp(fixture, "Ann");
  const adam = await signUp(fixture, "Adam");
  const bob = await signUp(fixture, "Bob");
  const team = await ann.client.teams.create({ name: "Operations" });
  const adamAccountId = await addMember(ann, team.id, adam);
  await ann.client.teams.updateMember(team.id, adamAccountId, { role: "admin" });
  await addMember(ann, team.id, bob);
  await addDevice(fixture, ann, "Ann's phone");
  const bobPhone = await addDevice(fixture, bob, "Bob's phone");
  await addDevice(fixture, bob, "Bob's tablet");
  bobPhone.phone.unsubscribe();
  return { fixture, browsers, ann, bob, team, bobPhone };
}

async function signInAs(page: ConsolePage, url: string, name: Name): Promise<void> {
  const body = { email: `${name.toLowerCase()}@example.org`, password: `password of ${name}` };
  // Firefox aborts a page that is left while it is still redirecting.
  await page.waitFor("h1");
  await page.tab.evaluate(`fetch("/api/auth/sign-in/email", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: ${JSON.stringify(JSON.stringify(body))},
  }).then((response) => { if (!response.ok) throw new Error("Not signed in."); })`);
  await page.tab.goto(`${url}/devices`);
  await page.waitFor(`header ::-p-text(${body.email})`);
}

/** Resolves once the feed has exactly one notice of the unregistered device. */
async function waitForNotice({ client }: TestPerson): Promise<void> {
  const { items } = await eventually(
    () => client.feed.list({ channel: "devices" }),
    (page) => page.items.length > 0,
    { limitMs: 6 * NOTICE_WINDOW_MS },
  );
  assert.deepEqual(
    items.map(({ title }) => title),
    ["Bob's phone gets no more notifications"],
  );
}
