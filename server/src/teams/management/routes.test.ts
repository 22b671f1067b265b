import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { listMemberAccountIds } from "../../../test/support/team-members.ts";
import { startTeamsServer, type TeamsServer } from "../../../test/support/teams-server.ts";
import { parseLinkToken } from "../../../test/support/link-token.ts";

const HOUR_MS = 3_600_000;

async function createAnnsTeam(server: TeamsServer) {
  const ann = await server.addPerson("Ann");
  const { id, key } = await ann.client.teams.create({ name: "Ops" });
  return { ann, id, key };
}

/** Sends a request to the management API without the SDK, and returns the response as text. */
async function send(
  { url }: TeamsServer,
  init: { method?: string; headers?: Record<string, string>; body?: string },
) {
  const response = await fetch(`${url}/api/management/v1/teams/invite`, {
    method: "POST",
    ...init,
  });
  return { status: response.status, body: await response.text() };
}

const json = { "content-type": "application/json" };

test("an invitation and a removal return the documented bodies, byte for byte", async (t) => {
  const server = await startTeamsServer(t);
  const { ann, key } = await createAnnsTeam(server);
  const headers = { ...json, "x-api-key": ann.key };
  const body = JSON.stringify({ team: key, email: "bob@example.org" });
  assert.deepEqual(await send(server, { headers, body }), {
    status: 200,
    body: '{"success":true,"message":"Invite sent"}',
  });
  assert.deepEqual(await send(server, { method: "DELETE", headers, body }), {
    status: 200,
    body: '{"success":true,"message":"Invite/member removed"}',
  });
});

test("a repeated invitation, or one of a member, returns the same and sends no second email", async (t) => {
  const server = await startTeamsServer(t);
  const { ann, id, key } = await createAnnsTeam(server);
  const bob = await server.addPerson("Bob");
  const request = { team: key, email: bob.email };
  const { link } = await ann.client.teams.invite(id, { email: bob.email });
  const firstResponse = await ann.client.management.invite(request);
  assert.deepEqual(await ann.client.management.invite(request), firstResponse);
  // Links that were already shared still work.
  await bob.client.invitations.acceptToken(parseLinkToken(link));
  assert.deepEqual(await ann.client.management.invite(request), firstResponse);
  assert.equal((await server.listMails()).length, 1);
});

test("an invitation that is repeated after 24 hours is emailed again", async (t) => {
  const server = await startTeamsServer(t);
  const { ann, key } = await createAnnsTeam(server);
  const request = { team: key, email: "bob@example.org" };
  await ann.client.management.invite(request);
  server.context.clock.advance(24 * HOUR_MS - 1);
  await ann.client.management.invite(request);
  assert.deepEqual([(await server.listMails()).length, server.countMailWakes()], [1, 1]);
  server.context.clock.advance(1);
  await ann.client.management.invite(request);
  assert.deepEqual([(await server.listMails()).length, server.countMailWakes()], [2, 2]);
});

test("an invitation does not reveal whether the address has an account", async (t) => {
  const server = await startTeamsServer(t);
  const { ann, key } = await createAnnsTeam(server);
  await server.addPerson("Bob");
  const registeredResponse = await ann.client.management.invite({
    team: key,
    email: "bob@example.org",
  });
  const unknownResponse = await ann.client.management.invite({
    team: key,
    email: "eve@example.org",
  });
  assert.deepEqual(registeredResponse, unknownResponse);
});

test("removing an address revokes its invitation or removes its member", async (t) => {
  const server = await startTeamsServer(t);
  const { ann, id, key } = await createAnnsTeam(server);
  const bob = await server.addPerson("Bob");
  const request = { team: key, email: "BOB@example.org" };
  const { link } = await ann.client.teams.invite(id, { email: bob.email });
  await ann.client.management.remove(request);
  await assert.rejects(bob.client.invitations.acceptToken(parseLinkToken(link)), {
    code: "not_found",
  });
  await server.join(ann, id, bob);
  await ann.client.management.remove(request);
  assert.deepEqual(await listMemberAccountIds(server.context, id), [ann.id]);
  await assert.rejects(ann.client.management.remove(request), { status: 400, code: "not_found" });
});

test("the last owner cannot be removed, and an admin cannot remove an owner", async (t) => {
  const server = await startTeamsServer(t);
  const { ann, id, key } = await createAnnsTeam(server);
  const bob = await server.addPerson("Bob");
  const memberId = await server.join(ann, id, bob);
  await ann.client.teams.updateMember(id, memberId, { role: "admin" });
  const request = { team: key, email: ann.email };
  const lastOwnerError = { status: 400, code: "last_owner" };
  await assert.rejects(ann.client.management.remove(request), lastOwnerError);
  await assert.rejects(bob.client.management.remove(request), { status: 400, code: "not_found" });
  assert.equal((await listMemberAccountIds(server.context, id)).length, 2);
});

test("the key is checked before the body", async (t) => {
  const server = await startTeamsServer(t);
  const { key } = await createAnnsTeam(server);
  const body = "{broken";
  for (const method of ["POST", "DELETE"]) {
    const missingKeyResponse = await send(server, {
      method,
      headers: { "content-type": "text/plain" },
      body,
    });
    assert.equal(missingKeyResponse.status, 401);
    assert.equal(JSON.parse(missingKeyResponse.body).error, "missing_key");
    const invalidKeyHeaders = { ...json, "x-api-key": "<API_KEY>" };
    const invalidKeyResponse = await send(server, { method, headers: invalidKeyHeaders, body });
    assert.equal(invalidKeyResponse.status, 401);
    assert.equal(JSON.parse(invalidKeyResponse.body).error, "invalid_key");
    const teamKeyHeaders = { ...json, "x-api-key": key };
    const wrongKeyResponse = await send(server, { method, headers: teamKeyHeaders, body });
    assert.equal(wrongKeyResponse.status, 401);
    assert.equal(JSON.parse(wrongKeyResponse.body).error, "wrong_key_kind");
  }
});

test("an invalid body is 400 with a code and a message", async (t) => {
  const server = await startTeamsServer(t);
  const { ann, key } = await createAnnsTeam(server);
  const team = JSON.stringify(key);
  const cases = [
    ["{broken", "invalid_json"],
    ["[]", "invalid_field"],
    ["", "invalid_field"],
    [`{"email":"bob@example.org"}`, "invalid_field"],
    [`{"team":${team}}`, "invalid_field"],
    [`{"team":${team},"email":7}`, "invalid_field"],
    [`{"team":${team},"email":"bob"}`, "invalid_email"],
    [`{"team":${team},"email":"bob@example.org, eve@example.org"}`, "invalid_email"],
  ] as const;
  for (const method of ["POST", "DELETE"]) {
    for (const [body, code] of cases) {
      const headers = { ...json, "x-api-key": ann.key };
      const response = await send(server, { method, headers, body });
      assert.equal(response.status, 400, body);
      const parsedBody = JSON.parse(response.body);
      assert.deepEqual([parsedBody.success, parsedBody.error], [false, code], body);
      assert.equal(typeof parsedBody.message, "string");
    }
    const headers = { "content-type": "text/plain", "x-api-key": ann.key };
    const response = await send(server, { method, headers, body: "{}" });
    assert.equal(JSON.parse(response.body).error, "unsupported_content_type");
  }
  assert.deepEqual(await server.listMails(), []);
});

test("every invalid team key gets the same unknown_team response, byte for byte", async (t) => {
  const server = await startTeamsServer(t);
  const { ann, id, key } = await createAnnsTeam(server);
  const bob = await server.addPerson("Bob");
  const eve = await server.addPerson("Eve");
  await server.join(ann, id, bob);
  const ownTeam = await eve.client.teams.create({ name: "Eve's" });
  await server.revokeKey(ownTeam.key);
  const cases = [
    [eve, "<TEAM_KEY>"],
    [eve, randomUUID()],
    [eve, ownTeam.key],
    [eve, key],
    [eve, eve.key],
    [bob, key],
    [bob, ""],
  ] as const;
  const email = "carl@example.org";
  const responses = new Set<string>();
  for (const method of ["POST", "DELETE"]) {
    for (const [person, team] of cases) {
      const headers = { ...json, "x-api-key": person.key };
      const { status, body } = await send(server, {
        method,
        headers,
        body: JSON.stringify({ team, email }),
      });
      responses.add(`${status} ${body}`);
    }
  }
  assert.equal(responses.size, 1);
  assert.match([...responses][0] ?? "", /^400 \{"success":false,"error":"unknown_team",/);
});

test("the 21st invitation of a day is refused as invite_limit, but a repeated one is not", async (t) => {
  const server = await startTeamsServer(t);
  const { ann, key } = await createAnnsTeam(server);
  for (let count = 0; count < 20; count += 1) {
    await ann.client.management.invite({ team: key, email: `p${count}@example.org` });
  }
  const refusedInvitation = ann.client.management.invite({ team: key, email: "p20@example.org" });
  await assert.rejects(refusedInvitation, { status: 400, code: "invite_limit" });
  await ann.client.management.invite({ team: key, email: "p0@example.org" });
});
