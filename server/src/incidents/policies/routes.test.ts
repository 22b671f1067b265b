import assert from "node:assert/strict";
import { test } from "node:test";
import { LIMITS } from "@tocsin/sdk";
import { fetchComparableResponse } from "../../../test/support/bearer.ts";
import { createSteps, startPoliciesServer } from "../../../test/support/policies-server.ts";
import { OPERATOR } from "#audit/event.ts";
import { createGroup } from "#devices/groups/create.ts";
import { deleteGroup } from "#devices/groups/store.ts";
import { removeDevice } from "#devices/store/retirement.ts";

const STEPS = createSteps({ kind: "me" });

test("a policy is created, listed, changed and removed", async (t) => {
  const { ann, context } = await startPoliciesServer(t);
  const { escalationPolicies } = ann.client;
  const policy = await escalationPolicies.create({ name: " Nights ", steps: STEPS });
  const createdAt = new Date(context.now()).toISOString();
  const nobody = { missing: false, deviceCount: 0, personCount: 0, reachesNobody: true };
  assert.deepEqual(policy, {
    id: policy.id,
    teamId: null,
    name: "Nights",
    steps: [{ afterSeconds: 0, targets: [{ kind: "me", name: "Ann", ...nobody }] }],
    remindAfterSeconds: null,
    createdAt,
    updatedAt: createdAt,
  });
  assert.deepEqual((await escalationPolicies.list()).items, [policy]);
  context.clock.advance(1_000);
  const change = { name: "Days", remindAfterSeconds: 600 };
  const changed = await escalationPolicies.update(policy.id, change);
  const updatedAt = new Date(context.now()).toISOString();
  assert.deepEqual(changed, { ...policy, ...change, updatedAt });
  const steps = [...STEPS, { afterSeconds: 60, targets: [{ kind: "mail" as const }] }];
  const longer = await escalationPolicies.update(policy.id, { steps, remindAfterSeconds: null });
  assert.equal(longer.remindAfterSeconds, null);
  assert.deepEqual(longer.steps[1]?.targets[0]?.kind, "mail");
  assert.deepEqual((await escalationPolicies.list()).items, [longer]);
  await escalationPolicies.remove(policy.id);
  assert.deepEqual((await escalationPolicies.list()).items, []);
  await assert.rejects(escalationPolicies.remove(policy.id), { status: 404, code: "not_found" });
});

test("a list has the policies of the account and of the teams that it manages, in pages", async (t) => {
  const { ann, bob, eve, teamId } = await startPoliciesServer(t);
  const names = ["a", "b", "c"];
  for (const name of names) {
    const team = name === "b" ? { teamId } : {};
    const steps = name === "b" ? createSteps({ kind: "team" }) : STEPS;
    await ann.client.escalationPolicies.create({ ...team, name, steps });
  }
  const first = await ann.client.escalationPolicies.list({ limit: 2 });
  const last = await ann.client.escalationPolicies.list({
    limit: 2,
    cursor: first.nextCursor ?? "",
  });
  assert.equal(last.nextCursor, null);
  const items = [...first.items, ...last.items];
  assert.deepEqual(
    items.map(({ name, teamId: owner }) => [name, owner]),
    names.map((name) => [name, name === "b" ? teamId : null]),
  );
  for (const person of [bob, eve]) {
    assert.deepEqual((await person.client.escalationPolicies.list()).items, []);
  }
});

test("a policy of a team looks missing to a plain member and to strangers", async (t) => {
  const { ann, bob, eve, teamId, url, context } = await startPoliciesServer(t);
  const steps = createSteps({ kind: "team" });
  const policy = await ann.client.escalationPolicies.create({ teamId, name: "Ops", steps });
  const requests = [
    { method: "PATCH", body: { name: "Mine" } },
    { method: "PATCH", body: { steps: "anything" } },
    { method: "DELETE" },
  ];
  for (const { id: bearer, client } of [bob, eve]) {
    for (const request of requests) {
      const requestPolicy = (id: string) =>
        fetchComparableResponse(`${url}/api/app/v1/escalation-policies/${id}`, {
          bearer,
          ...request,
        });
      const response = await requestPolicy(policy.id);
      assert.equal(response.status, 404);
      assert.deepEqual(response, await requestPolicy(context.newId()));
    }
    const creation = client.escalationPolicies.create({ teamId, name: "Mine", steps });
    await assert.rejects(creation, { status: 404, code: "not_found" });
  }
  assert.deepEqual((await ann.client.escalationPolicies.list()).items, [policy]);
});

test("two policies of an owner cannot have the same name, in any letter case", async (t) => {
  const { ann, bob, teamId } = await startPoliciesServer(t);
  const { escalationPolicies } = ann.client;
  const nameTaken = { status: 409, code: "conflict", field: "name" };
  await escalationPolicies.create({ name: "Größe", steps: STEPS });
  const create = (name: string) => escalationPolicies.create({ name, steps: STEPS });
  await assert.rejects(create("GRÖßE"), nameTaken);
  const days = await create("Days");
  await assert.rejects(escalationPolicies.update(days.id, { name: "größe" }), nameTaken);
  assert.equal((await escalationPolicies.update(days.id, { name: "DAYS" })).name, "DAYS");
  // Another owner may use the name.
  const steps = createSteps({ kind: "team" });
  await escalationPolicies.create({ teamId, name: "Größe", steps });
  await bob.client.escalationPolicies.create({ name: "Größe", steps: STEPS });
});

test("an account and a team have at most 50 policies each, even if all are created at once", async (t) => {
  const { ann, teamId } = await startPoliciesServer(t);
  const max = LIMITS.escalationPolicies;
  const steps = createSteps({ kind: "callback" });
  for (const owner of [{}, { teamId }]) {
    const creations = await Promise.allSettled(
      Array.from({ length: max + 10 }, (_, index) =>
        ann.client.escalationPolicies.create({ ...owner, name: `Policy ${index}`, steps }),
      ),
    );
    const refusals = creations.flatMap((result) =>
      result.status === "rejected" ? [result.reason] : [],
    );
    assert.equal(refusals.length, 10);
    for (const refusal of refusals) assert.equal(refusal.code, "conflict");
  }
  const { items } = await ann.client.escalationPolicies.list({ limit: 200 });
  assert.equal(items.length, 2 * max);
});

test("of many concurrent requests for policies with the same name, one succeeds", async (t) => {
  const { ann } = await startPoliciesServer(t);
  const { escalationPolicies } = ann.client;
  const create = () => escalationPolicies.create({ name: "Nights", steps: STEPS });
  const results = await Promise.allSettled(Array.from({ length: 8 }, create));
  assert.equal(results.filter(({ status }) => status === "fulfilled").length, 1);
  for (const result of results) {
    if (result.status === "rejected") assert.equal(result.reason.code, "conflict");
  }
});

test("an invalid field is named in the error", async (t) => {
  const { ann, teamId } = await startPoliciesServer(t);
  const { escalationPolicies } = ann.client;
  const cases = [
    [{ name: " ", steps: STEPS }, "name"],
    [{ name: "x".repeat(81), steps: STEPS }, "name"],
    [{ name: "P", steps: STEPS, remindAfterSeconds: 299 }, "remindAfterSeconds"],
    [{ name: "P", steps: [...STEPS, ...STEPS] }, "steps[1].afterSeconds"],
    [{ name: "P", steps: createSteps({ kind: "team" }) }, "steps[0].targets[0].kind"],
    [{ name: "P", steps: STEPS, teamId }, "steps[0].targets[0].kind"],
  ] as const;
  for (const [policy, field] of cases) {
    const refusal = { status: 400, code: "invalid_field", field };
    await assert.rejects(escalationPolicies.create(policy), refusal);
  }
  const { id } = await escalationPolicies.create({ name: "P", steps: STEPS });
  const noSteps = { status: 400, code: "invalid_field", field: "steps" };
  await assert.rejects(escalationPolicies.update(id, { steps: [] }), noSteps);
});

test("a target of another owner is refused like a missing one", async (t) => {
  const { ann, eve, teamId, addDevice, context, url } = await startPoliciesServer(t);
  const deviceId = await addDevice(eve.id, "phone");
  const group = { accountId: eve.id, name: "g", deviceIds: [deviceId] };
  const { id: groupId } = await createGroup(context, group);
  const request = (body: unknown) =>
    fetchComparableResponse(`${url}/api/app/v1/escalation-policies`, {
      bearer: ann.id,
      method: "POST",
      body,
    });
  const missingId = context.newId();
  const cases = [
    [{}, "group", "groupId", groupId],
    [{}, "device", "deviceId", deviceId],
    // A member is named by the member id, never by an account id.
    [{ teamId }, "member", "accountId", ann.id],
    [{ teamId }, "mail", "accountId", eve.id],
  ] as const;
  for (const [owner, kind, idName, foreignId] of cases) {
    const requestWith = (id: string) =>
      request({
        ...owner,
        name: "P",
        steps: [{ afterSeconds: 0, targets: [{ kind: "callback" }, { kind, [idName]: id }] }],
      });
    const response = await requestWith(foreignId);
    assert.equal(response.status, 400);
    assert.ok(response.text.includes(`"field":"steps[0].targets[1].${idName}"`), response.text);
    assert.deepEqual(response, await requestWith(missingId));
  }
});

test("a target whose group, device or member is gone reaches nobody, and is marked as missing", async (t) => {
  const server = await startPoliciesServer(t);
  const { ann, bob, context, teamId, bobMemberId: accountId } = server;
  const deviceId = await server.addDevice(ann.id, "Phone");
  await server.addDevice(bob.id, "Tablet");
  const group = { accountId: ann.id, name: "Night", deviceIds: [deviceId] };
  const { id: groupId } = await createGroup(context, group);
  const { escalationPolicies } = ann.client;
  const steps = createSteps({ kind: "group", groupId }, { kind: "device", deviceId });
  const ownPolicy = await escalationPolicies.create({ name: "Own", steps });
  const teamSteps = createSteps({ kind: "member", accountId }, { kind: "mail", accountId });
  await escalationPolicies.create({ name: "Team", steps: teamSteps, teamId });
  const listTargets = async () =>
    (await escalationPolicies.list()).items.flatMap(({ steps: [step] }) =>
      (step?.targets ?? []).map(({ name, missing, deviceCount, reachesNobody }) => ({
        name,
        missing,
        deviceCount,
        reachesNobody,
      })),
    );
  const reached = { missing: false, deviceCount: 1, reachesNobody: false };
  assert.deepEqual(await listTargets(), [
    { name: "Night", ...reached },
    { name: "Phone", ...reached },
    { name: "Bob", ...reached },
    { name: "Bob", ...reached, deviceCount: 0 },
  ]);
  await deleteGroup(context, { accountId: ann.id, groupId });
  await removeDevice(context, { actor: OPERATOR, accountId: ann.id, deviceId });
  await server.removeBob();
  const missingTarget = { name: null, missing: true, deviceCount: 0, reachesNobody: true };
  assert.deepEqual(await listTargets(), [
    missingTarget,
    missingTarget,
    missingTarget,
    missingTarget,
  ]);
  // A new name is accepted although targets are gone; new steps need existing targets.
  await escalationPolicies.update(ownPolicy.id, { name: "Renamed" });
  const field = "steps[0].targets[0].groupId";
  await assert.rejects(escalationPolicies.update(ownPolicy.id, { steps }), { status: 400, field });
});
