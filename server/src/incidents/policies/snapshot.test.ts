import assert from "node:assert/strict";
import { test } from "node:test";
import { recordQueries } from "../../../test/support/query-plans.ts";
import { createSteps, startPoliciesServer } from "../../../test/support/policies-server.ts";
import { findPolicySnapshot } from "./snapshot.ts";

const STEPS = createSteps({ kind: "me" });
const TEAM_STEPS = createSteps({ kind: "team" });
const UNKNOWN = { code: "invalid_field", field: "escalation" };

test("a request names a policy of the key's owner by id, or by name in any letter case", async (t) => {
  const { ann, bob, teamId, context } = await startPoliciesServer(t);
  const { escalationPolicies, keys } = ann.client;
  const ownPolicy = await escalationPolicies.create({ name: "Nights", steps: STEPS });
  const teamPolicy = await escalationPolicies.create({ teamId, name: "Ops", steps: TEAM_STEPS });
  const { id: keyId } = await keys.create({ kind: "account" });
  const find = (idOrName: string, owner: { accountId: string; teamId: string | null }) =>
    findPolicySnapshot(context, { owner, keyId, idOrName });
  const annOwner = { accountId: ann.id, teamId: null };
  const snapshot = {
    policyId: ownPolicy.id,
    name: "Nights",
    steps: [{ afterSeconds: 0, targets: [{ kind: "me" }] }],
    remindAfterSeconds: null,
  };
  for (const name of [ownPolicy.id, "Nights", " nIGHTS "]) {
    assert.deepEqual(await find(name, annOwner), snapshot);
  }
  const teamOwner = { accountId: ann.id, teamId };
  assert.equal((await find("ops", teamOwner))?.policyId, teamPolicy.id);
  await assert.rejects(find("ops", annOwner), UNKNOWN);
  await assert.rejects(find("nights", teamOwner), UNKNOWN);
  await assert.rejects(find(ownPolicy.id, { accountId: bob.id, teamId: null }), UNKNOWN);
  await assert.rejects(find("", annOwner), UNKNOWN);
});

test("a text that is the id of one policy and the name of another means the id", async (t) => {
  const { ann, context } = await startPoliciesServer(t);
  const first = await ann.client.escalationPolicies.create({ name: "First", steps: STEPS });
  await ann.client.escalationPolicies.create({ name: first.id, steps: STEPS });
  const owner = { accountId: ann.id, teamId: null };
  const snapshot = await findPolicySnapshot(context, { owner, keyId: "", idOrName: first.id });
  assert.equal(snapshot?.name, "First");
});

test("a request that names no policy uses the policy of its key, also after a rotation, and finds it in one read", async (t) => {
  const { ann, context } = await startPoliciesServer(t);
  const { escalationPolicies, keys } = ann.client;
  const policy = await escalationPolicies.create({ name: "Nights", steps: STEPS });
  const key = await keys.create({ kind: "account" });
  const owner = { accountId: ann.id, teamId: null };
  const { context: recordedContext, captureQueries } = recordQueries(context);
  const find = async (keyId: string) => {
    let snapshot = null;
    const queries = await captureQueries(async () => {
      snapshot = await findPolicySnapshot(recordedContext, { owner, keyId, idOrName: null });
    });
    assert.equal(queries.length, 1);
    return snapshot;
  };
  assert.equal(await find(key.id), null);
  await keys.update(key.id, { escalationPolicyId: policy.id });
  const snapshot = await findPolicySnapshot(context, { owner, keyId: key.id, idOrName: null });
  assert.equal(snapshot?.policyId, policy.id);
  const rotated = await keys.rotate(key.id);
  assert.equal(rotated.escalationPolicyId, policy.id);
  assert.deepEqual(await find(rotated.id), snapshot);
  await escalationPolicies.remove(policy.id);
  assert.equal(await find(rotated.id), null);
});
