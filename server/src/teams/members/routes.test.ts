import assert from "node:assert/strict";
import { test } from "node:test";
import { rawAnswer } from "../../../test/support/bearer.ts";
import { memberAccounts, memberIdOf } from "../../../test/support/membership.ts";
import { teamServer, type TeamServer, type TestPerson } from "../../../test/support/teams.ts";

/** Creates a team of Ann's with Bob in it, and returns their member ids. */
async function annsTeam(server: TeamServer, people: { ann: TestPerson; bob: TestPerson }) {
  const { ann, bob } = people;
  const { id } = await ann.client.teams.create({ name: "Ops" });
  const bobs = await server.join(ann, id, bob);
  return { id, anns: await memberIdOf(ann, id, ann), bobs };
}

async function start(t: Parameters<typeof teamServer>[0]) {
  const server = await teamServer(t);
  const people = { ann: await server.person("Ann"), bob: await server.person("Bob") };
  return { server, people, ...people, team: await annsTeam(server, people) };
}

test("a person has a different id in every team, and none is the account's", async (t) => {
  const { server, people, ann, bob, team } = await start(t);
  const other = await annsTeam(server, people);
  const ids = [team.anns, team.bobs, other.anns, other.bobs, ann.id, bob.id];
  assert.equal(new Set(ids).size, ids.length);
  for (const { client } of [ann, bob]) {
    const { members } = await client.teams.get(team.id);
    assert.deepEqual(
      members.map(({ accountId }) => accountId),
      [team.anns, team.bobs],
    );
  }
});

test("everybody sees which member they are", async (t) => {
  const { ann, bob, team } = await start(t);
  for (const { client, email } of [ann, bob]) {
    const { members } = await client.teams.get(team.id);
    assert.deepEqual(
      members.filter(({ isMe }) => isMe).map((member) => member.email),
      [email],
    );
  }
});

test("a person who rejoins has another member id, and the old one is unknown", async (t) => {
  const { server, ann, bob, team } = await start(t);
  await ann.client.teams.removeMember(team.id, team.bobs);
  const again = await server.join(ann, team.id, bob);
  assert.notEqual(again, team.bobs);
  const missing = { status: 404, code: "not_found" };
  await assert.rejects(ann.client.teams.removeMember(team.id, team.bobs), missing);
  await ann.client.teams.updateMember(team.id, again, { role: "admin" });
});

test("the id of an account, of a former stay or of another team's member is answered like an unknown one", async (t) => {
  const { server, people, ann, bob, team } = await start(t);
  const other = await annsTeam(server, people);
  await bob.client.teams.leave(team.id);
  const now = await server.join(ann, team.id, bob);
  const eve = await server.person("Eve");
  await server.join(ann, team.id, eve);
  const wrong = [ann.id, bob.id, eve.id, team.bobs, other.anns, other.bobs];
  // An owner gets `not_found`; others get `forbidden`, as for any member.
  for (const { id, accessToken: bearer } of [ann, bob, eve]) {
    for (const asking of [{ method: "PATCH", body: { role: "owner" } }, { method: "DELETE" }]) {
      const answerTo = (memberId: string) =>
        rawAnswer(`${server.url}/api/app/v1/teams/${team.id}/members/${memberId}`, {
          bearer,
          ...asking,
        });
      const unknown = await answerTo(server.context.newId());
      assert.equal(unknown.status, id === ann.id ? 404 : 403);
      for (const one of wrong) assert.deepEqual(await answerTo(one), unknown);
    }
  }
  const present = await memberAccounts(server.context, team.id);
  assert.deepEqual(present, [ann.id, bob.id, eve.id].toSorted());
  assert.equal((await ann.client.teams.get(team.id)).members[1]?.accountId, now);
});

test("everybody may leave by their own member id", async (t) => {
  const { server, ann, bob, team } = await start(t);
  await bob.client.teams.removeMember(team.id, team.bobs);
  assert.deepEqual(await memberAccounts(server.context, team.id), [ann.id]);
});
