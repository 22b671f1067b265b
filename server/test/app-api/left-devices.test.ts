import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import {
  claimNotices,
  NOTICE_WINDOW_MS,
  settleNotice,
} from "#devices/left-devices/store/notices.ts";
import { retireGoneDevice } from "#devices/store/retirement.ts";
import { addDevice, signUp, startApp, type TestPerson } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import {
  getNotificationId,
  areDeliveriesFinished,
  waitForRecord,
} from "../support/notification-records.ts";
import { addMember } from "../support/team-members.ts";
import { insertAccount, insertDevice, createRoomContext } from "../support/context.ts";

const ALARM = { title: "Pump stopped", body: "Basement" };
/** The time after which an interrupted notice may be claimed again. */
const LEASE_MS = 60_000;

/** Starts an app whose clock the test can advance by one notice window. */
async function setUp(t: TestContext) {
  let advancedMs = 0;
  const app = await startApp(t, { now: () => Date.now() + advancedMs, isSingleProcess: true });
  const ann = await signUp(app, "Ann");
  const advance = () => void (advancedMs += NOTICE_WINDOW_MS);
  return { app, ann, advance };
}

async function sendAlarm({ client }: TestPerson): Promise<void> {
  await waitForRecord(client, getNotificationId(await client.notify(ALARM)), areDeliveriesFinished);
}

/** Returns the notices in a person's feed, newest first. */
async function listNotices({ client }: TestPerson) {
  return (await client.feed.list({ channel: "devices" })).items;
}

function waitForNotice(person: TestPerson) {
  return eventually(
    () => listNotices(person),
    (items) => items.length > 0,
  );
}

test("an unregistered device is listed with its reason, recorded, and announced once", async (t) => {
  const { app, ann, advance } = await setUp(t);
  const oldPhone = await addDevice(app, ann, "Ann's old phone");
  const tablet = await addDevice(app, ann, "Ann's tablet");
  oldPhone.phone.unsubscribe();
  await sendAlarm(ann);
  await tablet.phone.next();
  const { items } = await ann.client.devices.left();
  assert.deepEqual(
    items.map(({ id, name, code }) => [id, name, code]),
    [[oldPhone.device.id, "Ann's old phone", "device_gone"]],
  );
  assert.ok(Math.abs(Date.parse(items[0]?.leftAt ?? "") - Date.now()) < 60_000);
  assert.deepEqual(await listNotices(ann), []);
  advance();
  const [notice, ...others] = await waitForNotice(ann);
  assert.deepEqual(
    [notice?.title, new URL(notice?.link ?? "").pathname, others.length],
    ["Ann's old phone gets no more notifications", "/devices", 0],
  );
  assert.match(JSON.stringify(await tablet.phone.next()), /Ann's old phone gets no more/);
  const audit = await ann.client.profile.audit({ action: "device_left" });
  assert.deepEqual(
    audit.items.map(({ subjectId, actor }) => [subjectId, actor.kind]),
    [[oldPhone.device.id, "server"]],
  );
});

test("devices unregistered together are announced in one notification", async (t) => {
  const { app, ann, advance } = await setUp(t);
  for (const name of ["One", "Two", "Three"]) (await addDevice(app, ann, name)).phone.unsubscribe();
  const removedDevice = await addDevice(app, ann, "Removed");
  await ann.client.devices.remove(removedDevice.device.id);
  await sendAlarm(ann);
  advance();
  const [notice, ...others] = await waitForNotice(ann);
  assert.equal(notice?.title, "3 devices get no more notifications");
  for (const name of ["One", "Two", "Three"])
    assert.match(notice.body, new RegExp(`^${name}, `, "m"));
  assert.doesNotMatch(notice.body, /Removed/);
  assert.deepEqual([others.length, (await ann.client.devices.left()).items.length], [0, 3]);
});

test("a device unregistered by a notice causes no further notice", async (t) => {
  const { app, ann, advance } = await setUp(t);
  const first = await addDevice(app, ann, "First");
  const second = await addDevice(app, ann, "Second");
  first.phone.unsubscribe();
  await sendAlarm(ann);
  second.phone.unsubscribe();
  advance();
  await waitForNotice(ann);
  const unregistered = await eventually(
    () => ann.client.devices.left(),
    ({ items }) => items.length === 2,
  );
  assert.deepEqual(unregistered.items.map(({ name }) => name).toSorted(), ["First", "Second"]);
  const leftDeviceRows = await app.app.context.database.db
    .selectFrom("left_device")
    .select("device_id")
    .execute();
  assert.deepEqual(leftDeviceRows, [{ device_id: first.device.id }]);
  const audit = await ann.client.profile.audit({ action: "device_left" });
  assert.equal(audit.items.length, 2);
});

test("only a team's managers and the member see that the member's device was unregistered", async (t) => {
  const { app, ann } = await setUp(t);
  const adam = await signUp(app, "Adam");
  const bob = await signUp(app, "Bob");
  const eve = await signUp(app, "Eve");
  const { id, key } = await ann.client.teams.create({ name: "Ops" });
  for (const member of [adam, bob, eve]) {
    const memberAccountId = await addMember(ann, id, member);
    if (member === adam)
      await ann.client.teams.updateMember(id, memberAccountId, { role: "admin" });
  }
  (await addDevice(app, bob, "Bob's phone")).phone.unsubscribe();
  await waitForRecord(
    ann.client,
    getNotificationId(await ann.withKey(key).notify(ALARM)),
    areDeliveriesFinished,
  );
  const readBobAs = async ({ client }: TestPerson) => {
    const { members } = await client.teams.get(id);
    const { deviceCount, deviceLeftAt } =
      members.find(({ email }) => email === bob.email) ?? assert.fail("Bob is missing.");
    return [deviceCount, deviceLeftAt !== null];
  };
  for (const person of [ann, adam, bob]) assert.deepEqual(await readBobAs(person), [0, true]);
  assert.deepEqual(await readBobAs(eve), [0, false]);
});

test("an interrupted notice is retried with the same id, and a sent notice is not repeated", async (t) => {
  const context = await createRoomContext(t);
  const accountId = await insertAccount(context);
  const retireDevice = async (token: string) => {
    const address = { provider: "fcm", kind: "token", token } as const;
    const device = await insertDevice(context, {
      accountId,
      platform: "android",
      address,
      name: token,
    });
    if (device === null) assert.fail("The account has no room for a device.");
    const event = { reason: "device_gone", notificationId: "n", asOf: context.now() };
    assert.ok(await retireGoneDevice(context, { ...event, accountId, deviceId: device.id }));
  };
  await retireDevice("a");
  assert.deepEqual(await claimNotices(context, LEASE_MS), []);
  context.clock.advance(NOTICE_WINDOW_MS);
  await retireDevice("b");
  const [claimedNotice, ...others] = await claimNotices(context, LEASE_MS);
  assert.deepEqual(
    [claimedNotice?.devices.map(({ name }) => name), others.length],
    [["a", "b"], 0],
  );
  assert.deepEqual(await claimNotices(context, LEASE_MS), []);
  context.clock.advance(LEASE_MS);
  assert.deepEqual(await claimNotices(context, LEASE_MS), [claimedNotice]);
  await settleNotice(context, claimedNotice?.notificationId ?? "");
  context.clock.advance(2 * LEASE_MS);
  assert.deepEqual(await claimNotices(context, LEASE_MS), []);
});
