import assert from "node:assert/strict";
import test from "node:test";
import { createClient } from "@tocsin/sdk";
import {
  inviteAndSignUp,
  startAdministeredApp,
  type BrowserPerson,
} from "../support/administrator.ts";
import { addDevice, type TestApp } from "../support/app.ts";
import { readRecordedEvents } from "../support/recorded-events.ts";

type AdministeredApp = TestApp & { readonly root: BrowserPerson };

/** Signs up a person and marks their email address as verified. */
async function signUpVerified(app: AdministeredApp, name: string) {
  const person = await inviteAndSignUp(app, name);
  await app.root.client.admin.accounts.update(person.accountId, { isEmailVerified: true });
  return person;
}

/** Creates a team of the owner, which the members join in the given order. */
async function createTeam(owner: BrowserPerson, name: string, members: readonly BrowserPerson[]) {
  const team = await owner.client.teams.create({ name });
  for (const { email, client } of members) {
    await owner.client.teams.invite(team.id, { email });
    const [invitation] = (await client.invitations.list()).items;
    await client.invitations.accept(invitation?.id ?? "");
  }
  return team;
}

test("deleting an account passes its teams to other members, admins first, and deletes teams without other members", async (t) => {
  const app = await startAdministeredApp(t);
  const { accounts } = app.root.client.admin;
  const ann = await signUpVerified(app, "Ann");
  const ben = await signUpVerified(app, "Ben");
  const cara = await signUpVerified(app, "Cara");
  const team = await createTeam(ann, "Ops", [ben, cara]);
  const [, , caraMember] = (await ann.client.teams.get(team.id)).members;
  await ann.client.teams.updateMember(team.id, caraMember?.accountId ?? "", { role: "admin" });
  const soloTeam = await createTeam(ann, "Alone", []);
  const { key } = await ann.client.keys.create({ kind: "account" });
  await addDevice(app, ann);

  const detail = await accounts.get(ann.accountId);
  assert.deepEqual(
    detail.heldTeams.map(({ name, heirName }) => [name, heirName]),
    [
      ["Ops", "Cara"],
      ["Alone", null],
    ],
  );
  assert.deepEqual([detail.deviceCount, detail.teamCount], [1, 2]);
  await accounts.remove(ann.accountId);
  await assert.rejects(accounts.get(ann.accountId), { status: 404 });
  await assert.rejects(accounts.remove(ann.accountId), { status: 404 });
  await assert.rejects(ann.client.me(), { status: 401 });
  const sender = createClient({ baseUrl: app.url, apiKey: key });
  await assert.rejects(sender.notify({ title: "One", body: "" }), { status: 401 });
  const remaining = await cara.client.teams.get(team.id);
  assert.deepEqual(
    remaining.members.map(({ name, role }) => [name, role]),
    [
      ["Ben", "member"],
      ["Cara", "owner"],
    ],
  );
  const events = (await readRecordedEvents(app.app.context)).filter(
    ({ actor, teamId }) => actor.accountId === app.root.accountId && teamId !== undefined,
  );
  const actions = events.map(({ action, teamId }) => [action, teamId]);
  for (const event of [
    ["member_role_changed", team.id],
    ["team_deleted", soloTeam.id],
    ["account_suspended", null],
    ["account_deleted", null],
  ]) {
    assert.ok(
      actions.some((action) => JSON.stringify(action) === JSON.stringify(event)),
      JSON.stringify({ event, actions }),
    );
  }
});

test("an administrator cannot delete their own account, and an access token cannot delete any account", async (t) => {
  const app = await startAdministeredApp(t);
  const { accounts } = app.root.client.admin;
  const ann = await signUpVerified(app, "Ann");
  await assert.rejects(accounts.remove(app.root.accountId), { status: 403 });
  const { token } = await app.root.client.accessTokens.create({ label: "program" });
  const program = createClient({ baseUrl: app.url, accessToken: token });
  await assert.rejects(program.admin.accounts.remove(ann.accountId), { status: 403 });
});

test("if two administrators delete each other's accounts at once, one administrator remains", async (t) => {
  const app = await startAdministeredApp(t);
  const { accounts } = app.root.client.admin;
  const ann = await signUpVerified(app, "Ann");
  await accounts.update(ann.accountId, { isAdmin: true });
  const results = await Promise.allSettled([
    accounts.remove(ann.accountId),
    ann.client.admin.accounts.remove(app.root.accountId),
  ]);
  const { db } = app.app.context.database;
  const remaining = await db
    .selectFrom("account")
    .select(["id", "is_admin"])
    .where("suspended_at", "is", null)
    .execute();
  assert.equal(remaining.length, 1, JSON.stringify(results));
  assert.ok(remaining[0]?.is_admin);
});

test("an administrator marks an email address as verified, and the audit log records it", async (t) => {
  const app = await startAdministeredApp(t);
  const ann = await inviteAndSignUp(app, "Ann");
  const team = await app.root.client.teams.create({ name: "Ops" });
  await app.root.client.teams.invite(team.id, { email: ann.email });
  assert.deepEqual((await ann.client.invitations.list()).items, []);
  const { accounts } = app.root.client.admin;
  const updated = await accounts.update(ann.accountId, { isEmailVerified: true });
  assert.equal(updated.isEmailVerified, true);
  assert.equal((await ann.client.invitations.list()).items.length, 1);
  // The SDK's types do not allow false, but a program may send it.
  const change = { isEmailVerified: false } as unknown as { isEmailVerified: true };
  await assert.rejects(accounts.update(ann.accountId, change), { field: "isEmailVerified" });
  const [event] = (await readRecordedEvents(app.app.context)).filter(
    ({ action }) => action === "email_confirmed",
  );
  assert.deepEqual([event?.accountId, event?.actor.accountId], [ann.accountId, app.root.accountId]);
});

test("an administrator lists an account's devices without endpoints, and removes one", async (t) => {
  const app = await startAdministeredApp(t);
  const { accounts } = app.root.client.admin;
  const ann = await inviteAndSignUp(app, "Ann");
  const { device, phone } = await addDevice(app, ann, "Kitchen");
  const { items } = await accounts.devices(ann.accountId);
  assert.deepEqual(
    items.map(({ id, name }) => [id, name]),
    [[device.id, "Kitchen"]],
  );
  assert.doesNotMatch(JSON.stringify(items), /p256dh|auth"|\/push\//);
  await assert.rejects(accounts.removeDevice(app.root.accountId, device.id), { status: 404 });
  await accounts.removeDevice(ann.accountId, device.id);
  assert.deepEqual((await ann.client.devices.list()).items, []);
  await assert.rejects(accounts.removeDevice(ann.accountId, device.id), { status: 404 });
  await ann.client.notifications.send({ title: "One", body: "" });
  assert.deepEqual(phone.messages, []);
  const [event] = (await readRecordedEvents(app.app.context)).filter(
    ({ action }) => action === "device_removed",
  );
  assert.deepEqual(
    [event?.accountId, event?.subjectId, event?.actor.accountId],
    [ann.accountId, device.id, app.root.accountId],
  );
});

test("accounts that use at least 80 % of a limit are listed, nearest to the limit first", async (t) => {
  const app = await startAdministeredApp(t);
  const ann = await inviteAndSignUp(app, "Ann");
  const ben = await inviteAndSignUp(app, "Ben");
  const { db } = app.app.context.database;
  const createTokenRow = (accountId: string, index: number) => ({
    id: `${accountId}-${index}`,
    account_id: accountId,
    label: "program",
    token_hash: `${accountId}-${index}`,
    created_at: 0,
  });
  const insertTokens = async (accountId: string, count: number) => {
    const tokens = Array.from({ length: count }, (_, index) => createTokenRow(accountId, index));
    await db.insertInto("access_token").values(tokens).execute();
  };
  await insertTokens(ann.accountId, 80);
  await insertTokens(ben.accountId, 79);
  const listLimits = async () =>
    (await app.root.client.admin.limits()).items.map(({ name, limit, used, most }) => [
      name,
      limit,
      used,
      most,
    ]);
  assert.deepEqual(await listLimits(), [["Ann", "accessTokens", 80, 100]]);
  await db
    .insertInto("access_token")
    .values(Array.from({ length: 20 }, (_, index) => createTokenRow(ben.accountId, 79 + index)))
    .execute();
  assert.deepEqual(await listLimits(), [
    ["Ben", "accessTokens", 99, 100],
    ["Ann", "accessTokens", 80, 100],
  ]);
});
