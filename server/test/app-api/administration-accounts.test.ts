import assert from "node:assert/strict";
import test from "node:test";
import { createClient } from "@tocsin/sdk";
import { changeAccount } from "#accounts/other-accounts/store.ts";
import { OPERATOR } from "#audit/event.ts";
import { inviteAndSignUp, startAdministeredApp } from "../support/administrator.ts";
import { addDevice } from "../support/app.ts";
import { parseLinkToken } from "../support/link-token.ts";

test("administrators list all accounts in pages, and find them by name or email", async (t) => {
  const app = await startAdministeredApp(t);
  const { root } = app;
  const ann = await inviteAndSignUp(app, "Ann");
  await inviteAndSignUp(app, "Ben");
  await addDevice(app, ann);
  await ann.client.teams.create({ name: "Ops" });
  const { items } = await root.client.admin.accounts.list();
  assert.deepEqual(
    items.map(({ name, isAdmin, deviceCount, teamCount }) => [
      name,
      isAdmin,
      deviceCount,
      teamCount,
    ]),
    [
      ["Ben", false, 0, 0],
      ["Ann", false, 1, 1],
      ["Root", true, 0, 0],
    ],
  );
  assert.ok(items.every(({ lastSeenAt }) => lastSeenAt !== null));
  const matches = await root.client.admin.accounts.list({ q: "ANN example" });
  assert.deepEqual(
    matches.items.map(({ email }) => email),
    ["ann@example.org"],
  );
  const firstPage = await root.client.admin.accounts.list({ limit: 2 });
  const secondPage = await root.client.admin.accounts.list({
    limit: 2,
    cursor: firstPage.nextCursor ?? "",
  });
  assert.deepEqual(
    secondPage.items.map(({ name }) => name),
    ["Root"],
  );
});

test("a suspended account and its keys are refused until it is reopened", async (t) => {
  const app = await startAdministeredApp(t);
  const { root } = app;
  const ann = await inviteAndSignUp(app, "Ann");
  const { key } = await ann.client.keys.create({ kind: "account" });
  const { token } = await ann.client.accessTokens.create({ label: "app" });
  const { phone } = await addDevice(app, ann);

  const sender = createClient({ baseUrl: app.url, apiKey: key });
  assert.equal((await sender.notify({ title: "One", body: "" })).success, true);

  const suspended = await root.client.admin.accounts.update(ann.accountId, { isSuspended: true });
  assert.notEqual(suspended.suspendedAt, null);
  await assert.rejects(ann.client.me(), { status: 401 });
  const program = createClient({ baseUrl: app.url, accessToken: token });
  await assert.rejects(program.me(), { status: 401 });
  const unknownSender = createClient({ baseUrl: app.url, apiKey: crypto.randomUUID() });
  const refusals = await Promise.all(
    [sender, unknownSender].map((client) =>
      client
        .notify({ title: "Two", body: "" })
        .catch((error: Error & { status?: number }) => [error.status, error.message]),
    ),
  );
  assert.deepEqual(refusals[0], refusals[1]);
  const credentials = { email: ann.email, password: ann.password };
  const browser = createClient({ baseUrl: app.url });
  await assert.rejects(browser.signIn(credentials), { status: 403, code: "account_suspended" });
  await assert.rejects(browser.signIn({ ...credentials, password: "wrong one" }), { status: 401 });

  await root.client.admin.accounts.update(ann.accountId, { isSuspended: false });
  await browser.signIn(credentials);
  assert.equal((await program.me()).email, ann.email);
  assert.equal((await sender.notify({ title: "Three", body: "" })).success, true);
  await phone.waitForRequests(2);
  const titles = phone.messages.map(({ text }) => /"title":"(\w+)"/.exec(text)?.[1]);
  assert.deepEqual(titles, ["One", "Three"]);
});

test("a team's notifications skip suspended members", async (t) => {
  const app = await startAdministeredApp(t);
  const { root } = app;
  const ann = await inviteAndSignUp(app, "Ann");
  await addDevice(app, ann);
  const team = await root.client.teams.create({ name: "Ops" });
  const { db } = app.app.context.database;
  const member = { id: "m", team_id: team.id, account_id: ann.accountId, role: "member" } as const;
  await db
    .insertInto("team_member")
    .values({ ...member, joined_at: 0, left_at: null })
    .execute();
  const sender = createClient({ baseUrl: app.url, apiKey: team.key });
  assert.equal((await sender.notify({ title: "One", body: "" })).responses.length, 1);
  await root.client.admin.accounts.update(ann.accountId, { isSuspended: true });
  assert.equal((await sender.notify({ title: "Two", body: "" })).responses.length, 0);
});

test("the last administrator keeps the role, and an access token cannot change accounts", async (t) => {
  const app = await startAdministeredApp(t);
  const { root } = app;
  const ann = await inviteAndSignUp(app, "Ann");
  const { accounts } = root.client.admin;
  for (const change of [{ isAdmin: false }, { isSuspended: true }]) {
    await assert.rejects(accounts.update(root.accountId, change), { status: 403 });
  }
  assert.equal((await accounts.update(ann.accountId, { isAdmin: true })).isAdmin, true);
  // If two administrators demote each other concurrently, the second is refused.
  const { context } = app.app;
  const change = { isAdmin: false, isSuspended: undefined };
  assert.equal(
    await changeAccount(context, { actor: OPERATOR, ...change, id: root.accountId }),
    true,
  );
  assert.equal(
    await changeAccount(context, { actor: OPERATOR, ...change, id: ann.accountId }),
    false,
  );
  assert.equal((await ann.client.me()).isAdmin, true);
  const { token } = await ann.client.accessTokens.create({ label: "cli" });
  const program = createClient({ baseUrl: app.url, accessToken: token });
  assert.equal((await program.admin.accounts.list()).items.length, 2);
  await assert.rejects(program.admin.accounts.update(root.accountId, { isAdmin: true }), {
    status: 403,
  });
  await assert.rejects(program.admin.accounts.resetLink(root.accountId), { status: 403 });
  const missingAccountId = "0197f0a0-0000-7000-8000-000000000000";
  await assert.rejects(ann.client.admin.accounts.update(missingAccountId, {}), { status: 404 });
  await assert.rejects(ann.client.admin.accounts.resetLink(missingAccountId), { status: 404 });
});

test("a paired browser cannot change accounts", async (t) => {
  const app = await startAdministeredApp(t);
  const { root } = app;
  const ann = await inviteAndSignUp(app, "Ann");
  const { code } = await root.client.pairings.create();
  const paired = createClient({ baseUrl: app.url });
  await paired.pair({ code });
  assert.equal((await paired.me()).isAdmin, true);
  const { accounts } = paired.admin;
  // A reset link for its own account would set a password without the old one.
  await assert.rejects(accounts.resetLink(root.accountId), { status: 403 });
  await assert.rejects(accounts.resetLink(ann.accountId), { status: 403 });
  await assert.rejects(accounts.update(ann.accountId, { isAdmin: true }), { status: 403 });
  assert.equal((await accounts.list()).items.length, 2);
});

test("an administrator's reset link sets a new password once, and keeps the account's keys", async (t) => {
  const app = await startAdministeredApp(t);
  const { root } = app;
  const ann = await inviteAndSignUp(app, "Ann");
  const { key } = await ann.client.keys.create({ kind: "account" });
  const { link } = await root.client.admin.accounts.resetLink(ann.accountId);
  assert.match(link, /\/reset-password#token=/);
  const token = parseLinkToken(link);
  await app.anonymous.resetPassword({ token, newPassword: "another password" });
  await assert.rejects(ann.client.me(), { status: 401 });
  await ann.client.signIn({ email: ann.email, password: "another password" });
  const secondUse = app.anonymous.resetPassword({ token, newPassword: "yet another one" });
  await assert.rejects(secondUse, { code: "expired" });
  const sender = createClient({ baseUrl: app.url, apiKey: key });
  await sender.notifyAsync({ title: "Still", body: "there" });
  const { items } = await root.client.admin.accounts.list({ q: "ann" });
  assert.equal(items[0]?.isEmailVerified, false);
});

test("a sign-up invitation works once, for its email address, until revoked or expired", async (t) => {
  let nowMs = Date.now();
  const app = await startAdministeredApp(t, { now: () => nowMs });
  const { invitations } = app.root.client.admin;
  const signUp = (link: string, email: string) =>
    createClient({ baseUrl: app.url }).signUp({
      email,
      name: "New person",
      password: "a password of theirs",
      token: parseLinkToken(link),
    });
  const annInvitation = await invitations.create({ email: "Ann@example.org" });
  assert.deepEqual([annInvitation.email, annInvitation.isMailed], ["ann@example.org", false]);
  await assert.rejects(signUp(annInvitation.link, "eve@example.org"), { code: "wrong_account" });
  await signUp(annInvitation.link, "ann@example.org");
  await assert.rejects(signUp(annInvitation.link, "ann@example.org"), {
    code: "invitation_required",
  });
  await assert.rejects(invitations.create({ email: "ann@example.org" }), { status: 409 });

  const openInvitation = await invitations.create();
  const withdrawnInvitation = await invitations.create();
  await invitations.remove(withdrawnInvitation.id);
  await assert.rejects(invitations.remove(withdrawnInvitation.id), { status: 404 });
  await assert.rejects(signUp(withdrawnInvitation.link, "eve@example.org"), {
    code: "invitation_required",
  });
  assert.deepEqual(
    (await invitations.list()).items.map(({ id }) => id),
    [openInvitation.id],
  );
  const results = await Promise.allSettled(
    ["b1", "b2"].map((name) => signUp(openInvitation.link, `${name}@example.org`)),
  );
  assert.deepEqual(results.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
  const expiredInvitation = await invitations.create();
  nowMs += 7 * 24 * 3_600_000;
  await assert.rejects(signUp(expiredInvitation.link, "late@example.org"), {
    code: "invitation_required",
  });
  const { db } = app.app.context.database;
  const rows = await db.selectFrom("sign_up_invitation").selectAll().execute();
  assert.ok(!JSON.stringify(rows).includes(parseLinkToken(expiredInvitation.link)));
});
