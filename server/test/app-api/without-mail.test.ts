import assert from "node:assert/strict";
import test from "node:test";
import type { Client } from "@tocsin/sdk";
import {
  setUpAdministrator,
  startAdministeredApp,
  type BrowserPerson,
} from "../support/administrator.ts";
import { signUp, startApp, type TestApp } from "../support/app.ts";
import { parseLinkToken } from "../support/link-token.ts";
import { startMailServer } from "../support/start-mail-server.ts";
import { findMemberId } from "../support/team-members.ts";

const BEN_EMAIL = "ben@example.org";

/** Signs Ben up with an administrator's sign-up invitation. */
async function signUpBen(app: TestApp & { readonly root: BrowserPerson }, email = BEN_EMAIL) {
  const { link } = await app.root.client.admin.invitations.create({ email });
  return signUp(app, "Ben", parseLinkToken(link));
}

async function createTeam(client: Client, name: string): Promise<string> {
  return (await client.teams.create({ name })).id;
}

async function listInvitingTeams(client: Client): Promise<readonly string[]> {
  return (await client.invitations.list()).items.map(({ team }) => team.name);
}

async function isVerified(root: BrowserPerson, email: string): Promise<boolean> {
  const { items } = await root.client.admin.accounts.list({ q: email });
  return items[0]?.isEmailVerified ?? assert.fail("no such account");
}

test("an administrator's invitation verifies its email address, so that the person sees team invitations", async (t) => {
  const app = await startAdministeredApp(t);
  const ben = await signUpBen(app);
  assert.equal(await isVerified(app.root, BEN_EMAIL), true);
  const team = await createTeam(app.root.client, "Operations");
  await app.root.client.teams.invite(team, { email: BEN_EMAIL });
  assert.deepEqual(await listInvitingTeams(ben.client), ["Operations"]);
  const [invitation] = (await ben.client.invitations.list()).items;
  await ben.client.invitations.accept(invitation?.id ?? "");
  await findMemberId(app.root, team, ben);
  const { items } = await app.root.client.admin.audit({ action: "account_created" });
  const event = items.find(({ accountId }) => accountId === ben.accountId);
  const proof = event?.changes.find(({ name }) => name === "addressProof")?.after;
  assert.equal(proof, "administrator");
});

test("an invitation without an email address verifies none", async (t) => {
  const app = await startAdministeredApp(t);
  const { link } = await app.root.client.admin.invitations.create();
  await signUp(app, "Ben", parseLinkToken(link));
  assert.equal(await isVerified(app.root, BEN_EMAIL), false);
});

test("signing up with an administrator's team invitation joins the team and verifies the email address", async (t) => {
  const app = await startAdministeredApp(t);
  const team = await createTeam(app.root.client, "Operations");
  const { link } = await app.root.client.teams.invite(team, { email: BEN_EMAIL });
  const ben = await signUp(app, "Ben", parseLinkToken(link));
  await findMemberId(app.root, team, ben);
  assert.equal(await isVerified(app.root, BEN_EMAIL), true);
  const usedLinkError = { status: 404, code: "not_found" };
  await assert.rejects(ben.client.invitations.acceptToken(parseLinkToken(link)), usedLinkError);
  assert.equal((await ben.client.invitations.preview(parseLinkToken(link))).state, "accepted");
});

test("signing up with a member's invitation joins the team, but verifies no email address", async (t) => {
  const app = await startAdministeredApp(t);
  const ben = await signUpBen(app);
  const friends = await createTeam(ben.client, "Friends");
  const { link } = await ben.client.teams.invite(friends, { email: "eve@example.org" });
  // Ben could have signed up himself with Eve's address.
  const eve = await signUp(app, "Eve", parseLinkToken(link));
  await findMemberId(ben, friends, eve);
  assert.equal(await isVerified(app.root, eve.email), false);
  const operations = await createTeam(app.root.client, "Operations");
  const invitation = await app.root.client.teams.invite(operations, { email: eve.email });
  assert.deepEqual(await listInvitingTeams(eve.client), []);
  const forbidden = { status: 403, code: "forbidden" };
  await assert.rejects(eve.client.invitations.accept(invitation.id), forbidden);
  await eve.client.invitations.acceptToken(parseLinkToken(invitation.link));
  await findMemberId(app.root, operations, eve);
});

test("a link renewed by another manager does not verify the email address", async (t) => {
  const app = await startAdministeredApp(t);
  const ben = await signUpBen(app);
  const team = await createTeam(app.root.client, "Operations");
  const benInvitation = await app.root.client.teams.invite(team, { email: BEN_EMAIL });
  await ben.client.invitations.acceptToken(parseLinkToken(benInvitation.link));
  const benAccountId = await findMemberId(app.root, team, ben);
  await app.root.client.teams.updateMember(team, benAccountId, { role: "admin" });
  const email = "eve@example.org";
  await app.root.client.teams.invite(team, { email });
  const { link } = await ben.client.teams.invite(team, { email });
  await signUp(app, "Eve", parseLinkToken(link));
  assert.equal(await isVerified(app.root, email), false);
});

test("a server with email verifies an address only by an emailed link", async (t) => {
  const { mail, environment } = await startMailServer(t);
  const app = await startAdministeredApp(t, { environment });
  const team = await createTeam(app.root.client, "Operations");
  const unmailedInvitation = await app.root.client.teams.invite(team, { email: BEN_EMAIL });
  await signUp(app, "Ben", parseLinkToken(unmailedInvitation.link));
  assert.equal(await isVerified(app.root, BEN_EMAIL), false);
  const { link } = await app.root.client.admin.invitations.create({ email: "cleo@example.org" });
  await signUp(app, "Cleo", parseLinkToken(link));
  assert.equal(await isVerified(app.root, "cleo@example.org"), false);
  await app.root.client.teams.invite(team, { email: "dan@example.org" });
  const mails = await mail.waitForMails(5);
  const text = mails.findLast(({ to }) => to.includes("dan@example.org"))?.text ?? "";
  const token = /invitation#token=(\S+)/.exec(text)?.[1] ?? assert.fail("no link");
  await signUp(app, "Dan", token);
  assert.equal(await isVerified(app.root, "dan@example.org"), true);
});

test("an account with an unverified email address lists no invitations", async (t) => {
  const app = await startApp(t);
  const root = await setUpAdministrator(app, "root@example.org");
  const signedUpBen = await signUp(app, "Ben");
  const team = await createTeam(root.client, "Operations");
  await root.client.teams.invite(team, { email: BEN_EMAIL });
  assert.deepEqual(await listInvitingTeams(signedUpBen.client), []);
});

test("a suspended member's invitations are refused until the account is reopened", async (t) => {
  const app = await startAdministeredApp(t, { environment: { TOCSIN_SIGN_UP: "open" } });
  const ann = await signUp(app, "Ann");
  const ben = await signUpBen(app);
  const team = await createTeam(ann.client, "Friends");
  const { id, link } = await ann.client.teams.invite(team, { email: BEN_EMAIL });
  const eveInvitation = await ann.client.teams.invite(team, { email: "eve@example.org" });
  await app.root.client.admin.accounts.update(ann.accountId, { isSuspended: true });
  const notFound = { status: 404, code: "not_found" };
  assert.deepEqual(await listInvitingTeams(ben.client), []);
  await assert.rejects(ben.client.invitations.accept(id), notFound);
  for (const act of ["preview", "acceptToken"] as const) {
    await assert.rejects(ben.client.invitations[act](parseLinkToken(link)), notFound);
  }
  await assert.rejects(signUp(app, "Eve", parseLinkToken(eveInvitation.link)), { code: "expired" });
  await app.root.client.admin.accounts.update(ann.accountId, { isSuspended: false });
  assert.deepEqual(await listInvitingTeams(ben.client), ["Friends"]);
  await ben.client.invitations.accept(id);
  assert.deepEqual(
    (await signUp(app, "Eve", parseLinkToken(eveInvitation.link))).email,
    "eve@example.org",
  );
});

test("another manager can renew a suspended manager's invitation", async (t) => {
  const app = await startAdministeredApp(t, { environment: { TOCSIN_SIGN_UP: "open" } });
  const ann = await signUp(app, "Ann");
  const cleo = await signUp(app, "Cleo");
  const team = await ann.client.teams.create({ name: "Friends" });
  const { link } = await ann.client.teams.invite(team.id, { email: cleo.email });
  await cleo.client.invitations.acceptToken(parseLinkToken(link));
  const cleoAccountId = await findMemberId(ann, team.id, cleo);
  await ann.client.teams.updateMember(team.id, cleoAccountId, { role: "owner" });
  await ann.client.teams.invite(team.id, { email: BEN_EMAIL });
  await app.root.client.admin.accounts.update(ann.accountId, { isSuspended: true });
  const renewedInvitation = await cleo.client.teams.invite(team.id, { email: BEN_EMAIL });
  const ben = await signUp(app, "Ben", parseLinkToken(renewedInvitation.link));
  await findMemberId(cleo, team.id, ben);
  const { invitations } = await cleo.client.teams.get(team.id);
  assert.deepEqual(invitations, []);
});
