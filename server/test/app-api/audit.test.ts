import assert from "node:assert/strict";
import test from "node:test";
import { AUDIT_ACTIONS, createClient } from "@tocsin/sdk";
import { inviteAndSignUp, startAdministeredApp } from "../support/administrator.ts";
import { addDevice, signUp, startApp, type TestPerson } from "../support/app.ts";
import { readRecordedEvents } from "../support/recorded-events.ts";
import { findMemberId } from "../support/team-members.ts";
import { startAppFixture, type AppFixture } from "./app-fixture.ts";

const HELLO = { title: "Hello", body: "World" };

type RecordedEvent = readonly [action: string, actor: string, target: string | null];

/**
 * Returns and deletes the recorded events. The actor is the kind of the owner's credential, or `another`. The target
 * is `team` in an event of the given team, else the subject's id.
 */
async function takeEvents(
  { app, owner }: AppFixture,
  teamId: string | null,
): Promise<readonly RecordedEvent[]> {
  const { context } = app.app;
  const events = await readRecordedEvents(context);
  await context.database.db.deleteFrom("audit_event").execute();
  return events.map(({ action, actor, teamId: team, subjectId }) => [
    action,
    actor.accountId === owner.accountId ? actor.kind : "another",
    teamId !== null && team === teamId ? "team" : subjectId,
  ]);
}

test("changes of keys, escalation policies and devices are recorded with their target", async (t) => {
  const fixture = await startAppFixture(t);
  const { app, owner, other } = fixture;
  await takeEvents(fixture, null);
  const { keys, devices } = owner.client;
  const key = await keys.create({ kind: "account", label: "Pager" });
  await keys.update(key.id, { postOnly: true });
  const { escalationPolicies } = owner.client;
  const steps = [{ afterSeconds: 0, targets: [{ kind: "me" }] }] as const;
  const policy = await escalationPolicies.create({ name: "Nights", steps });
  await escalationPolicies.update(policy.id, { name: "Days" });
  await escalationPolicies.update(policy.id, { name: "Days", steps });
  await escalationPolicies.test(policy.id);
  await keys.update(key.id, { escalationPolicyId: policy.id });
  await assert.rejects(other.client.escalationPolicies.remove(policy.id), { status: 404 });
  await escalationPolicies.remove(policy.id);
  const rotated = await keys.rotate(key.id);
  await keys.createCallbackSecret(key.id);
  await keys.remove(rotated.id);
  await assert.rejects(keys.remove(rotated.id), { status: 404 });
  const { device } = await addDevice(app, owner);
  await devices.update(device.id, { name: "Tablet", paused: true });
  await devices.renewActionKey(device.id);
  await assert.rejects(other.client.devices.remove(device.id), { status: 404 });
  await devices.remove(device.id);
  assert.deepEqual(await takeEvents(fixture, null), [
    ["api_key_made", "access_token", key.id],
    ["api_key_changed", "access_token", key.id],
    ["escalation_policy_made", "access_token", policy.id],
    ["escalation_policy_changed", "access_token", policy.id],
    ["escalation_policy_tested", "access_token", policy.id],
    ["api_key_changed", "access_token", key.id],
    ["escalation_policy_removed", "access_token", policy.id],
    ["api_key_rotated", "access_token", key.id],
    ["api_key_callback_secret_made", "access_token", key.id],
    ["api_key_revoked", "access_token", rotated.id],
    ["device_added", "access_token", device.id],
    ["device_action_key_made", "access_token", device.id],
    ["device_removed", "access_token", device.id],
  ]);
});

test("changes of teams, members and invitations are recorded, whatever the API", async (t) => {
  const fixture = await startAppFixture(t);
  const { owner, admin, member, target } = fixture;
  await takeEvents(fixture, null);
  const { teams, management } = owner.client;
  const team = await teams.create({ name: "Ops" });
  await teams.update(team.id, { name: "Dev" });
  await assert.rejects(member.client.teams.update(team.id, { name: "Mine" }), { status: 404 });
  const withdrawn = await teams.invite(team.id, { email: "x@example.org" });
  await teams.removeInvitation(team.id, withdrawn.id);
  const memberInvitation = await teams.invite(team.id, { email: member.email });
  await member.client.invitations.decline(memberInvitation.id);
  const manage = { team: team.key, email: target.email };
  await management.invite(manage);
  await management.remove(manage);
  assert.deepEqual(await takeEvents(fixture, team.id), [
    ["team_made", "access_token", "team"],
    ["team_renamed", "access_token", "team"],
    ["member_invited", "access_token", "team"],
    ["invitation_withdrawn", "access_token", "team"],
    ["member_invited", "access_token", "team"],
    ["invitation_declined", "another", "team"],
    ["member_invited", "api_key", "team"],
    ["invitation_withdrawn", "api_key", "team"],
  ]);
  const join = async () => {
    const { id } = await teams.invite(team.id, { email: admin.email });
    await admin.client.invitations.accept(id);
  };
  await join();
  await assert.rejects(
    admin.client.teams.updateMember(team.id, await findMemberId(owner, team.id, owner), {
      role: "member",
    }),
  );
  const memberAccountId = await findMemberId(owner, team.id, admin);
  await teams.updateMember(team.id, memberAccountId, { role: "admin" });
  const roleEvent = (await readRecordedEvents(fixture.app.app.context)).at(-1);
  assert.deepEqual(roleEvent?.changes, [{ name: "role", before: "member", after: "admin" }]);
  assert.deepEqual(
    [roleEvent?.accountId, roleEvent?.subjectId],
    [admin.accountId, memberAccountId],
  );
  await teams.removeMember(team.id, memberAccountId);
  await assertRemovalIsRecorded(fixture, memberAccountId);
  await join();
  await admin.client.teams.leave(team.id);
  await teams.remove(team.id);
  assert.deepEqual(await takeEvents(fixture, team.id), [
    ["member_invited", "access_token", "team"],
    ["member_joined", "another", "team"],
    ["member_role_changed", "access_token", "team"],
    ["member_removed", "access_token", "team"],
    ["member_invited", "access_token", "team"],
    ["member_joined", "another", "team"],
    ["member_left", "another", "team"],
    ["team_deleted", "access_token", "team"],
  ]);
});

/** Asserts that the owner sees the account id of the removed member, and that the member sees no id of the owner. */
async function assertRemovalIsRecorded(
  { owner, admin }: AppFixture,
  memberAccountId: string,
): Promise<void> {
  const listRemovals = async ({ client }: TestPerson) => {
    const { items } = await client.profile.audit({ action: "member_removed", limit: 1 });
    return items.map(({ actor, accountId, subjectId }) => [actor.accountId, accountId, subjectId]);
  };
  assert.deepEqual(await listRemovals(owner), [[owner.accountId, null, memberAccountId]]);
  assert.deepEqual(await listRemovals(admin), [[null, admin.accountId, memberAccountId]]);
}

test("sends and reads are not recorded", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  await addDevice(app, ann);
  const { context } = app.app;
  const count = async () => (await readRecordedEvents(context)).length;
  const countBefore = await count();
  await ann.client.notify(HELLO);
  await ann.client.notifyAsync(HELLO);
  await ann.client.notifyWithKey(ann.key, HELLO);
  await ann.client.notifications.send(HELLO);
  await ann.client.feed.list();
  await ann.client.feed.markRead({ upTo: (await ann.client.feed.list()).items[0]?.id ?? "" });
  await ann.client.profile.audit();
  await assert.rejects(
    createClient({ baseUrl: app.url, apiKey: crypto.randomUUID() }).notify(HELLO),
  );
  assert.equal(await count(), countBefore);
});

test("only administrators see the whole audit log, with pages and filters", async (t) => {
  const app = await startAdministeredApp(t);
  const { root } = app;
  const ann = await inviteAndSignUp(app, "Ann");
  await root.client.admin.settings.update({ retentionDays: 7 });
  await root.client.admin.accounts.update(ann.accountId, { isAdmin: true });
  const allEvents = await root.client.admin.audit();
  const [roleEvent, settings] = allEvents.items;
  assert.deepEqual(
    [roleEvent?.action, roleEvent?.accountName, roleEvent?.actor.accountName],
    ["account_role_changed", "Ann", "Root"],
  );
  assert.deepEqual(settings?.changes, [{ name: "retentionDays", before: "30", after: "7" }]);
  assert.equal(roleEvent?.address, "127.0.0.1");

  const firstPage = await root.client.admin.audit({ limit: 2 });
  const secondPage = await root.client.admin.audit({ cursor: firstPage.nextCursor ?? "" });
  assert.deepEqual([...firstPage.items, ...secondPage.items], allEvents.items);
  const signUpEvents = await root.client.admin.audit({ action: "account_created" });
  assert.deepEqual(
    signUpEvents.items.map(({ accountId }) => accountId),
    [ann.accountId, root.accountId],
  );
  const eventsOfAnn = await root.client.admin.audit({ accountId: ann.accountId });
  assert.deepEqual(
    eventsOfAnn.items.map(({ action }) => action),
    ["account_role_changed", "signed_in", "account_created"],
  );
  const since = roleEvent?.createdAt ?? "";
  assert.deepEqual((await root.client.admin.audit({ since })).items, [roleEvent]);
  assert.equal(
    (await root.client.admin.audit({ until: since })).items.length,
    allEvents.items.length - 1,
  );
  for (const [field, value] of [
    ["action", "sign_in"],
    ["since", "yesterday"],
    ["until", "2026-13-01"],
    ["limit", "0"],
  ] as const) {
    const request = root.client.admin.audit({ [field]: value });
    await assert.rejects(request, { status: 400, field });
  }
  const ben = await inviteAndSignUp(app, "Ben");
  await assert.rejects(ben.client.admin.audit(), { status: 403 });
});

test("a person sees their own events, without the identity of others", async (t) => {
  const app = await startAdministeredApp(t);
  const { root } = app;
  const ann = await inviteAndSignUp(app, "Ann");
  await inviteAndSignUp(app, "Ben");
  await root.client.admin.accounts.resetLink(ann.accountId);
  const guesser = createClient({ baseUrl: app.url });
  await assert.rejects(guesser.signIn({ email: ann.email, password: "wrong" }), { status: 401 });
  const { items } = await ann.client.profile.audit();
  assert.deepEqual(
    items.map(({ action, actor, accountName, address }) => [
      action,
      actor.kind,
      actor.accountId === ann.accountId,
      accountName,
      address,
    ]),
    [
      ["sign_in_failed", "unknown", false, "Ann", "127.0.0.1"],
      ["reset_link_made", "session", false, "Ann", null],
      ["signed_in", "session", true, "Ann", "127.0.0.1"],
      ["account_created", "unknown", false, "Ann", "127.0.0.1"],
    ],
  );
  const text = JSON.stringify(items);
  assert.ok(!text.includes(root.accountId) && !text.includes("Root"));
  // An administrator's own events show the act, but not the account that it changed.
  const rootEvents = await root.client.profile.audit();
  assert.ok(rootEvents.items.some(({ action }) => action === "reset_link_made"));
  assert.ok(!JSON.stringify(rootEvents).includes(ann.accountId));
  const signInEvents = await ann.client.profile.audit({ action: "signed_in" });
  assert.equal(signInEvents.items.length, 1);

  // The server writes this shape.
  const exported = JSON.parse(await new Response(await ann.client.profile.export()).text()) as {
    audit: unknown[];
  };
  assert.deepEqual(exported.audit.slice(1), items);
});

test("audit actions are unique and in snake_case", () => {
  assert.equal(new Set(AUDIT_ACTIONS).size, AUDIT_ACTIONS.length);
  for (const action of AUDIT_ACTIONS) assert.match(action, /^[a-z]+(?:_[a-z]+)+$/);
});
