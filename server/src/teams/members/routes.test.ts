import assert from "node:assert/strict";
import { test } from "node:test";
import { fetchComparableResponse } from "../../../test/support/bearer.ts";
import { listMemberAccountIds, findMemberId } from "../../../test/support/team-members.ts";
import {
  startTeamsServer,
  type TeamsServer,
  type SignedInPerson,
} from "../../../test/support/teams-server.ts";

/** Creates Ann's team with Bob as a member, and returns their member ids. */
async function createAnnsTeam(
  server: TeamsServer,
  people: { ann: SignedInPerson; bob: SignedInPerson },
) {
  const { ann, bob } = people;
  const { id } = await ann.client.teams.create({ name: "Ops" });
  const bobMemberId = await server.join(ann, id, bob);
  return { id, annMemberId: await findMemberId(ann, id, ann), bobMemberId };
}

async function setUp(t: Parameters<typeof startTeamsServer>[0]) {
  const server = await startTeamsServer(t);
  const people = { ann: await server.addPerson("Ann"), bob: await server.addPerson("Bob") };
  return { server, people, ...people, team: await createAnnsTeam(server, people) };
}

test("a member id differs per team, and is never the account id", async (t) => {
  const { server, people, ann, bob, team } = await setUp(t);
  const otherTeam = await createAnnsTeam(server, people);
  const ids = [
    team.annMemberId,
    team.bobMemberId,
    otherTeam.annMemberId,
    otherTeam.bobMemberId,
    ann.id,
    bob.id,
  ];
  assert.equal(new Set(ids).size, ids.length);
  for (const { client } of [ann, bob]) {
    const { members } = await client.teams.get(team.id);
    assert.deepEqual(
      members.map(({ accountId }) => accountId),
      [team.annMemberId, team.bobMemberId],
    );
  }
});

test("isMe marks only the caller's own membership", async (t) => {
  const { ann, bob, team } = await setUp(t);
  for (const { client, email } of [ann, bob]) {
    const { members } = await client.teams.get(team.id);
    assert.deepEqual(
      members.filter(({ isMe }) => isMe).map((member) => member.email),
      [email],
    );
  }
});

test("an account that rejoins gets a new member id, and the old one is invalid", async (t) => {
  const { server, ann, bob, team } = await setUp(t);
  await ann.client.teams.removeMember(team.id, team.bobMemberId);
  const newMemberId = await server.join(ann, team.id, bob);
  assert.notEqual(newMemberId, team.bobMemberId);
  const notFoundError = { status: 404, code: "not_found" };
  await assert.rejects(ann.client.teams.removeMember(team.id, team.bobMemberId), notFoundError);
  await ann.client.teams.updateMember(team.id, newMemberId, { role: "admin" });
});

test("an account id, or the member id of a past or other membership, is treated as unknown", async (t) => {
  const { server, people, ann, bob, team } = await setUp(t);
  const otherTeam = await createAnnsTeam(server, people);
  await bob.client.teams.leave(team.id);
  const newMemberId = await server.join(ann, team.id, bob);
  const eve = await server.addPerson("Eve");
  await server.join(ann, team.id, eve);
  const wrongIds = [
    ann.id,
    bob.id,
    eve.id,
    team.bobMemberId,
    otherTeam.annMemberId,
    otherTeam.bobMemberId,
  ];
  // An owner gets `not_found`. Others get `forbidden`, as for any member.
  for (const { id, accessToken: bearer } of [ann, bob, eve]) {
    for (const request of [{ method: "PATCH", body: { role: "owner" } }, { method: "DELETE" }]) {
      const requestFor = (memberId: string) =>
        fetchComparableResponse(`${server.url}/api/app/v1/teams/${team.id}/members/${memberId}`, {
          bearer,
          ...request,
        });
      const unknownResponse = await requestFor(server.context.newId());
      assert.equal(unknownResponse.status, id === ann.id ? 404 : 403);
      for (const wrongId of wrongIds) assert.deepEqual(await requestFor(wrongId), unknownResponse);
    }
  }
  const currentMemberIds = await listMemberAccountIds(server.context, team.id);
  assert.deepEqual(currentMemberIds, [ann.id, bob.id, eve.id].toSorted());
  assert.equal((await ann.client.teams.get(team.id)).members[1]?.accountId, newMemberId);
});

test("a member can leave with its own member id", async (t) => {
  const { server, ann, bob, team } = await setUp(t);
  await bob.client.teams.removeMember(team.id, team.bobMemberId);
  assert.deepEqual(await listMemberAccountIds(server.context, team.id), [ann.id]);
});
