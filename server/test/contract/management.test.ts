import assert from "node:assert/strict";
import test from "node:test";
import { addDevice, startApp, signUp, type TestPerson } from "../support/app.ts";
import { ask, codeOf, HELLO } from "./ask.ts";
import { linkToken } from "../support/link-token.ts";
import { memberIdOf } from "../support/membership.ts";

const PATH = "/api/management/v1/teams/invite";

async function join(owner: TestPerson, teamId: string, person: TestPerson) {
  const { link } = await owner.client.teams.invite(teamId, { email: person.email });
  await person.client.invitations.acceptToken(linkToken(link));
}

test("the answers are the texts of the specification, byte for byte, and a body is read on DELETE", async (t) => {
  const app = await startApp(t);
  const { client, key } = await signUp(app, "Ann");
  const { key: team } = await client.teams.create({ name: "Ops" });
  const ask1 = (method: string, type: string) =>
    ask(app.url, {
      method,
      path: PATH,
      headers: { "x-api-key": key.toUpperCase(), "content-type": type },
      body: JSON.stringify({ team: team.toUpperCase(), email: "Bob@Example.org", unknown: [1] }),
    });
  const invited = await ask1("POST", "application/json;charset=utf-8");
  assert.deepEqual(
    [invited.status, invited.text],
    [200, '{"success":true,"message":"Invite sent"}'],
  );
  const removed = await ask1("DELETE", "Application/JSON");
  assert.deepEqual(
    [removed.status, removed.text],
    [200, '{"success":true,"message":"Invite/member removed"}'],
  );
});

test("once an invitee accepts, team notifications reach them, and once removed no longer", async (t) => {
  const app = await startApp(t);
  const [ann, bob] = [await signUp(app, "Ann"), await signUp(app, "Bob")];
  const team = await ann.client.teams.create({ name: "Ops" });
  const sender = ann.withKey(team.key);
  const { phone } = await addDevice(app, bob);
  await ann.client.management.invite({ team: team.key, email: bob.email });
  assert.deepEqual((await sender.notify(HELLO)).responses, []);
  await join(ann, team.id, bob);
  assert.equal((await sender.notify(HELLO)).message, "Delivered to 1 of 1 device");
  const again = await ann.client.management.invite({ team: team.key, email: bob.email });
  assert.deepEqual(again, { success: true, message: "Invite sent" });
  await ann.client.management.remove({ team: team.key, email: bob.email });
  assert.deepEqual((await sender.notify(HELLO)).responses, []);
  assert.equal(phone.messages.length, 1);
});

test("only an owner or admin may invite or remove; a member and a stranger know no such team", async (t) => {
  const app = await startApp(t);
  const [ann, bob, eve] = [
    await signUp(app, "Ann"),
    await signUp(app, "Bob"),
    await signUp(app, "Eve"),
  ];
  const team = await ann.client.teams.create({ name: "Ops" });
  await join(ann, team.id, bob);
  const carl = { team: team.key, email: "carl@example.org" };
  for (const { client } of [bob, eve]) {
    const refused = { status: 400, code: "unknown_team" };
    await assert.rejects(client.management.invite(carl), refused);
    await assert.rejects(client.management.remove({ ...carl, email: ann.email }), refused);
  }
  const member = await memberIdOf(ann, team.id, bob);
  await ann.client.teams.updateMember(team.id, member, { role: "admin" });
  assert.equal((await bob.client.management.invite(carl)).success, true);
  await assert.rejects(ann.withKey(team.key).management.invite(carl), {
    status: 401,
    code: "wrong_key_kind",
  });
});

test("a revoked team key, and one in place of the account key, are told apart from nothing", async (t) => {
  const app = await startApp(t);
  const { client } = await signUp(app, "Ann");
  const { key: team, id } = await client.teams.create({ name: "Ops" });
  const listed = (await client.keys.list()).items.find(({ teamId }) => teamId === id);
  await client.keys.remove(listed?.id ?? "");
  const request = { team, email: "bob@example.org" };
  await assert.rejects(client.management.invite(request), { status: 400, code: "unknown_team" });
  const trailing = await ask(app.url, { method: "POST", path: `${PATH}/`, body: request });
  assert.deepEqual([trailing.status, codeOf(trailing)], [401, "missing_key"]);
});
