import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { startAccountsServer } from "../../../test/support/accounts-server.ts";
import { createRoomContext } from "../../../test/support/context.ts";
import { createAccount } from "../create-account.ts";
import { parseLinkToken } from "../../../test/support/link-token.ts";

const ANN = { email: "ann@example.org", password: "correct horse", name: "Ann", isAdmin: false };
const BEN = { ...ANN, email: "ben@example.org", name: "Ben" };
const NEW_EMAIL = "ann@new.example.org";

test("a changed name is sanitised to one line", async (t) => {
  const { ann } = await setUp(t);
  const { id } = await ann.me();
  const changedAccount = { id, email: ANN.email, name: "Ann Lee", isAdmin: false };
  assert.deepEqual(await ann.profile.update({ name: " Ann\nLee " }), changedAccount);
  assert.deepEqual(await ann.me(), changedAccount);
  await assert.rejects(ann.profile.update({ name: " " }), { status: 400, field: "name" });
});

test("a new address takes effect when its link is opened, and the old one is notified", async (t) => {
  const { server, ann } = await setUp(t);
  await ann.profile.changeEmail({ email: " Ann@New.example.org " });
  assert.equal((await ann.me()).email, ANN.email);
  const [mail] = await server.listMails();
  assert.deepEqual([mail?.purpose, mail?.to], ["change_email", NEW_EMAIL]);
  const token = parseLinkToken(mail?.link);
  await server.createClient().verifyEmailChange({ token });
  assert.equal((await ann.me()).email, NEW_EMAIL);
  const [, notice, ...more] = await server.listMails();
  assert.deepEqual([notice?.purpose, notice?.to, more.length], ["account_notice", ANN.email, 0]);
  assert.ok(!notice?.text.includes(NEW_EMAIL));
  await assert.rejects(server.createClient().verifyEmailChange({ token }), { code: "expired" });
  await assert.rejects(server.createClient().signIn(ANN), { status: 401 });
  await server.createClient().signIn({ ...ANN, email: NEW_EMAIL });
});

test("the verification link can be emailed again, within a limit", async (t) => {
  const { server, context } = await setUp(t);
  const eve = server.createClient();
  await eve.signUp({ email: "eve@example.org", password: ANN.password, name: "Eve" });
  for (let round = 0; round < 3; round += 1) await eve.profile.sendVerification();
  await assert.rejects(eve.profile.sendVerification(), { code: "rate_limited" });
  const repeatedMails = (await server.listMails()).slice(1);
  assert.deepEqual(
    repeatedMails.map(({ purpose, to }) => `${purpose} ${to}`),
    Array.from({ length: 3 }, () => "verify_email eve@example.org"),
  );
  assert.equal((await eve.profile.security()).isEmailVerified, false);
  await server.createClient().verifyEmail({ token: parseLinkToken(repeatedMails.at(-1)?.link) });
  assert.equal((await eve.profile.security()).isEmailVerified, true);

  context.clock.advance(60 * 60_000);
  await eve.profile.sendVerification();
  assert.equal((await server.listMails()).length, 4);
  await assert.rejects(server.createClient().profile.sendVerification(), { status: 401 });
});

test("a change to another account's address sends no email, with the same response", async (t) => {
  const { server, ann } = await setUp(t);
  assert.equal(await ann.profile.changeEmail({ email: BEN.email }), undefined);
  assert.deepEqual(await server.listMails(), []);
});

test("the first of two accounts to open its link gets the address", async (t) => {
  const { server, ann, ben } = await setUp(t);
  await ann.profile.changeEmail({ email: NEW_EMAIL });
  await ben.profile.changeEmail({ email: NEW_EMAIL });
  const [annsMail, bensMail] = await server.listMails();
  await server.createClient().verifyEmailChange({ token: parseLinkToken(bensMail?.link) });
  const lateUse = server
    .createClient()
    .verifyEmailChange({ token: parseLinkToken(annsMail?.link) });
  await assert.rejects(lateUse, { status: 409, code: "conflict" });
  assert.deepEqual([(await ann.me()).email, (await ben.me()).email], [ANN.email, NEW_EMAIL]);
});

test("a link to a new address expires after an hour, or with a password reset or another change", async (t) => {
  const { server, ann, context } = await setUp(t);
  const requestLink = async (email: string) => {
    await ann.profile.changeEmail({ email, password: ANN.password });
    return parseLinkToken((await server.listMails()).at(-1)?.link);
  };
  const lateToken = await requestLink(NEW_EMAIL);
  context.clock.advance(60 * 60_000);
  await assert.rejects(server.createClient().verifyEmailChange({ token: lateToken }), {
    code: "expired",
  });

  const firstToken = await requestLink(NEW_EMAIL);
  const secondToken = await requestLink("ann@other.example.org");
  await server.createClient().verifyEmailChange({ token: secondToken });
  await assert.rejects(server.createClient().verifyEmailChange({ token: firstToken }), {
    code: "expired",
  });

  context.clock.advance(60 * 60_000);
  const stolenToken = await requestLink(NEW_EMAIL);
  await server.createClient().requestPasswordReset({ email: "ann@other.example.org" });
  const reset = parseLinkToken((await server.listMails()).at(-1)?.link);
  await server.createClient().resetPassword({ token: reset, newPassword: "another horse" });
  await assert.rejects(server.createClient().verifyEmailChange({ token: stolenToken }), {
    code: "expired",
  });
});

test("a change of address ends reset links emailed to the old one", async (t) => {
  const { server, ann } = await setUp(t);
  await server.createClient().requestPasswordReset(ANN);
  const reset = parseLinkToken((await server.listMails()).at(-1)?.link);
  await ann.profile.changeEmail({ email: NEW_EMAIL });
  await server
    .createClient()
    .verifyEmailChange({ token: parseLinkToken((await server.listMails()).at(-1)?.link) });
  const lateUse = server
    .createClient()
    .resetPassword({ token: reset, newPassword: "another horse" });
  await assert.rejects(lateUse, { code: "expired" });
});

test("a change of address is limited, and requires the password unless the sign-in is recent", async (t) => {
  const { ann, context } = await setUp(t);
  for (const name of ["a", "b", "c"]) {
    await ann.profile.changeEmail({ email: `${name}@example.org` });
  }
  const fourth = ann.profile.changeEmail({ email: "d@example.org" });
  await assert.rejects(fourth, { status: 429, code: "rate_limited" });
  const tenMinutesAgo = new Date(context.now() - 10 * 60_000 - 1).toISOString();
  await context.database.db.updateTable("session").set({ created_at: tenMinutesAgo }).execute();
  const email = "e@example.org";
  await assert.rejects(ann.profile.changeEmail({ email }), { code: "password_required" });
  const wrongRequest = { email, password: "wrong" };
  await assert.rejects(ann.profile.changeEmail(wrongRequest), { field: "password" });
});

test("a password change ends other sessions and the link to a new address, and sends a notice", async (t) => {
  const { server, ann } = await setUp(t);
  const phone = server.createClient();
  await phone.signIn(ANN);
  const newPassword = "another horse";
  await ann.profile.changeEmail({ email: NEW_EMAIL });
  const token = parseLinkToken((await server.listMails())[0]?.link);
  const wrongRequest = { currentPassword: "wrong", newPassword };
  await assert.rejects(ann.changePassword(wrongRequest), { status: 400, field: "currentPassword" });
  assert.equal((await server.listMails()).length, 1);
  await ann.changePassword({ currentPassword: ANN.password, newPassword });
  await assert.rejects(phone.me(), { status: 401 });
  assert.equal((await ann.me()).email, ANN.email);
  const [, notice] = await server.listMails();
  assert.deepEqual([notice?.purpose, notice?.to], ["account_notice", ANN.email]);
  await assert.rejects(server.createClient().verifyEmailChange({ token }), { code: "expired" });
  await assert.rejects(server.createClient().signIn(ANN), { status: 401 });
  await server.createClient().signIn({ ...ANN, password: newPassword });
});

test("a session has ten guesses at the current password of a password change", async (t) => {
  const { ann } = await setUp(t);
  const guess = () => ann.changePassword({ currentPassword: "wrong", newPassword: ANN.password });
  for (let attempt = 0; attempt < 10; attempt += 1)
    await assert.rejects(guess(), { field: "currentPassword" });
  await assert.rejects(guess(), { status: 429, code: "rate_limited" });
});

async function setUp(t: TestContext) {
  const context = await createRoomContext(t);
  await createAccount(context, ANN);
  await createAccount(context, BEN);
  const server = await startAccountsServer(t, context);
  const ann = server.createClient();
  await ann.signIn(ANN);
  const ben = server.createClient();
  await ben.signIn(BEN);
  return { context, server, ann, ben };
}
