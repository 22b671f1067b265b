import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { NOTICE_SPAN_MS } from "#devices/left/store/notices.ts";
import { addDevice, signUp, type TestPerson } from "../support/app.ts";
import type { ConsolePage } from "../support/console-page.ts";
import { startStage } from "../support/console-stage.ts";
import { eventually } from "../support/eventually.ts";
import { idOf, isOver, recordOnce } from "../support/log.ts";
import { join } from "../support/membership.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

const ALARM = { title: "Pump stopped", body: "Basement" };

/** People of the test; `signUp` derives their passwords from the names. */
type Name = "Ann" | "Adam" | "Bob";

for (const browserName of ["Chromium", "Firefox"] as const) {
  test(`in ${browserName}, a member and the team's managers see why a device was not reached`, async (t) => {
    const { stage, browsers, ann, bob, team, bobPhone } = await setUp(t, browserName);
    const id = idOf(await ann.withKey(team.key).notify(ALARM));
    await recordOnce(ann.client, id, isOver);
    const page = await browsers.open(stage.url);

    // The member sees his own devices, with the failed one expanded.
    await signInAs(page, stage.url, "Bob");
    await page.page.goto(`${stage.url}/n/${id}`);
    await page.see("article section li");
    const ownDeliveries = await page.see("article section");
    assert.match(
      ownDeliveries,
      /On your devices[^]*Bob's phone[^]*no longer registered[^]*Its push service says/,
    );
    assert.match(ownDeliveries, /Bob's tablet/);
    assert.doesNotMatch(ownDeliveries, /Ann's phone/);
    await page.miss("article ::-p-text(Show under “Sent”)");
    await page.page.goto(`${stage.url}/devices`);
    const removedDevice = await page.see(`li[data-id="${bobPhone.device.id}"]`);
    assert.match(removedDevice, /Bob's phone[^]*Removed[^]*turned notifications off/);

    // The admin sees the members' devices by name, failures first, and in the log's filters.
    await signInAs(page, stage.url, "Adam");
    await page.page.goto(`${stage.url}/n/${id}`);
    await page.see("article section li");
    const teamDeliveries = await page.see("article section");
    assert.match(teamDeliveries, /^Deliveries\s+Bob's phone of Bob[^]*Ann's phone/);
    await page.page.goto(`${stage.url}/log`);
    await page.page.waitForSelector(`select option[value="${bobPhone.device.id}"]`);
    await page.page.select('select[aria-label="Device"]', bobPhone.device.id);
    await page.see("main li ::-p-text(Pump stopped)");
    await page.follow("Pump stopped");
    const record = await page.see('section[aria-label="Devices"] li:first-child');
    assert.match(record, /Bob's phone of Bob[^]*no longer registered/);

    // The owner sees it in the member list.
    await signInAs(page, stage.url, "Ann");
    await page.page.goto(`${stage.url}/teams/${team.id}`);
    await page.see("main li ::-p-text(A device is no longer registered)");
    await waitForNotice(bob);
    assert.deepEqual(page.complaints, []);
  });
}

async function setUp(t: TestContext, browserName: keyof typeof PUSH_BROWSERS) {
  const browsers = await PUSH_BROWSERS[browserName](t);
  const stage = await startStage(t, browsers, { TOCSIN_SIGN_UP: "open" });
  const [ann, adam, bob] = [
    await signUp(stage, "Ann"),
    await signUp(stage, "Adam"),
    await signUp(stage, "Bob"),
  ];
  const team = await ann.client.teams.create({ name: "Operations" });
  const adamMemberId = await join(ann, team.id, adam);
  await ann.client.teams.updateMember(team.id, adamMemberId, { role: "admin" });
  await join(ann, team.id, bob);
  await addDevice(stage, ann, "Ann's phone");
  const bobPhone = await addDevice(stage, bob, "Bob's phone");
  await addDevice(stage, bob, "Bob's tablet");
  bobPhone.phone.unsubscribe();
  return { stage, browsers, ann, bob, team, bobPhone };
}

async function signInAs(page: ConsolePage, url: string, name: Name): Promise<void> {
  const body = { email: `${name.toLowerCase()}@example.org`, password: `password of ${name}` };
  // Firefox aborts a page that is left while it is still redirecting.
  await page.see("h1");
  await page.page.evaluate(`fetch("/api/auth/sign-in/email", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: ${JSON.stringify(JSON.stringify(body))},
  }).then((response) => { if (!response.ok) throw new Error("Not signed in."); })`);
  await page.page.goto(`${url}/devices`);
  await page.see(`header ::-p-text(${body.email})`);
}

/** Resolves once the feed has exactly one notice of the unregistered device. */
async function waitForNotice({ client }: TestPerson): Promise<void> {
  const { items } = await eventually(
    () => client.feed.list({ channel: "devices" }),
    (page) => page.items.length > 0,
    { limitMs: 6 * NOTICE_SPAN_MS },
  );
  assert.deepEqual(
    items.map(({ title }) => title),
    ["Bob's phone gets no more notifications"],
  );
}
