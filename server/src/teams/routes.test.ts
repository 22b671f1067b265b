import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client } from "@tocsin/sdk";
import { listMemberAccountIds, findMemberId } from "../../test/support/team-members.ts";
import { insertDevice } from "../../test/support/context.ts";
import { startTeamsServer } from "../../test/support/teams-server.ts";
import { OWNED_TEAMS_MAX } from "./create-team.ts";
import { isManager, listMembershipPeriods } from "./store/teams.ts";

test("the creator of a team is its owner, and its key works immediately", async (t) => {
  const server = await startTeamsServer(t);
  const ann = await server.addPerson("Ann");
  const team = await ann.client.teams.create({ name: "  Night shift " });
  assert.deepEqual(Object.keys(team), ["id", "name", "role", "key"]);
  assert.equal(team.name, "Night shift");
  assert.equal(team.role, "owner");
  const request = { team: team.key, email: "bob@example.org" };
  assert.equal((await ann.client.management.invite(request)).message, "Invite sent");
  assert.deepEqual((await ann.client.teams.list()).items, [
    { id: team.id, name: "Night shift", role: "owner" },
  ]);
});

test("a team whose key cannot be stored is not created", async (t) => {
  const server = await startTeamsServer(t);
  const ann = await server.addPerson("Ann");
  const { db } = server.context.database;
  await db.schema.dropTable("api_key").execute();
  await assert.rejects(ann.client.teams.create({ name: "Ops" }), { code: "internal" });
  assert.deepEqual((await ann.client.teams.list()).items, []);
  assert.deepEqual(await db.selectFrom("team").select("id").execute(), []);
});

test("a team with an invalid name is refused", async (t) => {
  const server = await startTeamsServer(t);
  const ann = await server.addPerson("Ann");
  const refusal = { status: 400, code: "invalid_field", field: "name" };
  await assert.rejects(ann.client.teams.create({ name: " " }), refusal);
  await assert.rejects(ann.client.teams.create({ name: "x".repeat(81) }), refusal);
});

test("the list of teams is paginated and contains only the caller's teams", async (t) => {
  const server = await startTeamsServer(t);
  const ann = await server.addPerson("Ann");
  const bob = await server.addPerson("Bob");
  await bob.client.teams.create({ name: "Bob's" });
  for (const name of ["one", "two", "three"]) await ann.client.teams.create({ name });
  const firstPage = await ann.client.teams.list({ limit: 2 });
  assert.deepEqual(
    firstPage.items.map(({ name }) => name),
    ["one", "two"],
  );
  const lastPage = await ann.client.teams.list({ limit: 2, cursor: firstPage.nextCursor ?? "" });
  assert.deepEqual(
    lastPage.items.map(({ name }) => name),
    ["three"],
  );
  assert.equal(lastPage.nextCursor, null);
});

test("a team shows its members with devices, and its invitations only to managers", async (t) => {
  const server = await startTeamsServer(t);
  const ann = await server.addPerson("Ann");
  const bob = await server.addPerson("Bob");
  const { id } = await ann.client.teams.create({ name: "Ops" });
  await server.join(ann, id, bob);
  for (const endpoint of ["https://a.example/1", "https://a.example/2"]) {
    const address = { provider: "webpush", endpoint, keys: { p256dh: "", auth: "" } } as const;
    const device = { accountId: ann.id, name: "Laptop", platform: "web", address } as const;
    await insertDevice(server.context, device);
  }
  await ann.client.teams.invite(id, { email: "eve@example.org" });
  const annView = await ann.client.teams.get(id);
  assert.deepEqual(
    annView.members.map(({ accountId: _memberId, ...member }) => member),
    [
      {
        isMe: true,
        email: ann.email,
        name: "Ann",
        role: "owner",
        deviceCount: 2,
        deviceLeftAt: null,
      },
      {
        isMe: false,
        email: bob.email,
        name: "Bob",
        role: "member",
        deviceCount: 0,
        deviceLeftAt: null,
      },
    ],
  );
  assert.deepEqual(
    annView.invitations.map((invitation) => ({ ...invitation, id: "" })),
    [
      {
        id: "",
        email: "eve@example.org",
        createdAt: "2026-01-01T00:00:00.000Z",
        expiresAt: "2026-01-08T00:00:00.000Z",
      },
    ],
  );
  const bobView = await bob.client.teams.get(id);
  assert.equal(bobView.role, "member");
  assert.deepEqual(bobView.invitations, []);
});

test("another account's team and a missing one get the same response", async (t) => {
  const server = await startTeamsServer(t);
  const ann = await server.addPerson("Ann");
  const bob = await server.addPerson("Bob");
  const { id } = await ann.client.teams.create({ name: "Ops" });
  const memberId = await findMemberId(ann, id, ann);
  const paths: readonly (readonly [string, string, object?])[] = [
    ["GET", ""],
    ["PATCH", "", { name: "Mine" }],
    ["DELETE", ""],
    ["POST", "/leave", {}],
    ["POST", "/invitations", { email: "eve@example.org" }],
    ["DELETE", "/invitations/x"],
    ["PATCH", `/members/${memberId}`, { role: "admin" }],
    ["DELETE", `/members/${memberId}`],
  ];
  for (const [method, path, body] of paths) {
    const requestFor = async (teamId: string) => {
      const response = await fetch(`${server.url}/api/app/v1/teams/${teamId}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${bob.accessToken}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      assert.equal(response.status, 404, `${method} ${path}`);
      const requestId = response.headers.get("x-request-id") ?? "none";
      return (await response.text()).replace(requestId, "");
    };
    assert.equal(await requestFor(id), await requestFor("missing"), `${method} ${path}`);
  }
  assert.deepEqual(await listMemberAccountIds(server.context, id), [ann.id]);
});

test("concurrent requests cannot exceed the limit of owned teams", async (t) => {
  const server = await startTeamsServer(t);
  const ann = await server.addPerson("Ann");
  const bob = await server.addPerson("Bob");
  const { id } = await bob.client.teams.create({ name: "Bob's" });
  await server.join(bob, id, ann);
  const ownedTeamCount = OWNED_TEAMS_MAX - 2;
  for (let count = 0; count < ownedTeamCount; count += 1)
    await ann.client.teams.create({ name: "Ops" });
  const results = await Promise.allSettled(
    Array.from({ length: 4 }, () => ann.client.teams.create({ name: "Ops" })),
  );
  const refusalCodes = results.flatMap((result) =>
    result.status === "rejected" ? [result.reason.code] : [],
  );
  assert.deepEqual(refusalCodes, ["conflict", "conflict"]);
  const [firstTeam] = (await ann.client.teams.list()).items.filter(({ role }) => role === "owner");
  await ann.client.teams.remove(firstTeam?.id ?? "");
  await ann.client.teams.create({ name: "Ops" });
  const { context } = server;
  const teams = await context.database.db.selectFrom("team").select("id").execute();
  assert.equal(teams.length, OWNED_TEAMS_MAX + 2);
});

test("the advice at the limit of owned teams works", async (t) => {
  const server = await startTeamsServer(t);
  const ann = await server.addPerson("Ann");
  const bob = await server.addPerson("Bob");
  const { id } = await ann.client.teams.create({ name: "Ops" });
  const bobMemberId = await server.join(ann, id, bob);
  for (let count = 1; count < OWNED_TEAMS_MAX; count += 1)
    await ann.client.teams.create({ name: "Ops" });
  const refusal = {
    code: "conflict",
    message: /make another member an owner of it and leave it/,
  };
  await ann.client.teams.updateMember(id, bobMemberId, { role: "owner" });
  await assert.rejects(ann.client.teams.create({ name: "Ops" }), refusal);
  await ann.client.teams.leave(id);
  await ann.client.teams.create({ name: "Ops" });
});

test("owners and admins can rename a team, members cannot, and admins cannot delete it", async (t) => {
  const server = await startTeamsServer(t);
  const ann = await server.addPerson("Ann");
  const bob = await server.addPerson("Bob");
  const { id } = await ann.client.teams.create({ name: "Ops" });
  const memberId = await server.join(ann, id, bob);
  const forbiddenError = { status: 403, code: "forbidden" };
  await assert.rejects(bob.client.teams.update(id, { name: "Bob's" }), forbiddenError);
  await ann.client.teams.updateMember(id, memberId, { role: "admin" });
  const renamedTeam = await bob.client.teams.update(id, { name: "Day shift" });
  assert.deepEqual(renamedTeam, { id, name: "Day shift", role: "admin" });
  await assert.rejects(bob.client.teams.remove(id), forbiddenError);
});

test("a role change follows the rules and returns the member", async (t) => {
  const server = await startTeamsServer(t);
  const ann = await server.addPerson("Ann");
  const bob = await server.addPerson("Bob");
  const { id } = await ann.client.teams.create({ name: "Ops" });
  const bobMemberId = await server.join(ann, id, bob);
  const annMemberId = await findMemberId(ann, id, ann);
  const admin = await ann.client.teams.updateMember(id, bobMemberId, { role: "admin" });
  assert.deepEqual(admin, {
    accountId: bobMemberId,
    isMe: false,
    email: bob.email,
    name: "Bob",
    role: "admin",
    deviceCount: 0,
    deviceLeftAt: null,
  });
  assert.equal(await isManager(server.context, { teamId: id, accountId: bob.id }), true);
  const demotion = ann.client.teams.updateMember(id, annMemberId, { role: "member" });
  await assert.rejects(demotion, { status: 409, code: "last_owner" });
  await assert.rejects(bob.client.teams.updateMember(id, bobMemberId, { role: "owner" }), {
    code: "forbidden",
  });
  await ann.client.teams.updateMember(id, bobMemberId, { role: "owner" });
  const changedMember = await ann.client.teams.updateMember(id, annMemberId, { role: "member" });
  assert.equal(changedMember.isMe, true);
  assert.equal(await isManager(server.context, { teamId: id, accountId: ann.id }), false);
  await assert.rejects(ann.client.teams.updateMember(id, "missing", { role: "admin" }), {
    code: "forbidden",
  });
  const role = "chief" as "admin"; // Callers without types can send it.
  await assert.rejects(bob.client.teams.updateMember(id, annMemberId, { role }), {
    code: "invalid_field",
    field: "role",
  });
});

test("leaving and rejoining creates two memberships", async (t) => {
  const server = await startTeamsServer(t);
  const { clock } = server.context;
  const ann = await server.addPerson("Ann");
  const bob = await server.addPerson("Bob");
  const { id } = await ann.client.teams.create({ name: "Ops" });
  const start = clock.now();
  await server.join(ann, id, bob);
  clock.advance(10);
  await bob.client.teams.leave(id);
  assert.deepEqual(await listMemberAccountIds(server.context, id), [ann.id]);
  clock.advance(10);
  await server.join(ann, id, bob);
  assert.deepEqual(await listMembershipPeriods(server.context, bob.id), [
    { teamId: id, joinedAt: start, leftAt: start + 10 },
    { teamId: id, joinedAt: start + 20, leftAt: null },
  ]);
  assert.deepEqual(server.changedTeamIds, [id, id, id]);
});

test("the last owner cannot leave or be removed, even by concurrent requests", async (t) => {
  const server = await startTeamsServer(t);
  const ann = await server.addPerson("Ann");
  const bob = await server.addPerson("Bob");
  const { id } = await ann.client.teams.create({ name: "Ops" });
  const lastOwnerError = { status: 409, code: "last_owner" };
  await assert.rejects(ann.client.teams.leave(id), lastOwnerError);
  await assert.rejects(
    ann.client.teams.removeMember(id, await findMemberId(ann, id, ann)),
    lastOwnerError,
  );
  const memberId = await server.join(ann, id, bob);
  await ann.client.teams.updateMember(id, memberId, { role: "owner" });
  const leave = ({ client }: { client: Client }) => client.teams.leave(id);
  const results = await Promise.allSettled([leave(ann), leave(bob)]);
  const refusals = results.flatMap((result) =>
    result.status === "rejected" ? [result.reason] : [],
  );
  assert.deepEqual(
    refusals.map(({ code }) => code),
    ["last_owner"],
  );
  assert.equal((await listMemberAccountIds(server.context, id)).length, 1);
});
