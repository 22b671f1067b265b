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

/** The names that `signUp` makes passwords of. */
type Name = "Ann" | "Adam" | "Bob";

for (const make of ["Chromium", "Firefox"] as const) {
  test(`why last night's alarm did not reach Bob's phone is told to him and to those who manage the team, in ${make}`, async (t) => {
    const { stage, browsers, ann, bob, team, bobsPhone } = await scene(t, make);
    const id = idOf(await ann.withKey(team.key).notify(ALARM));
    await recordOnce(ann.client, id, isOver);
    const page = await browsers.open(stage.url);

    // The member sees his own devices, the one that failed opened.
    await signInAs(page, stage.url, "Bob");
    await page.page.goto(`${stage.url}/n/${id}`);
    await page.see("article section li");
    const own = await page.see("article section");
    assert.match(
      own,
      /On your devices[^]*Bob's phone[^]*no longer registered[^]*Its push service says/,
    );
    assert.match(own, /Bob's tablet/);
    assert.doesNotMatch(own, /Ann's phone/);
    await page.miss("article ::-p-text(Show under “Sent”)");
    await page.page.goto(`${stage.url}/devices`);
    const left = await page.see(`li[data-id="${bobsPhone.device.id}"]`);
    assert.match(left, /Bob's phone[^]*Removed[^]*turned notifications off/);

    // The admin finds him and his devices by name, failures first, and in the filters of the log.
    await signInAs(page, stage.url, "Adam");
    await page.page.goto(`${stage.url}/n/${id}`);
    await page.see("article section li");
    const all = await page.see("article section");
    assert.match(all, /^Deliveries\s+Bob's phone of Bob[^]*Ann's phone/);
    await page.page.goto(`${stage.url}/log`);
    await page.page.waitForSelector(`select option[value="${bobsPhone.device.id}"]`);
    await page.page.select('select[aria-label="Device"]', bobsPhone.device.id);
    await page.see("main li ::-p-text(Pump stopped)");
    await page.follow("Pump stopped");
    const record = await page.see('section[aria-label="Devices"] li:first-child');
    assert.match(record, /Bob's phone of Bob[^]*no longer registered/);

    // The owner sees it at the member.
    await signInAs(page, stage.url, "Ann");
    await page.page.goto(`${stage.url}/teams/${team.id}`);
    await page.see("main li ::-p-text(A device is no longer registered)");
    await noticeOf(bob);
    assert.deepEqual(page.complaints, []);
  });
}

async function scene(t: TestContext, make: keyof typeof PUSH_BROWSERS) {
  const browsers = await PUSH_BROWSERS[make](t);
  const stage = await startStage(t, browsers, { TOCSIN_SIGN_UP: "open" });
  const [ann, adam, bob] = [
    await signUp(stage, "Ann"),
    await signUp(stage, "Adam"),
    await signUp(stage, "Bob"),
  ];
  const team = await ann.client.teams.create({ name: "Operations" });
  const adamsId = await join(ann, team.id, adam);
  await ann.client.teams.updateMember(team.id, adamsId, { role: "admin" });
  await join(ann, team.id, bob);
  await addDevice(stage, ann, "Ann's phone");
  const bobsPhone = await addDevice(stage, bob, "Bob's phone");
  await addDevice(stage, bob, "Bob's tablet");
  bobsPhone.phone.unsubscribe();
  return { stage, browsers, ann, bob, team, bobsPhone };
}

async function signInAs(page: ConsolePage, url: string, name: Name): Promise<void> {
  const body = { email: `${name.toLowerCase()}@example.org`, password: `password of ${name}` };
  // Firefox gives up a page that is left while it is still finding its way.
  await page.see("h1");
  await page.page.evaluate(`fetch("/api/auth/sign-in/email", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: ${JSON.stringify(JSON.stringify(body))},
  }).then((response) => { if (!response.ok) throw new Error("Not signed in."); })`);
  await page.page.goto(`${url}/devices`);
  await page.see(`header ::-p-text(${body.email})`);
}

/** Resolves once the feed holds the one notice of the device that left. */
async function noticeOf({ client }: TestPerson): Promise<void> {
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
