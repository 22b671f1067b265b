import assert from "node:assert/strict";
import test from "node:test";
import type { Client } from "@tocsin/sdk";
import { setUpBy, startAdministered, type Administrator } from "../support/administrator.ts";
import { signUp, startApp, type TestApp } from "../support/app.ts";
import { linkToken } from "../support/link-token.ts";
import { startMail } from "../support/mail-stage.ts";
import { memberIdOf } from "../support/membership.ts";

const BEN = "ben@example.org";

/** Signs Ben up by the administrator's invitation to the server. */
async function letIn(app: TestApp & { readonly root: Administrator }, email = BEN) {
  const { link } = await app.root.client.admin.invitations.create({ email });
  return signUp(app, "Ben", linkToken(link));
}

async function teamOf(client: Client, name: string): Promise<string> {
  return (await client.teams.create({ name })).id;
}

async function received(client: Client): Promise<readonly string[]> {
  return (await client.invitations.list()).items.map(({ team }) => team.name);
}

async function isConfirmed(root: Administrator, email: string): Promise<boolean> {
  const { items } = await root.client.admin.accounts.list({ q: email });
  return items[0]?.isEmailVerified ?? assert.fail("no such account");
}

test("the invitation of an administrator confirms the address that it names, and later ones show", async (t) => {
  const app = await startAdministered(t);
  const ben = await letIn(app);
  assert.equal(await isConfirmed(app.root, BEN), true);
  const team = await teamOf(app.root.client, "Operations");
  await app.root.client.teams.invite(team, { email: BEN });
  assert.deepEqual(await received(ben.client), ["Operations"]);
  const [invitation] = (await ben.client.invitations.list()).items;
  await ben.client.invitations.accept(invitation?.id ?? "");
  await memberIdOf(app.root, team, ben);
  const { items } = await app.root.client.admin.audit({ action: "account_created" });
  const event = items.find(({ accountId }) => accountId === ben.accountId);
  const how = event?.changes.find(({ name }) => name === "addressProof")?.after;
  assert.equal(how, "administrator");
});

test("an invitation that names nobody confirms no address", async (t) => {
  const app = await startAdministered(t);
  const { link } = await app.root.client.admin.invitations.create();
  await signUp(app, "Ben", linkToken(link));
  assert.equal(await isConfirmed(app.root, BEN), false);
});

test("a person who signs up by the invitation to a team is in it, and an administrator's confirms the address", async (t) => {
  const app = await startAdministered(t);
  const team = await teamOf(app.root.client, "Operations");
  const { link } = await app.root.client.teams.invite(team, { email: BEN });
  const ben = await signUp(app, "Ben", linkToken(link));
  await memberIdOf(app.root, team, ben);
  assert.equal(await isConfirmed(app.root, BEN), true);
  const used = { status: 404, code: "not_found" };
  await assert.rejects(ben.client.invitations.acceptToken(linkToken(link)), used);
  assert.equal((await ben.client.invitations.look(linkToken(link))).state, "accepted");
});

test("the invitation of a member makes a member and confirms nothing: others' invitations stay with their links", async (t) => {
  const app = await startAdministered(t);
  const ben = await letIn(app);
  const friends = await teamOf(ben.client, "Friends");
  const { link } = await ben.client.teams.invite(friends, { email: "eve@example.org" });
  // Ben may have signed up here himself, in the name of the owner of the address.
  const eve = await signUp(app, "Eve", linkToken(link));
  await memberIdOf(ben, friends, eve);
  assert.equal(await isConfirmed(app.root, eve.email), false);
  const operations = await teamOf(app.root.client, "Operations");
  const made = await app.root.client.teams.invite(operations, { email: eve.email });
  assert.deepEqual(await received(eve.client), []);
  const forbidden = { status: 403, code: "forbidden" };
  await assert.rejects(eve.client.invitations.accept(made.id), forbidden);
  await eve.client.invitations.acceptToken(linkToken(made.link));
  await memberIdOf(app.root, operations, eve);
});

test("the link that another manager of a team makes anew is not the administrator's", async (t) => {
  const app = await startAdministered(t);
  const ben = await letIn(app);
  const team = await teamOf(app.root.client, "Operations");
  const asked = await app.root.client.teams.invite(team, { email: BEN });
  await ben.client.invitations.acceptToken(linkToken(asked.link));
  const bens = await memberIdOf(app.root, team, ben);
  await app.root.client.teams.updateMember(team, bens, { role: "admin" });
  const email = "eve@example.org";
  await app.root.client.teams.invite(team, { email });
  const { link } = await ben.client.teams.invite(team, { email });
  await signUp(app, "Eve", linkToken(link));
  assert.equal(await isConfirmed(app.root, email), false);
});

test("with a mail server, a link that was handed over confirms nothing: a mailed one does", async (t) => {
  const { mail, environment } = await startMail(t);
  const app = await startAdministered(t, { environment });
  const team = await teamOf(app.root.client, "Operations");
  const handed = await app.root.client.teams.invite(team, { email: BEN });
  await signUp(app, "Ben", linkToken(handed.link));
  assert.equal(await isConfirmed(app.root, BEN), false);
  const server = await app.root.client.admin.invitations.create({ email: "cleo@example.org" });
  await signUp(app, "Cleo", linkToken(server.link));
  assert.equal(await isConfirmed(app.root, "cleo@example.org"), false);
  await app.root.client.teams.invite(team, { email: "dan@example.org" });
  const all = await mail.received(5);
  const text = all.findLast(({ to }) => to.includes("dan@example.org"))?.text ?? "";
  const token = /invitation#token=(\S+)/.exec(text)?.[1] ?? assert.fail("no link");
  await signUp(app, "Dan", token);
  assert.equal(await isConfirmed(app.root, "dan@example.org"), true);
});

test("an address that somebody only claims gets no invitations", async (t) => {
  const app = await startApp(t);
  const root = await setUpBy(app, "root@example.org");
  const claimed = await signUp(app, "Ben");
  const team = await teamOf(root.client, "Operations");
  await root.client.teams.invite(team, { email: BEN });
  assert.deepEqual(await received(claimed.client), []);
});

test("the invitations of a suspended member open nothing, and open again with the account", async (t) => {
  const app = await startAdministered(t, { environment: { TOCSIN_SIGN_UP: "open" } });
  const [ann, ben] = [await signUp(app, "Ann"), await letIn(app)];
  const team = await teamOf(ann.client, "Friends");
  const { id, link } = await ann.client.teams.invite(team, { email: BEN });
  const eves = await ann.client.teams.invite(team, { email: "eve@example.org" });
  await app.root.client.admin.accounts.update(ann.accountId, { isSuspended: true });
  const missing = { status: 404, code: "not_found" };
  assert.deepEqual(await received(ben.client), []);
  await assert.rejects(ben.client.invitations.accept(id), missing);
  for (const act of ["look", "acceptToken"] as const) {
    await assert.rejects(ben.client.invitations[act](linkToken(link)), missing);
  }
  await assert.rejects(signUp(app, "Eve", linkToken(eves.link)), { code: "expired" });
  await app.root.client.admin.accounts.update(ann.accountId, { isSuspended: false });
  assert.deepEqual(await received(ben.client), ["Friends"]);
  await ben.client.invitations.accept(id);
  assert.deepEqual((await signUp(app, "Eve", linkToken(eves.link))).email, "eve@example.org");
});

test("another manager invites anew whom a suspended one had invited", async (t) => {
  const app = await startAdministered(t, { environment: { TOCSIN_SIGN_UP: "open" } });
  const [ann, cleo] = [await signUp(app, "Ann"), await signUp(app, "Cleo")];
  const team = await ann.client.teams.create({ name: "Friends" });
  const { link } = await ann.client.teams.invite(team.id, { email: cleo.email });
  await cleo.client.invitations.acceptToken(linkToken(link));
  const cleos = await memberIdOf(ann, team.id, cleo);
  await ann.client.teams.updateMember(team.id, cleos, { role: "owner" });
  await ann.client.teams.invite(team.id, { email: BEN });
  await app.root.client.admin.accounts.update(ann.accountId, { isSuspended: true });
  const anew = await cleo.client.teams.invite(team.id, { email: BEN });
  const ben = await signUp(app, "Ben", linkToken(anew.link));
  await memberIdOf(cleo, team.id, ben);
  const { invitations } = await cleo.client.teams.get(team.id);
  assert.deepEqual(invitations, []);
});
