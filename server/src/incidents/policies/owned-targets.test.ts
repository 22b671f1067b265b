import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { EscalationTarget } from "@tocsin/sdk";
import { fetchComparableResponse } from "../../../test/support/bearer.ts";
import { createSteps, startPoliciesServer } from "../../../test/support/policies-server.ts";
import { OPERATOR } from "#audit/event.ts";
import { createGroup } from "#devices/groups/create.ts";
import { deleteGroup } from "#devices/groups/store.ts";
import { removeDevice } from "#devices/store/retirement.ts";

/** Starts a server with two managers, Ann and Bob, each with a device and a group that contains it. */
async function startManagers(t: TestContext) {
  const server = await startPoliciesServer(t);
  await server.promoteBob();
  const addOwned = async (accountId: string, name: string) => {
    const deviceId = await server.addDevice(accountId, `${name} phone`);
    const group = { accountId, name: `${name} nights`, deviceIds: [deviceId] };
    const { id: groupId } = await createGroup(server.context, group);
    return { deviceId, groupId, targets: createOwnedTargets(groupId, deviceId) };
  };
  return {
    ...server,
    annOwned: await addOwned(server.ann.id, "Ann's"),
    bobOwned: await addOwned(server.bob.id, "Bob's"),
  };
}

function createOwnedTargets(groupId: string, deviceId: string): readonly EscalationTarget[] {
  return [
    { kind: "group", groupId },
    { kind: "device", deviceId },
  ];
}

type Managers = Awaited<ReturnType<typeof startManagers>>;

/** Returns the targets of the first step of the team's only policy, as this manager sees them. */
async function readTargets({ client }: Managers["ann"]) {
  const { items } = await client.escalationPolicies.list();
  const [policy] = items.filter(({ teamId }) => teamId !== null);
  return policy?.steps[0]?.targets ?? assert.fail();
}

test("a team's policy reaches the group and the device of its author; other managers cannot see their names", async (t) => {
  const { ann, bob, teamId, annOwned } = await startManagers(t);
  const steps = createSteps(...annOwned.targets);
  const policy = await ann.client.escalationPolicies.create({ teamId, name: "Ops", steps });
  const reached = {
    ownerName: "Ann",
    missing: false,
    deviceCount: 1,
    personCount: 1,
    reachesNobody: false,
  };
  const [group, device] = annOwned.targets;
  const expected = [
    { ...group, name: "Ann's nights", ...reached },
    { ...device, name: "Ann's phone", ...reached },
  ];
  assert.deepEqual(policy.steps[0]?.targets, expected);
  assert.deepEqual(await readTargets(ann), expected);
  // Another manager sees the owner of the group and the device, but not their names.
  assert.deepEqual(
    await readTargets(bob),
    expected.map((target) => ({ ...target, name: null })),
  );
});

test("another manager may keep the groups and devices of a policy, but add only their own", async (t) => {
  const { ann, bob, teamId, annOwned, bobOwned, url, context } = await startManagers(t);
  const { escalationPolicies } = ann.client;
  const [annGroup, annDevice] = annOwned.targets;
  assert.ok(annGroup && annDevice);
  const steps = createSteps(annGroup);
  const policy = await escalationPolicies.create({ teamId, name: "Ops", steps });
  const keptSteps = createSteps(...bobOwned.targets, annGroup);
  await bob.client.escalationPolicies.update(policy.id, { steps: keptSteps });
  assert.deepEqual(
    (await readTargets(ann)).map(({ name, ownerName, deviceCount }) => [
      name,
      ownerName,
      deviceCount,
    ]),
    [
      [null, "Bob", 1],
      [null, "Bob", 1],
      ["Ann's nights", "Ann", 1],
    ],
  );
  const requestChange = (target: unknown) =>
    fetchComparableResponse(`${url}/api/app/v1/escalation-policies/${policy.id}`, {
      bearer: bob.id,
      method: "PATCH",
      body: { steps: [{ afterSeconds: 0, targets: [target] }] },
    });
  const refusal = await requestChange(annDevice);
  assert.equal(refusal.status, 400);
  assert.ok(refusal.text.includes('"field":"steps[0].targets[0].deviceId"'), refusal.text);
  assert.deepEqual(refusal, await requestChange({ kind: "device", deviceId: context.newId() }));
  // Only a policy that already contains the target lets another manager keep it.
  const creation = bob.client.escalationPolicies.create({ teamId, name: "Other", steps });
  await assert.rejects(creation, { status: 400, field: "steps[0].targets[0].groupId" });
  // Once a manager has removed the group, only its owner can add it again.
  await bob.client.escalationPolicies.update(policy.id, {
    steps: createSteps(...bobOwned.targets),
  });
  assert.equal((await requestChange(annGroup)).status, 400);
  assert.equal((await readTargets(ann)).length, 2);
});

test("a team's policy shows groups and devices as missing once they are deleted or their owner has left", async (t) => {
  const server = await startManagers(t);
  const { ann, bob, teamId, annOwned, bobOwned, context } = server;
  const steps = createSteps(...annOwned.targets);
  const policy = await ann.client.escalationPolicies.create({ teamId, name: "Ops", steps });
  const stepsOfBoth = createSteps(...annOwned.targets, ...bobOwned.targets);
  await bob.client.escalationPolicies.update(policy.id, { steps: stepsOfBoth });
  const listMissing = async () => (await readTargets(ann)).map(({ missing }) => missing);
  assert.deepEqual(await listMissing(), [false, false, false, false]);
  await server.removeBob();
  assert.deepEqual(await listMissing(), [false, false, true, true]);
  const { groupId, deviceId } = annOwned;
  await deleteGroup(context, { accountId: ann.id, groupId });
  await removeDevice(context, { actor: OPERATOR, accountId: ann.id, deviceId });
  const missingTarget = {
    name: null,
    missing: true,
    deviceCount: 0,
    personCount: 0,
    reachesNobody: true,
  };
  assert.deepEqual(
    await readTargets(ann),
    [...annOwned.targets, ...bobOwned.targets].map((target) => ({ ...target, ...missingTarget })),
  );
});
