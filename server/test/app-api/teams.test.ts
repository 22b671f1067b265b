import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { addDevice, signUp, startApp, type TestApp } from "../support/app.ts";
import { addMember, findMemberId } from "../support/team-members.ts";
import { insertAccount } from "../support/context.ts";
import { parseLinkToken } from "../support/link-token.ts";

const TIMESTAMP_PATTERN = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const WEEK_MS = 7 * 24 * 60 * 60 * 1_000;
const NOT_FOUND = { status: 404, code: "not_found" };
const FORBIDDEN_ERROR = { status: 403, code: "forbidden" };

async function setUp(t: TestContext) {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const bob = await signUp(app, "Bob");
  const team = await ann.client.teams.create({ name: "Ops" });
  return { app, ann, bob, team };
}

async function verifyAllEmails({ app }: TestApp): Promise<void> {
  await app.context.database.db.updateTable("account").set({ email_verified: 1 }).execute();
}

test("a team lists its members with their device counts, and its invitations only to managers", async (t) => {
  const { app, ann, bob, team } = await setUp(t);
  const bobAccountId = await addMember(ann, team.id, bob);
  const annAccountId = await findMemberId(ann, team.id, ann);
  await addDevice(app, bob);
  const { link, mail, ...invitation } = await ann.client.teams.invite(team.id, {
    email: "eve@example.org",
  });
  assert.match(link, /\/invitation#token=/);
  assert.equal(mail, "off");
  assert.match(invitation.createdAt, TIMESTAMP_PATTERN);
  const ttlMs = Date.parse(invitation.expiresAt) - Date.parse(invitation.createdAt);
  assert.equal(ttlMs, WEEK_MS);
  const listMembersFor = (person: typeof ann) => [
    {
      accountId: annAccountId,
      isMe: person === ann,
      email: ann.email,
      name: "Ann",
      role: "owner",
      deviceCount: 0,
      deviceLeftAt: null,
    },
    {
      accountId: bobAccountId,
      isMe: person === bob,
      email: bob.email,
      name: "Bob",
      role: "member",
      deviceCount: 1,
      deviceLeftAt: null,
    },
  ];
  assert.deepEqual(await ann.client.teams.get(team.id), {
    id: team.id,
    name: "Ops",
    members: listMembersFor(ann),
    role: "owner",
    invitations: [invitation],
  });
  assert.deepEqual(await bob.client.teams.get(team.id), {
    id: team.id,
    name: "Ops",
    members: listMembersFor(bob),
    role: "member",
    invitations: [],
  });
  assert.deepEqual(await bob.client.teams.list(), {
    items: [{ id: team.id, name: "Ops", role: "member" }],
    nextCursor: null,
  });
});

test("roles limit what a member may do, and the last owner cannot leave", async (t) => {
  const { ann, bob, team } = await setUp(t);
  const bobAccountId = await addMember(ann, team.id, bob);
  const change = { name: "Dev" };
  await assert.rejects(bob.client.teams.update(team.id, change), FORBIDDEN_ERROR);
  await ann.client.teams.updateMember(team.id, bobAccountId, { role: "admin" });
  assert.equal((await bob.client.teams.update(team.id, change)).name, "Dev");
  await assert.rejects(bob.client.teams.remove(team.id), FORBIDDEN_ERROR);
  const lastOwner = { status: 409, code: "last_owner" };
  await assert.rejects(ann.client.teams.leave(team.id), lastOwner);
  await ann.client.teams.updateMember(team.id, bobAccountId, { role: "owner" });
  await ann.client.teams.leave(team.id);
  await assert.rejects(ann.client.teams.get(team.id), NOT_FOUND);
  await bob.client.teams.remove(team.id);
  assert.deepEqual((await bob.client.teams.list()).items, []);
});

test("an invitation is listed to its verified recipient, and accepted or declined once", async (t) => {
  const { app, ann, bob, team } = await setUp(t);
  const { id } = await ann.client.teams.invite(team.id, { email: bob.email });
  await assert.rejects(bob.client.invitations.accept(id), FORBIDDEN_ERROR);
  await verifyAllEmails(app);
  const [receivedInvitation] = (await bob.client.invitations.list()).items;
  assert.deepEqual(
    [receivedInvitation?.id, receivedInvitation?.team, receivedInvitation?.invitedBy],
    [id, { id: team.id, name: "Ops" }, { name: "Ann", email: ann.email }],
  );
  await bob.client.invitations.decline(id);
  assert.deepEqual((await bob.client.invitations.list()).items, []);
  await assert.rejects(bob.client.invitations.accept(id), NOT_FOUND);
  const { id: secondId } = await ann.client.teams.invite(team.id, { email: bob.email });
  const joined = await bob.client.invitations.accept(secondId);
  assert.deepEqual(joined, { id: team.id, name: "Ops", role: "member" });
  await assert.rejects(bob.client.invitations.accept(secondId), NOT_FOUND);
  const conflict = { status: 409, code: "conflict" };
  await assert.rejects(ann.client.teams.invite(team.id, { email: bob.email }), conflict);
});

test("the link of an invitation works only for its recipient, and not after the invitation is revoked", async (t) => {
  const { app, ann, bob, team } = await setUp(t);
  const { id, link } = await ann.client.teams.invite(team.id, { email: bob.email });
  const eve = await signUp(app, "Eve");
  const wrongAccount = { status: 403, code: "wrong_account" };
  await assert.rejects(eve.client.invitations.acceptToken(parseLinkToken(link)), wrongAccount);
  await ann.client.teams.removeInvitation(team.id, id);
  await assert.rejects(bob.client.invitations.acceptToken(parseLinkToken(link)), NOT_FOUND);
  await assert.rejects(ann.client.teams.removeInvitation(team.id, id), NOT_FOUND);
});

test("an account invites at most 20 people a day, and gets `invite_limit` after that", async (t) => {
  const { ann, team } = await setUp(t);
  for (let count = 0; count < 20; count += 1) {
    await ann.client.teams.invite(team.id, { email: `p${count}@example.org` });
  }
  await assert.rejects(ann.client.teams.invite(team.id, { email: "more@example.org" }), {
    status: 429,
    code: "invite_limit",
  });
});

test("a team of more than 500 members is returned completely", async (t) => {
  const { app, ann, team } = await setUp(t);
  const { context } = app.app;
  for (let count = 0; count < 501; count += 1) {
    const account_id = await insertAccount(context, { email: `p${count}@example.org` });
    const membership = { joined_at: context.now(), left_at: null, role: "member" } as const;
    const row = { id: context.newId(), team_id: team.id, account_id, ...membership };
    await context.database.db.insertInto("team_member").values(row).execute();
  }
  const { members } = await ann.client.teams.get(team.id);
  assert.equal(members.length, 502);
});

test("deleting a team removes its escalation policies, and no key names one of them any longer", async (t) => {
  const { app, ann, team } = await setUp(t);
  const { escalationPolicies, keys } = ann.client;
  const steps = [{ afterSeconds: 0, targets: [{ kind: "callback" }] }] as const;
  const ownPolicy = await escalationPolicies.create({ name: "Own", steps });
  const { id } = await escalationPolicies.create({ name: "Ops", steps, teamId: team.id });
  const key = await keys.create({ kind: "team", teamId: team.id });
  await keys.update(key.id, { escalationPolicyId: id });
  await ann.client.teams.remove(team.id);
  assert.deepEqual((await escalationPolicies.list()).items, [ownPolicy]);
  const { db } = app.app.context.database;
  const rows = await db.selectFrom("escalation_policy").select("id").execute();
  assert.deepEqual(rows, [{ id: ownPolicy.id }]);
  const keyRows = await db.selectFrom("api_key").select("escalation_policy_id").execute();
  assert.ok(keyRows.every((row) => row.escalation_policy_id === null));
});
