import assert from "node:assert/strict";
import test from "node:test";
import type { PersonalNotification } from "@tocsin/sdk";
import { addDevice, signUp, startApp } from "../support/app.ts";
import { waitForRecord } from "../support/notification-records.ts";
import { addMember } from "../support/team-members.ts";

const HELLO = { title: "Hello", body: "World" };

test("a person sends to all devices, a group or one device", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const phone = await addDevice(app, ann, "Phone");
  const laptop = await addDevice(app, ann, "Laptop");
  const group = await ann.client.groups.create({ name: "Desk", deviceIds: [laptop.device.id] });
  const { send } = ann.client.notifications;

  const accountSend = await send(HELLO);
  assert.equal(accountSend.deviceCount, 2);
  const record = await waitForRecord(
    ann.client,
    accountSend.id ?? assert.fail(),
    ({ counts }) => counts.accepted === 2,
  );
  assert.equal(record.key, null);
  assert.equal(record.audience.kind, "account");
  assert.deepEqual((await ann.client.feed.list()).items[0]?.id, accountSend.id);

  const groupSend = await send({ ...HELLO, to: { kind: "group", groupId: group.id } });
  const groupRecord = await waitForRecord(
    ann.client,
    groupSend.id ?? assert.fail(),
    ({ counts }) => counts.accepted === 1,
  );
  assert.deepEqual(
    groupRecord.deliveries.map(({ deviceName }) => deviceName),
    ["Laptop"],
  );
  const deviceSend = await send({ ...HELLO, to: { kind: "device", deviceId: phone.device.id } });
  await waitForRecord(
    ann.client,
    deviceSend.id ?? assert.fail(),
    ({ counts }) => counts.accepted === 1,
  );
  await phone.phone.waitForRequests(2);
  await laptop.phone.waitForRequests(2);
});

test("an owner sends to the team, but a plain member and an outsider cannot", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const ben = await signUp(app, "Ben");
  const eve = await signUp(app, "Eve");
  const benDevice = await addDevice(app, ben, "Ben's phone");
  const { id: teamId } = await ann.client.teams.create({ name: "Ops" });
  await addMember(ann, teamId, ben);
  const teamNotification = { ...HELLO, to: { kind: "team", teamId } } as const;
  const { id } = await ann.client.notifications.send(teamNotification);
  await waitForRecord(ann.client, id ?? assert.fail(), ({ counts }) => counts.accepted === 1);
  await benDevice.phone.waitForRequests(1);
  await assert.rejects(ben.client.notifications.send(teamNotification), {
    status: 403,
    code: "forbidden",
  });
  await assert.rejects(eve.client.notifications.send(teamNotification), {
    status: 404,
    code: "not_found",
  });
});

test("a send with an invalid field is refused with the field's name, and nothing is stored", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const eve = await signUp(app, "Eve");
  const { device } = await addDevice(app, eve, "Eve's phone");
  const eveGroup = await eve.client.groups.create({ name: "Desk", deviceIds: [device.id] });
  const invalidChanges: readonly (readonly [change: object, status: number, field: string])[] = [
    [{ title: "" }, 400, "title"],
    [{ channel: "not ok" }, 400, "channel"],
    [{ sound: "loud" }, 400, "sound"],
    [{ priority: 3 }, 400, "priority"],
    [{ priority: "urgent" }, 400, "priority"],
    [{ link: "javascript:alert(1)" }, 400, "link"],
    [{ to: "everybody" }, 400, "to"],
    [{ to: { kind: "world" } }, 400, "to.kind"],
    [{ to: { kind: "group" } }, 400, "to.groupId"],
    [{ to: { kind: "team", teamId: 7 } }, 400, "to.teamId"],
    [{ to: { kind: "group", groupId: eveGroup.id } }, 404, "to.groupId"],
    [{ to: { kind: "device", deviceId: device.id } }, 404, "to.deviceId"],
  ];
  for (const [change, status, field] of invalidChanges) {
    // The SDK's types do not allow these bodies.
    const content = { title: "Hello", body: "", ...change } as PersonalNotification;
    await assert.rejects(
      ann.client.notifications.send(content),
      { status, field },
      JSON.stringify(change),
    );
  }
  assert.deepEqual((await ann.client.notifications.list()).items, []);
});

test("a retry with the same idempotency key returns the same notification", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const ben = await signUp(app, "Ben");
  const { phone } = await addDevice(app, ann, "Phone");
  const idempotency = { idempotencyKey: "one press" };
  const first = await ann.client.notifications.send(HELLO, idempotency);
  const second = await ann.client.notifications.send(HELLO, idempotency);
  assert.equal(second.id, first.id);
  await waitForRecord(ann.client, first.id ?? assert.fail(), ({ counts }) => counts.accepted === 1);
  await phone.waitForRequests(1);
  await assert.rejects(ann.client.notifications.send({ ...HELLO, title: "Other" }, idempotency), {
    status: 400,
    code: "idempotency_mismatch",
  });
  assert.notEqual((await ben.client.notifications.send(HELLO, idempotency)).id, first.id);
});

test("a person's sends are rate-limited like a key's", async (t) => {
  const limits = { TOCSIN_RATE_LIMIT_PER_S: "1", TOCSIN_RATE_LIMIT_BURST: "2" };
  const app = await startApp(t, { environment: limits, isSingleProcess: true });
  const ann = await signUp(app, "Ann");
  await ann.client.notifications.send(HELLO);
  await ann.client.notifications.send(HELLO);
  await assert.rejects(ann.client.notifications.send(HELLO), { status: 429, code: "rate_limited" });
});
