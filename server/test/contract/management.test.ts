import assert from "node:assert/strict";
import test from "node:test";
import { addDevice, startApp, signUp, type TestPerson } from "../support/app.ts";
import { requestJson, parseErrorCode, HELLO } from "./http-requests.ts";
import { parseLinkToken } from "../support/link-token.ts";
import { findMemberId } from "../support/team-members.ts";

const PATH = "/api/management/v1/teams/invite";

async function joinTeam(owner: TestPerson, teamId: string, person: TestPerson) {
  const { link } = await owner.client.teams.invite(teamId, { email: person.email });
  await person.client.invitations.acceptToken(parseLinkToken(link));
}

test("responses equal the specification byte for byte, and DELETE reads a body", async (t) => {
  const app = await startApp(t);
  const { client, key } = await signUp(app, "Ann");
  const { key: team } = await client.teams.create({ name: "Ops" });
  const manage = (method: string, type: string) =>
    requestJson(app.url, {
      method,
      path: PATH,
      headers: { "x-api-key": key.toUpperCase(), "content-type": type },
      body: JSON.stringify({ team: team.toUpperCase(), email: "Bob@Example.org", unknown: [1] }),
    });
  const invited = await manage("POST", "application/json;charset=utf-8");
  assert.deepEqual(
    [invited.status, invited.text],
    [200, '{"success":true,"message":"Invite sent"}'],
  );
  const removalResponse = await manage("DELETE", "Application/JSON");
  assert.deepEqual(
    [removalResponse.status, removalResponse.text],
    [200, '{"success":true,"message":"Invite/member removed"}'],
  );
});

test("an invitee gets team notifications from acceptance until removal", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const bob = await signUp(app, "Bob");
  const team = await ann.client.teams.create({ name: "Ops" });
  const sender = ann.withKey(team.key);
  const { phone } = await addDevice(app, bob);
  await ann.client.management.invite({ team: team.key, email: bob.email });
  assert.deepEqual((await sender.notify(HELLO)).responses, []);
  await joinTeam(ann, team.id, bob);
  assert.equal((await sender.notify(HELLO)).message, "Delivered to 1 of 1 device");
  const repeated = await ann.client.management.invite({ team: team.key, email: bob.email });
  assert.deepEqual(repeated, { success: true, message: "Invite sent" });
  await ann.client.management.remove({ team: team.key, email: bob.email });
  assert.deepEqual((await sender.notify(HELLO)).responses, []);
  assert.equal(phone.messages.length, 1);
});

test("only owners and admins invite or remove; to others the team looks missing", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const bob = await signUp(app, "Bob");
  const eve = await signUp(app, "Eve");
  const team = await ann.client.teams.create({ name: "Ops" });
  await joinTeam(ann, team.id, bob);
  const carl = { team: team.key, email: "carl@example.org" };
  for (const { client } of [bob, eve]) {
    const unknownTeam = { status: 400, code: "unknown_team" };
    await assert.rejects(client.management.invite(carl), unknownTeam);
    await assert.rejects(client.management.remove({ ...carl, email: ann.email }), unknownTeam);
  }
  const bobAccountId = await findMemberId(ann, team.id, bob);
  await ann.client.teams.updateMember(team.id, bobAccountId, { role: "admin" });
  assert.equal((await bob.client.management.invite(carl)).success, true);
  await assert.rejects(ann.withKey(team.key).management.invite(carl), {
    status: 401,
    code: "wrong_key_kind",
  });
});

test("a revoked team key gets unknown_team, and a request without an account key gets missing_key", async (t) => {
  const app = await startApp(t);
  const { client } = await signUp(app, "Ann");
  const { key: team, id } = await client.teams.create({ name: "Ops" });
  const listedKey = (await client.keys.list()).items.find(({ teamId }) => teamId === id);
  await client.keys.remove(listedKey?.id ?? "");
  const request = { team, email: "bob@example.org" };
  await assert.rejects(client.management.invite(request), { status: 400, code: "unknown_team" });
  const trailing = await requestJson(app.url, { method: "POST", path: `${PATH}/`, body: request });
  assert.deepEqual([trailing.status, parseErrorCode(trailing)], [401, "missing_key"]);
});
