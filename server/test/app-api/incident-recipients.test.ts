import assert from "node:assert/strict";
import test from "node:test";
import type { IncidentEventName } from "@tocsin/sdk";
import { addDevice, signUp, startApp, type TestPerson } from "../support/app.ts";
import { addMember } from "../support/team-members.ts";

const ALARM = { title: "Disk full", body: "", priority: "emergency", incidentKey: "disk" } as const;
const PRIVATE = { title: "Only for me", body: "", incidentKey: "disk" } as const;
const EVENTS: readonly IncidentEventName[] = ["trigger", "acknowledge", "resolve"];
const REFUSED = { status: 400, code: "invalid_field", field: "incidentKey" };

/** Asserts that the person's only incident and feed line are as the first trigger left them. */
async function assertUntouched({ client }: TestPerson): Promise<void> {
  const { items } = await client.incidents.list();
  const facts = items.map(({ title, state, occurrences }) => [title, state, occurrences]);
  assert.deepEqual(facts, [["Disk full", "triggered", 1]]);
  const feed = (await client.feed.list()).items.map(({ title }) => title);
  assert.deepEqual(feed, ["Disk full"]);
}

test("a person's send to their own devices cannot change a team's open incident", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const ben = await signUp(app, "Ben");
  const { device } = await addDevice(app, ann);
  const group = await ann.client.groups.create({ name: "Desk", deviceIds: [device.id] });
  const { id: teamId } = await ann.client.teams.create({ name: "Ops" });
  await addMember(ann, teamId, ben);
  await ann.client.notifications.send({ ...ALARM, to: { kind: "team", teamId } });
  const others = [
    { kind: "account" },
    { kind: "group", groupId: group.id },
    { kind: "device", deviceId: device.id },
  ] as const;
  for (const to of others)
    for (const incidentEvent of EVENTS)
      await assert.rejects(
        ann.client.notifications.send({ ...PRIVATE, incidentEvent, to }),
        REFUSED,
        `${incidentEvent} ${to.kind}`,
      );
  await assertUntouched(ben);
});

test("a key's send to a group cannot change the incident of all devices, nor the other way round", async (t) => {
  const app = await startApp(t);
  const { client } = await signUp(app, "Ann");
  const group = await client.groups.create({ name: "Desk", deviceIds: [] });
  await client.notify(ALARM);
  for (const incidentEvent of EVENTS)
    await assert.rejects(client.notifyGroup(group.id, { ...PRIVATE, incidentEvent }), {
      ...REFUSED,
      message: /Send to that audience .* or use another incidentKey/,
    });
  const { incident } = await client.receipts.resolve({ incidentKey: "disk" });
  assert.equal(incident.occurrences, 1);
  const { incidentId } = await client.notifyGroup(group.id, ALARM);
  assert.notEqual(incidentId, incident.id);
  for (const incidentEvent of EVENTS)
    await assert.rejects(client.notify({ ...PRIVATE, incidentEvent }), REFUSED);
  const resolution = await client.notifyGroup(group.id, { ...ALARM, incidentEvent: "resolve" });
  assert.equal(resolution.message, "The incident is resolved.");
});

test("a manager who is demoted or removed can no longer change the team's incident", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const ben = await signUp(app, "Ben");
  const { id: teamId } = await ann.client.teams.create({ name: "Ops" });
  const memberId = await addMember(ann, teamId, ben);
  await ann.client.teams.updateMember(teamId, memberId, { role: "admin" });
  const to = { kind: "team", teamId } as const;
  await ben.client.notifications.send({ ...ALARM, to });
  await ann.client.teams.updateMember(teamId, memberId, { role: "member" });
  const assertRefused = async (status: number) => {
    for (const incidentEvent of EVENTS) {
      const request = { ...PRIVATE, incidentEvent };
      await assert.rejects(ben.client.notifications.send({ ...request, to }), { status });
      await assert.rejects(ben.client.notifications.send(request), REFUSED);
    }
  };
  await assertRefused(403);
  await ann.client.teams.removeMember(teamId, memberId);
  await assertRefused(404);
  await assertUntouched(ann);
});

test("a rotated key continues the incident of the key that it replaced", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { incidentId } = await ann.client.notify(ALARM);
  const [key] = (await ann.client.keys.list()).items;
  const rotated = await ann.client.keys.rotate(key?.id ?? "");
  const again = await ann.withKey(rotated.key).notify(ALARM);
  assert.deepEqual([again.incidentId, again.success], [incidentId, true]);
});

test("a retry gets the first response, even if the key's open incident has other recipients by then", async (t) => {
  const app = await startApp(t);
  const { client } = await signUp(app, "Ann");
  const group = await client.groups.create({ name: "Desk", deviceIds: [] });
  const options = { idempotencyKey: "alarm-1" };
  const first = await client.notify(ALARM, options);
  await client.receipts.resolve({ incidentKey: "disk" });
  await client.notifyGroup(group.id, ALARM);
  assert.deepEqual(await client.notify(ALARM, options), first);
});
