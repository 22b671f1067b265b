import assert from "node:assert/strict";
import { test } from "node:test";
import { fetchComparableResponse } from "../../../test/support/bearer.ts";
import { createSteps, startPoliciesServer } from "../../../test/support/policies-server.ts";

const STEPS = createSteps({ kind: "me" });

test("a key can have only a policy of its own owner, and keeps it when its label changes", async (t) => {
  const { ann, bob, teamId, url, context } = await startPoliciesServer(t);
  const { escalationPolicies, keys } = ann.client;
  const ownPolicy = await escalationPolicies.create({ name: "Own", steps: STEPS });
  const teamPolicyInput = { teamId, name: "Team", steps: createSteps({ kind: "team" }) };
  const teamPolicy = await escalationPolicies.create(teamPolicyInput);
  const bobPolicy = await bob.client.escalationPolicies.create({ name: "Bob's", steps: STEPS });
  const key = await keys.create({ kind: "account" });
  const teamKey = await keys.create({ kind: "team", teamId });
  assert.equal(key.escalationPolicyId, null);
  const assignPolicy = (keyId: string, escalationPolicyId: string) =>
    fetchComparableResponse(`${url}/api/app/v1/keys/${keyId}`, {
      bearer: ann.id,
      method: "PATCH",
      body: { escalationPolicyId },
    });
  const refusal = await assignPolicy(key.id, context.newId());
  assert.equal(refusal.status, 400);
  assert.match(refusal.text, /"field":"escalationPolicyId"/);
  for (const id of [teamPolicy.id, bobPolicy.id])
    assert.deepEqual(await assignPolicy(key.id, id), refusal);
  assert.deepEqual(await assignPolicy(teamKey.id, ownPolicy.id), refusal);
  const changed = await keys.update(key.id, { escalationPolicyId: ownPolicy.id });
  assert.equal(changed.escalationPolicyId, ownPolicy.id);
  await keys.update(teamKey.id, { escalationPolicyId: teamPolicy.id });
  // Other changes keep the policy.
  assert.equal((await keys.update(key.id, { label: "cron" })).escalationPolicyId, ownPolicy.id);
  assert.deepEqual(
    (await keys.list()).items.map(({ escalationPolicyId }) => escalationPolicyId),
    [ownPolicy.id, teamPolicy.id],
  );
  const cleared = await keys.update(key.id, { escalationPolicyId: null });
  assert.equal(cleared.escalationPolicyId, null);
});

test("the removal of a policy clears it from all of its keys, and other keys keep theirs", async (t) => {
  const { ann } = await startPoliciesServer(t);
  const { escalationPolicies, keys } = ann.client;
  const removed = await escalationPolicies.create({ name: "Removed", steps: STEPS });
  const kept = await escalationPolicies.create({ name: "Kept", steps: STEPS });
  for (const { id: escalationPolicyId } of [removed, removed, kept]) {
    const { id } = await keys.create({ kind: "account" });
    await keys.update(id, { escalationPolicyId });
  }
  await escalationPolicies.remove(removed.id);
  assert.deepEqual(
    (await keys.list()).items.map(({ escalationPolicyId }) => escalationPolicyId),
    [null, null, kept.id],
  );
});

test("a key never keeps the id of a policy that was removed while a person assigned it to the key", async (t) => {
  const { ann } = await startPoliciesServer(t);
  const { escalationPolicies, keys } = ann.client;
  const ids: string[] = [];
  for (let count = 0; count < 4; count += 1) {
    ids.push((await keys.create({ kind: "account" })).id);
  }
  for (let round = 0; round < 12; round += 1) {
    const policy = await escalationPolicies.create({ name: `P${round}`, steps: STEPS });
    const assignPolicy = (id: string) => keys.update(id, { escalationPolicyId: policy.id });
    const assignments = ids.slice(0, 2).map(assignPolicy);
    const removal = escalationPolicies.remove(policy.id);
    const results = await Promise.allSettled([...assignments, ...ids.slice(2).map(assignPolicy)]);
    await removal;
    for (const result of results) {
      if (result.status === "fulfilled") continue;
      assert.equal(result.reason.field, "escalationPolicyId", String(result.reason));
    }
    const { items } = await keys.list();
    assert.deepEqual(
      items.map(({ escalationPolicyId }) => escalationPolicyId),
      ids.map(() => null),
    );
  }
});
