import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { DeliveryDetail } from "@tocsin/sdk";
import { reportFigure } from "../attacks/bar.ts";
import { addDevice, signUp, startApp, type TestApp, type TestPerson } from "../support/app.ts";
import {
  getNotificationId,
  areDeliveriesFinished,
  waitForRecord,
} from "../support/notification-records.ts";
import { addMember, findMemberId } from "../support/team-members.ts";
import { ACCESS } from "./access-table.ts";
import { readOperations, requestOperation } from "./operations.ts";
import { PRINCIPALS, startAppFixture, type Principal } from "./app-fixture.ts";

const ALARM = { title: "Pump stopped", body: "Basement" };

/** Starts an app with a team of three, whose devices are named after their owners. */
async function setUp(t: TestContext) {
  const app = await startApp(t);
  const [ann, adam, bob] = await Promise.all(
    ["Ann", "Adam", "Bob"].map((name) => signUp(app, name)),
  );
  if (ann === undefined || adam === undefined || bob === undefined)
    throw new Error("A person is missing.");
  const team = await ann.client.teams.create({ name: "Ops" });
  await addMember(ann, team.id, bob);
  await ann.client.teams.updateMember(team.id, await addMember(ann, team.id, adam), {
    role: "admin",
  });
  const annPhone = await addDevice(app, ann, "Ann's phone");
  const bobPhone = await addDevice(app, bob, "Bob's phone");
  const bobTablet = await addDevice(app, bob, "Bob's tablet");
  const sendAlarm = async () => getNotificationId(await ann.withKey(team.key).notify(ALARM));
  return { app, ann, adam, bob, team, annPhone, bobPhone, bobTablet, sendAlarm };
}

function summariseDeliveries(items: readonly DeliveryDetail[]) {
  return items.map(({ deviceName, state, owner }) => [deviceName, state, owner?.name ?? null]);
}

async function listOwnDeliveries({ client }: TestPerson, id: string) {
  return summariseDeliveries((await client.feed.deliveries(id)).items);
}

test("members see their own deliveries of a team's notification, and managers see every delivery", async (t) => {
  const { app, ann, adam, bob, team, bobPhone, sendAlarm } = await setUp(t);
  bobPhone.phone.unsubscribe();
  const id = await sendAlarm();
  await waitForRecord(ann.client, id, areDeliveriesFinished);
  assert.deepEqual(await listOwnDeliveries(bob, id), [
    ["Bob's phone", "gone", null],
    ["Bob's tablet", "accepted", null],
  ]);
  assert.deepEqual(await listOwnDeliveries(ann, id), [["Ann's phone", "accepted", null]]);
  assert.deepEqual(await listOwnDeliveries(adam, id), []);
  for (const manager of [ann, adam]) {
    const { items } = await manager.client.notifications.deliveries(id);
    assert.deepEqual(summariseDeliveries(items)[0], ["Bob's phone", "gone", "Bob"]);
    assert.deepEqual(new Set(items.map(({ owner }) => owner?.name)), new Set(["Ann", "Bob"]));
    assert.equal(items[0]?.owner?.accountId, await findMemberId(manager, team.id, bob));
    const { deliveries } = await manager.client.notifications.get(id);
    assert.deepEqual(summariseDeliveries(deliveries), summariseDeliveries(items));
  }
  const [failedDelivery] = (await bob.client.feed.deliveries(id)).items;
  assert.equal(failedDelivery?.attemptHistory.at(-1)?.outcome, "gone");
  await assert.rejects(bob.client.notifications.get(id), { status: 404 });
  const eve = await signUp(app, "Eve");
  await assert.rejects(eve.client.feed.deliveries(id), { status: 404 });
});

test("a delivery keeps its owner's name after the owner left the team, and a person's own deliveries name no owner", async (t) => {
  const { ann, bob, team, sendAlarm } = await setUp(t);
  const id = await sendAlarm();
  await waitForRecord(ann.client, id, areDeliveriesFinished);
  await bob.client.teams.leave(team.id);
  const { items } = await ann.client.notifications.deliveries(id);
  assert.equal(items.filter(({ owner }) => owner?.name === "Bob").length, 2);
  assert.equal((await listOwnDeliveries(bob, id)).length, 2);
  const ownId = getNotificationId(await ann.client.notify(ALARM));
  await waitForRecord(ann.client, ownId, areDeliveriesFinished);
  assert.deepEqual(await listOwnDeliveries(ann, ownId), [["Ann's phone", "accepted", null]]);
  assert.deepEqual(
    summariseDeliveries((await ann.client.notifications.get(ownId)).deliveries),
    await listOwnDeliveries(ann, ownId),
  );
});

test("every list of deliveries has failures first, then pending deliveries", async (t) => {
  const { app, ann } = await setUp(t);
  const addNamedDevice = (name: string) => addDevice(app, ann, name);
  const acceptedDevice = await addNamedDevice("Fine");
  const waitingDevice = await addNamedDevice("Waits");
  const goneDevice = await addNamedDevice("Gone");
  goneDevice.phone.unsubscribe();
  waitingDevice.phone.script({ kind: "answer", status: 429, headers: { "retry-after": "600" } });
  const id = getNotificationId(await ann.client.notify(ALARM));
  const record = await waitForRecord(
    ann.client,
    id,
    ({ counts }) => counts.retrying === 1 && counts.accepted === 2,
  );
  const expected = ["Gone", "Waits"];
  assert.deepEqual(
    record.deliveries.slice(0, 2).map(({ deviceName }) => deviceName),
    expected,
  );
  const [listedRecord] = (await ann.client.notifications.list()).items;
  assert.deepEqual(
    listedRecord?.deliveries.map(({ deviceId }) => deviceId),
    record.deliveries.map(({ deviceId }) => deviceId),
  );
  const pagedDeviceIds: string[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const query = { limit: 1, ...(cursor === "" ? {} : { cursor }) };
    const page: { items: readonly DeliveryDetail[]; nextCursor: string | null } =
      await ann.client.notifications.deliveries(id, query);
    pagedDeviceIds.push(...page.items.map(({ deviceId }) => deviceId));
    cursor = page.nextCursor;
  }
  assert.deepEqual(
    pagedDeviceIds,
    record.deliveries.map(({ deviceId }) => deviceId),
  );
  assert.equal(pagedDeviceIds.length, 4);
  assert.ok(pagedDeviceIds.includes(acceptedDevice.device.id));
  // The account's own deliveries are paginated too.
  const firstPage = await ann.client.feed.deliveries(id, { limit: 3 });
  assert.ok(firstPage.nextCursor !== null);
  const secondPage = await ann.client.feed.deliveries(id, {
    limit: 3,
    cursor: firstPage.nextCursor,
  });
  assert.deepEqual(
    [firstPage.items.length, secondPage.items.length, secondPage.nextCursor],
    [3, 1, null],
  );
});

test("managers list a team's devices in pages, including devices that are gone", async (t) => {
  const { ann, adam, bob, team, bobPhone, sendAlarm } = await setUp(t);
  bobPhone.phone.unsubscribe();
  await waitForRecord(ann.client, await sendAlarm(), areDeliveriesFinished);
  const { items } = await adam.client.teams.devices(team.id);
  const rows = items.map(({ name, owner, leftAt }) => [name, owner.name, leftAt !== null]);
  assert.deepEqual(rows, [
    ["Ann's phone", "Ann", false],
    ["Bob's phone", "Bob", true],
    ["Bob's tablet", "Bob", false],
  ]);
  assert.equal(items[1]?.owner.accountId, await findMemberId(ann, team.id, bob));
  const firstPage = await ann.client.teams.devices(team.id, { limit: 2 });
  assert.ok(firstPage.nextCursor !== null);
  const secondPage = await ann.client.teams.devices(team.id, {
    limit: 2,
    cursor: firstPage.nextCursor,
  });
  assert.deepEqual([...firstPage.items, ...secondPage.items], items);
  await assert.rejects(bob.client.teams.devices(team.id), { status: 403 });
  // The log can be filtered by a member's device, even by one that is gone.
  const failedPage = await ann.client.notifications.list({
    device: bobPhone.device.id,
    state: "failed",
  });
  assert.equal(failedPage.items.length, 1);
  assert.equal(
    (await bob.client.notifications.list({ device: items[0]?.id ?? "" })).items.length,
    0,
  );
});

/** Principals that see the devices of a team's members in the operations below. */
const MANAGERS: readonly Principal[] = ["owner", "accessToken", "pairedSession", "admin"];
const MANAGER_OPERATIONS = [
  "getNotification",
  "listDeliveries",
  "listNotifications",
  "listTeamDevices",
];

test("an operation shows devices of another account only to managers of a team of that account, and to people who were told of an incident that reached the devices", async (t) => {
  const fixture = await startAppFixture(t);
  const { app } = fixture;
  const deviceOwners = await addDevices(app, fixture);
  const operations = await readOperations(app, "/api/app/v1/");
  const callsShowingOthersDevices = new Set<string>();
  const callsShowingOwnDevices = new Set<string>();
  let responseCount = 0;
  // Reversed, so that the lists are requested last, when they have items.
  for (const { operation: name, createIds, administratorStatus } of ACCESS.toReversed()) {
    const operation = operations.get(name) ?? assert.fail(name);
    // Skips the endless stream, and administrator operations, which may show the id of any device.
    if (operation.method !== "GET" || name === "live" || administratorStatus !== undefined)
      continue;
    const ids = (await createIds?.(fixture)) ?? [];
    for (const principal of PRINCIPALS) {
      const { text } = await requestOperation(app, fixture.credentials[principal], {
        operation,
        ids,
        body: undefined,
      });
      const person =
        principal === "accessToken" || principal === "pairedSession" ? "owner" : principal;
      const shownOwners = [...deviceOwners]
        .filter(([id]) => text.includes(id))
        .map(([, owner]) => owner);
      if (shownOwners.includes(person)) callsShowingOwnDevices.add(`${name} ${principal}`);
      const otherOwners = shownOwners.filter((owner) => owner !== person);
      if (otherOwners.length > 0) callsShowingOthersDevices.add(`${name} ${principal}`);
      assert.ok(
        !otherOwners.includes("other") && !otherOwners.includes("formerMember"),
        `${name} by ${principal}`,
      );
      responseCount += 1;
    }
  }
  const managerCalls = MANAGER_OPERATIONS.flatMap((name) =>
    MANAGERS.map((principal) => `${name} ${principal}`),
  );
  // The incident rang the whole team, so each of these people sees the devices that it reached.
  const incidentCalls = [...MANAGERS, "member"].map((principal) => `getIncident ${principal}`);
  assert.deepEqual(
    [...callsShowingOthersDevices].toSorted(),
    [...managerCalls, ...incidentCalls].toSorted(),
  );
  for (const principal of ["member", "admin", "owner"])
    assert.ok(callsShowingOwnDevices.has(`listFeedDeliveries ${principal}`));
  reportFigure(t, `${responseCount} responses, 0 devices of other accounts`);
});

/** Registers a device for each person. Returns the principal that owns each device, by device id. */
async function addDevices(
  app: TestApp,
  fixture: Awaited<ReturnType<typeof startAppFixture>>,
): Promise<ReadonlyMap<string, Principal | "target">> {
  const deviceOwners = new Map<string, Principal | "target">();
  for (const principal of [
    "owner",
    "admin",
    "member",
    "target",
    "other",
    "formerMember",
  ] as const) {
    const { device } = await addDevice(app, fixture[principal]);
    deviceOwners.set(device.id, principal);
  }
  return deviceOwners;
}
