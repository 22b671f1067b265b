import assert from "node:assert/strict";
import { test } from "node:test";
import type { EscalationTarget as RequestedTarget } from "@tocsin/sdk";
import {
  createSteps,
  startPoliciesServer,
  type PoliciesServer,
} from "../../../test/support/policies-server.ts";
import { createGroup } from "#devices/groups/create.ts";
import { findReach } from "./reach.ts";

/**
 * Creates a policy, and returns `[name, deviceCount, personCount, reachesNobody]` for each target of its step. Removes
 * the policy again.
 */
async function countReach(
  { ann }: Pick<PoliciesServer, "ann">,
  targets: readonly RequestedTarget[],
  owner: { readonly teamId?: string } = {},
) {
  const { escalationPolicies } = ann.client;
  const policy = await escalationPolicies.create({
    ...owner,
    name: "P",
    steps: createSteps(...targets),
  });
  await escalationPolicies.remove(policy.id);
  return policy.steps[0]?.targets.map(({ name, deviceCount, personCount, reachesNobody }) => [
    name,
    deviceCount,
    personCount,
    reachesNobody,
  ]);
}

test("a target counts the live devices that are not paused, and their people", async (t) => {
  const server = await startPoliciesServer(t);
  const { ann, bob, eve, context, teamId, bobMemberId: accountId } = server;
  const first = await server.addDevice(ann.id, "First");
  const second = await server.addDevice(ann.id, "Second");
  await server.addDevice(bob.id, "Bob's");
  await server.addDevice(eve.id, "Eve's");
  const group = { accountId: ann.id, name: "Both", deviceIds: [first, second] };
  const { id: groupId } = await createGroup(context, group);
  const targets: readonly RequestedTarget[] = [
    { kind: "me" },
    { kind: "group", groupId },
    { kind: "device", deviceId: second },
    { kind: "mail" },
    { kind: "callback" },
  ];
  const teamTargets: readonly RequestedTarget[] = [
    { kind: "team" },
    { kind: "member", accountId },
    { kind: "mail", accountId },
  ];
  assert.deepEqual(await countReach(server, targets), [
    ["Ann", 2, 1, false],
    ["Both", 2, 1, false],
    ["Second", 1, 1, false],
    ["Ann", 0, 1, false],
    [null, 0, 0, false],
  ]);
  assert.deepEqual(await countReach(server, teamTargets, { teamId }), [
    ["Ops", 3, 2, false],
    ["Bob", 1, 1, false],
    ["Bob", 0, 1, false],
  ]);
  const { db } = context.database;
  await db.updateTable("device").set({ paused_at: 1 }).where("id", "=", second).execute();
  await db.updateTable("account").set({ suspended_at: 1 }).where("id", "=", bob.id).execute();
  assert.deepEqual(await countReach(server, targets.slice(0, 3)), [
    ["Ann", 1, 1, false],
    ["Both", 1, 1, false],
    ["Second", 0, 0, true],
  ]);
  assert.deepEqual(await countReach(server, teamTargets, { teamId }), [
    ["Ops", 1, 1, false],
    ["Bob", 0, 0, true],
    ["Bob", 0, 0, true],
  ]);
});

test("an email target reaches only a verified address, and only on a server that sends emails", async (t) => {
  const server = await startPoliciesServer(t);
  const { ann, eve } = server;
  assert.deepEqual(await countReach(server, [{ kind: "mail" }]), [["Ann", 0, 1, false]]);
  assert.deepEqual(await countReach({ ann: eve }, [{ kind: "mail" }]), [["Eve", 0, 0, true]]);
  const target = { kind: "mail", memberId: null } as const;
  const reach = (accountId: string) =>
    findReach(server.context, { owner: { kind: "account", accountId }, targets: [target] });
  assert.deepEqual((await reach(eve.id))[0]?.mailTo, null);
  const mailTo = { accountId: ann.id, email: "ann@example.org" };
  assert.deepEqual((await reach(ann.id))[0]?.mailTo, mailTo);
  const silentServer = await startPoliciesServer(t, { sendsMail: false });
  assert.deepEqual(await countReach(silentServer, [{ kind: "mail" }]), [["Ann", 0, 0, true]]);
});

test("a target of devices has its audience, and a target for the other kind of owner has none", async (t) => {
  const { context, ann, bob, teamId, bobMemberId, addDevice } = await startPoliciesServer(t);
  const deviceId = await addDevice(ann.id, "Phone");
  const { id: accountId } = ann;
  const { id: groupId } = await createGroup(context, { accountId, name: "g", deviceIds: [] });
  const ownReach = await findReach(context, {
    owner: { kind: "account", accountId },
    targets: [
      { kind: "me" },
      { kind: "group", groupId },
      { kind: "device", deviceId },
      { kind: "callback" },
      // These targets belong in a team's policy. In an account's policy, they reach nobody.
      { kind: "team" },
      { kind: "member", memberId: bobMemberId },
    ],
  });
  assert.deepEqual(
    ownReach.map(({ audience }) => audience),
    [
      { kind: "account", accountId },
      { kind: "group", accountId, groupId },
      { kind: "device", accountId, deviceId },
      null,
      null,
      null,
    ],
  );
  const teamReach = await findReach(context, {
    owner: { kind: "team", teamId },
    targets: [
      { kind: "team" },
      { kind: "member", memberId: bobMemberId },
      { kind: "device", deviceId },
      { kind: "me" },
    ],
  });
  assert.deepEqual(
    teamReach.map(({ audience }) => audience),
    [{ kind: "team", teamId }, { kind: "account", accountId: bob.id }, null, null],
  );
});
