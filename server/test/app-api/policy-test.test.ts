import assert from "node:assert/strict";
import test from "node:test";
import { addDevice, signUp, startApp } from "../support/app.ts";
import { addMember } from "../support/team-members.ts";

test("a test of a policy notifies each device of the first step once, with priority high, and opens no incident", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { phone, device } = await addDevice(app, ann, "Phone");
  const { device: paused, phone: pausedPhone } = await addDevice(app, ann, "Paused");
  await ann.client.devices.update(paused.id, { paused: true });
  const { phone: laterPhone, device: laterDevice } = await addDevice(app, ann, "Later");
  const group = await ann.client.groups.create({ name: "Nights", deviceIds: [device.id] });
  const policy = await ann.client.escalationPolicies.create({
    name: "Nights",
    steps: [
      {
        afterSeconds: 0,
        targets: [
          { kind: "group", groupId: group.id },
          { kind: "device", deviceId: device.id },
          { kind: "device", deviceId: paused.id },
          { kind: "mail" },
          { kind: "callback" },
        ],
      },
      { afterSeconds: 60, targets: [{ kind: "device", deviceId: laterDevice.id }] },
    ],
  });
  const result = await ann.client.escalationPolicies.test(policy.id);
  assert.deepEqual([result.deviceCount, result.personCount], [1, 1]);
  assert.deepEqual(
    result.targets.map(({ kind, omission }) => [kind, omission]),
    [
      ["group", null],
      ["device", null],
      ["device", "no_device"],
      ["mail", "unsupported"],
      ["callback", "unsupported"],
    ],
  );
  assert.equal(
    result.message,
    "The test notifies 1 person on 1 device. Targets without a device that is not paused: 1. A test sends no email and calls nothing back.",
  );
  const { text, urgency } = await phone.next();
  assert.match(text, /Test of the policy “Nights”.*Ann tests who is told first/s);
  assert.equal(urgency, "high");
  const [item, ...others] = (await ann.client.feed.list()).items;
  assert.deepEqual([item?.title, item?.priority], ["Test of the policy “Nights”", "high"]);
  assert.deepEqual(others, []);
  assert.deepEqual((await ann.client.incidents.list()).items, []);
  assert.deepEqual(
    [phone.requests.length, pausedPhone.requests.length, laterPhone.requests.length],
    [1, 0, 0],
  );
});

test("a test of a team's policy reaches members, passes over former members, and only managers may run it", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const ben = await signUp(app, "Ben");
  const eve = await signUp(app, "Eve");
  const { id: teamId } = await ann.client.teams.create({ name: "Ops" });
  const benId = await addMember(ann, teamId, ben);
  const eveId = await addMember(ann, teamId, eve);
  const { phone: annPhone } = await addDevice(app, ann, "Phone");
  const { phone: benPhone } = await addDevice(app, ben, "Ben's phone");
  const toTarget = (accountId: string) => ({ kind: "member", accountId }) as const;
  const policy = await ann.client.escalationPolicies.create({
    teamId,
    name: "On call",
    steps: [{ afterSeconds: 0, targets: [toTarget(benId), toTarget(eveId), { kind: "team" }] }],
  });
  await eve.client.teams.leave(teamId);
  const result = await ann.client.escalationPolicies.test(policy.id);
  assert.deepEqual([result.deviceCount, result.personCount], [2, 2]);
  assert.deepEqual(
    result.targets.map(({ omission }) => omission),
    [null, "missing", null],
  );
  await Promise.all([annPhone.waitForRequests(1), benPhone.waitForRequests(1)]);
  for (const { client } of [ben, eve])
    await assert.rejects(client.escalationPolicies.test(policy.id), {
      status: 404,
      code: "not_found",
    });
  const events = (await ann.client.profile.audit()).items;
  assert.ok(
    events.some(
      ({ action, subjectId }) => action === "escalation_policy_tested" && subjectId === policy.id,
    ),
  );
});

test("a test that reaches nobody leaves the feed empty, and says why", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const targets = [{ kind: "me" }] as const;
  const steps = [{ afterSeconds: 0, targets }];
  const policy = await ann.client.escalationPolicies.create({ name: "Nights", steps });
  const result = await ann.client.escalationPolicies.test(policy.id);
  assert.deepEqual([result.deviceCount, result.targets[0]?.omission], [0, "no_device"]);
  assert.match(result.message, /^The test notifies nobody\. Targets without a device/);
  assert.deepEqual((await ann.client.feed.list()).items, []);
});

test("a person who tests policies too often is refused by the rate limit", async (t) => {
  const app = await startApp(t, {
    environment: { TOCSIN_RATE_LIMIT_PER_S: "1", TOCSIN_RATE_LIMIT_BURST: "2" },
  });
  const ann = await signUp(app, "Ann");
  const steps = [{ afterSeconds: 0, targets: [{ kind: "me" }] }] as const;
  const { id } = await ann.client.escalationPolicies.create({ name: "Nights", steps });
  const results = await Promise.allSettled(
    Array.from({ length: 8 }, () => ann.client.escalationPolicies.test(id)),
  );
  const refusalCodes = results.flatMap((result) =>
    result.status === "rejected" ? [result.reason.code] : [],
  );
  assert.ok(refusalCodes.length > 0);
  assert.deepEqual(new Set(refusalCodes), new Set(["rate_limited"]));
});
