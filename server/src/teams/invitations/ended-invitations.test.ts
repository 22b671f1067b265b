import assert from "node:assert/strict";
import { test } from "node:test";
import { parseLinkToken } from "../../../test/support/link-token.ts";
import { startTeamsServer } from "../../../test/support/teams-server.ts";
import { listMembershipPeriods } from "../store/teams.ts";

test("a deleted team is gone for all members, with its keys and invitations", async (t) => {
  const server = await startTeamsServer(t);
  const ann = await server.addPerson("Ann");
  const bob = await server.addPerson("Bob");
  const { id, key } = await ann.client.teams.create({ name: "Ops" });
  await server.join(ann, id, bob);
  const { link } = await ann.client.teams.invite(id, { email: "eve@example.org" });
  const eve = await server.addPerson("Eve");
  server.changedTeamIds.length = 0;
  server.context.clock.advance(5);
  await ann.client.teams.remove(id);
  assert.deepEqual(server.changedTeamIds, [id]);
  await assert.rejects(bob.client.teams.get(id), { status: 404 });
  assert.deepEqual((await ann.client.teams.list()).items, []);
  assert.deepEqual((await eve.client.invitations.list()).items, []);
  const token = parseLinkToken(link);
  await assert.rejects(eve.client.invitations.acceptToken(token), { code: "not_found" });
  const request = { team: key, email: eve.email };
  await assert.rejects(ann.client.management.invite(request), { code: "unknown_team" });
  // A valid team key would be refused as `wrong_key_kind`.
  const withTeamKey = server.createClientWithKey(ann, key);
  await assert.rejects(withTeamKey.management.invite(request), { code: "invalid_key" });
  const [membership] = await listMembershipPeriods(server.context, bob.id);
  assert.equal((membership?.leftAt ?? 0) - (membership?.joinedAt ?? 0), 5);
});

test("invitations are revoked when their creator may no longer invite", async (t) => {
  const server = await startTeamsServer(t);
  const ann = await server.addPerson("Ann");
  const bob = await server.addPerson("Bob");
  const { id } = await ann.client.teams.create({ name: "Ops" });
  const memberId = await server.join(ann, id, bob);
  await ann.client.teams.invite(id, { email: "kept@example.org" });
  for (const [email, end] of [
    ["one@example.org", () => ann.client.teams.updateMember(id, memberId, { role: "member" })],
    ["two@example.org", () => ann.client.teams.removeMember(id, memberId)],
  ] as const) {
    await ann.client.teams.updateMember(id, memberId, { role: "admin" });
    await bob.client.teams.invite(id, { email });
    await end();
    const { invitations } = await ann.client.teams.get(id);
    assert.deepEqual(
      invitations.map((invitation) => invitation.email),
      ["kept@example.org"],
    );
  }
});
