import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { addDevice, signUp, startApp, type TestApp, type TestPerson } from "../support/app.ts";
import { addMember } from "../support/team-members.ts";
import { createAccessToken, followLiveEvents } from "./follow-live-events.ts";

const ALARM = { title: "Disk full", body: "", priority: "emergency", incidentKey: "disk" } as const;

/** Opens a team's incident that rings Ben and Eve. */
async function ringMembers(t: TestContext) {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const ben = await signUp(app, "Ben");
  const eve = await signUp(app, "Eve");
  const { id: teamId, key } = await ann.client.teams.create({ name: "Ops" });
  const benId = await addMember(ann, teamId, ben);
  const eveId = await addMember(ann, teamId, eve);
  const { phone: benPhone } = await addDevice(app, ben);
  const { phone: evePhone } = await addDevice(app, eve);
  const targets = [benId, eveId].map((accountId) => ({ kind: "member", accountId }) as const);
  const steps = [{ afterSeconds: 0, targets }];
  await ann.client.escalationPolicies.create({ name: "Nights", teamId, steps });
  await ann.withKey(key).notify({ ...ALARM, escalation: "Nights" });
  await Promise.all([benPhone.waitForRequests(1), evePhone.waitForRequests(1)]);
  return { app, ann, ben, eve, teamId, benId, key, benPhone, evePhone };
}

/** Returns the titles in a person's own feed, even if the person can no longer sign in. */
async function readOwnFeed({ app }: TestApp, accountId: string): Promise<readonly string[]> {
  const rows = await app.context.database.db
    .selectFrom("feed_entry")
    .innerJoin("notification", "notification.id", "feed_entry.notification_id")
    .select("notification.title")
    .where("feed_entry.audience_id", "=", accountId)
    .execute();
  return rows.map(({ title }) => title);
}

type Members = Awaited<ReturnType<typeof ringMembers>>;

const DEPARTURES: readonly {
  readonly description: string;
  readonly depart: (members: Members) => Promise<unknown>;
  /** The titles that stay in the person's own feed. */
  readonly feed: readonly string[];
}[] = [
  {
    description: "leaves the team",
    depart: ({ ben, teamId }) => ben.client.teams.leave(teamId),
    feed: ["Disk full"],
  },
  {
    description: "is removed from the team",
    depart: ({ ann, teamId, benId }) => ann.client.teams.removeMember(teamId, benId),
    feed: ["Disk full"],
  },
  {
    description: "deletes the account",
    depart: ({ ben }) => ben.client.profile.delete({ password: "password of Ben" }),
    feed: [],
  },
];

for (const { description, depart, feed } of DEPARTURES) {
  test(`a person who ${description} while an incident rings gets no further updates`, async (t) => {
    const members = await ringMembers(t);
    const { app, ann, ben, eve, key, benPhone, evePhone } = members;
    await depart(members);
    await ann.withKey(key).notify({ ...ALARM, title: "Disk fuller" });
    await ann.withKey(key).notify({ ...ALARM, title: "Over", incidentEvent: "resolve" });
    await evePhone.waitForRequests(2);
    assert.deepEqual(await readOwnFeed(app, ben.accountId), feed);
    assert.deepEqual(await readOwnFeed(app, eve.accountId), ["Over"]);
    assert.equal(benPhone.requests.length, 1);
  });
}

async function follow(t: TestContext, app: TestApp, person: TestPerson) {
  return followLiveEvents(t, app, { accessToken: await createAccessToken(person) });
}

test("a former member gets no live event about the team's incident", async (t) => {
  const { app, ben, eve, teamId, ann, key } = await ringMembers(t);
  await ben.client.teams.leave(teamId);
  const benStream = await follow(t, app, ben);
  const eveStream = await follow(t, app, eve);
  await ann.withKey(key).notify({ ...ALARM, title: "Over", incidentEvent: "resolve" });
  const isIncidentEvent = ({ kind }: { readonly kind: string }) => kind === "incident";
  for (let count = 1; !eveStream.events.some(isIncidentEvent); count += 1)
    await eveStream.waitForEvents(count);
  // This later event arrives after all events that the change published.
  await ben.client.notify({ title: "Mine", body: "" });
  await benStream.waitForEvents(1);
  const [first] = benStream.events;
  assert.deepEqual(first?.kind === "notification" ? first.data.title : first?.kind, "Mine");
});

test("after its group is deleted, an incident stays in the feed and no longer rings the group's devices", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { device, phone } = await addDevice(app, ann);
  const group = await ann.client.groups.create({ name: "Desk", deviceIds: [device.id] });
  await ann.client.notifyGroup(group.id, ALARM);
  await phone.waitForRequests(1);
  const [incident] = (await ann.client.incidents.list()).items;
  await ann.client.groups.remove(group.id);
  await ann.client.incidents.ringAgain(incident?.id ?? "");
  await ann.client.incidents.resolve(incident?.id ?? "");
  assert.deepEqual(await readOwnFeed(app, ann.accountId), ["Resolved: Disk full"]);
  assert.equal(phone.requests.length, 1);
});
