import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { OPERATOR } from "#audit/event.ts";
import { SoftwareAuthenticator } from "../../../test/doubles/software-authenticator.ts";
import { startAccountsServer, type AccountsServer } from "../../../test/support/accounts-server.ts";
import {
  readAuditText,
  readRecordedActions,
  readRecordedEvents,
} from "../../../test/support/recorded-events.ts";
import { createRoomContext } from "../../../test/support/context.ts";
import { createAccount } from "../create-account.ts";
import { anonymiseAccount } from "../deletion/store.ts";
import { generateTotpCode } from "../../../test/support/totp-code.ts";
import { parseLinkToken } from "../../../test/support/link-token.ts";

const ANN = { email: "ann@example.org", password: "correct horse", name: "Ann", isAdmin: true };
const BEN = { email: "ben@example.org", password: "battery staple", name: "Ben" };
const TYPED_PASSWORD = "a password for another site";
const NEW_PASSWORD = "another horse";

async function setUp(t: TestContext) {
  const context = await createRoomContext(t);
  await createAccount(context, ANN);
  const server = await startAccountsServer(t, context, { trustProxy: true });
  const ann = server.createClient();
  await ann.signIn(ANN);
  const ben = server.createClient();
  await ben.signUp(BEN);
  await context.database.db.deleteFrom("audit_event").execute();
  const takeActions = async () => {
    const recordedActions = await readRecordedActions(context);
    await context.database.db.deleteFrom("audit_event").execute();
    return recordedActions;
  };
  return { context, server, ann, ben, takeActions };
}

async function findLastToken(server: AccountsServer): Promise<string> {
  return parseLinkToken((await server.listMails()).at(-1)?.link);
}

test("sign-outs, and successful and failed sign-ins without the typed secrets, are recorded", async (t) => {
  const { context, server, takeActions } = await setUp(t);
  const browser = server.createClient();
  await assert.rejects(browser.signIn({ ...ANN, password: TYPED_PASSWORD }), { status: 401 });
  await assert.rejects(browser.signIn({ ...ANN, email: "nobody@example.org" }), { status: 401 });
  await browser.signIn(ANN);
  const events = await readRecordedEvents(context);
  const { id: accountId } = await browser.me();
  const signIns = events.map(({ action, actor, accountId: affectedId, changes: [change] }) => [
    action,
    actor.kind,
    affectedId,
    change?.after,
  ]);
  assert.deepEqual(signIns, [
    ["sign_in_failed", "unknown", accountId, "password"],
    ["sign_in_failed", "unknown", null, "password"],
    ["signed_in", "session", accountId, "password"],
  ]);
  assert.equal(events[2]?.actor.credentialId, events[2]?.subjectId);
  assert.ok(events.every(({ address }) => address === "127.0.0.1"));
  const text = await readAuditText(context);
  for (const typed of [TYPED_PASSWORD, "nobody", "ann@", "Ann"])
    assert.ok(!text.includes(typed), typed);
  await browser.signOut();
  assert.deepEqual((await takeActions()).at(-1), "session_ended");
  await browser.signOut();
  assert.deepEqual(await takeActions(), []);
});

test("failed sign-ins are recorded up to a limit, and the next event counts the rest", async (t) => {
  const { context, server } = await setUp(t);
  const failSignIn = (address: string, { email } = ANN) =>
    server.post(
      "/api/auth/sign-in/email",
      { email, password: TYPED_PASSWORD },
      { "x-forwarded-for": address },
    );
  for (let attempt = 0; attempt < 10; attempt += 1) await failSignIn("192.0.2.1");
  context.clock.advance(60_000);
  for (let attempt = 0; attempt < 5; attempt += 1) await failSignIn("192.0.2.1");
  assert.equal((await readRecordedEvents(context)).length, 10);
  await failSignIn("192.0.2.2");
  const lastEvent = (await readRecordedEvents(context)).at(-1);
  assert.deepEqual(lastEvent?.changes.at(-1), { name: "unrecorded", before: null, after: "5" });
  for (let network = 0; network < 150; network += 1) {
    await failSignIn(`198.51.100.${network}`, { ...ANN, email: `person${network}@example.org` });
  }
  const { length } = await readRecordedEvents(context);
  assert.ok(length >= 100 && length <= 102, `${length} are recorded`);
});

test("changes to the sign-in methods of an account, and sign-ins with them, are recorded", async (t) => {
  const { context, server, ann, takeActions } = await setUp(t);
  const { password } = ANN;
  const { secret } = await ann.twoFactor.begin({ password });
  await ann.twoFactor.confirm({ code: generateTotpCode(secret, context.now()) });
  await ann.twoFactor.renewBackupCodes({ password });
  const browser = server.createClient();
  const { twoFactorToken } = await browser.signIn(ANN);
  const secondFactor = { token: twoFactorToken ?? "", code: "000000" };
  await assert.rejects(browser.signInWithCode(secondFactor), { field: "code" });
  context.clock.advance(30_000);
  await browser.signInWithCode({ ...secondFactor, code: generateTotpCode(secret, context.now()) });
  await ann.twoFactor.end({ password });
  await ann.twoFactor.end({ password });
  assert.deepEqual(await takeActions(), [
    "two_factor_turned_on",
    "backup_codes_renewed",
    "sign_in_failed",
    "signed_in",
    "two_factor_turned_off",
  ]);

  const authenticator = new SoftwareAuthenticator("http://localhost:8080");
  const credential = authenticator.create(await ann.passkeys.options({ password }));
  const passkey = await ann.passkeys.create({ name: "Key", credential });
  const visitor = server.createClient();
  const createAssertion = () =>
    visitor.passkeySignInOptions().then((options) => ({ credential: authenticator.get(options) }));
  await visitor.signInWithPasskey(await createAssertion());
  await ann.passkeys.remove(passkey.id);
  await assert.rejects(visitor.signInWithPasskey(await createAssertion()), {
    field: "credential",
  });
  await assert.rejects(ann.passkeys.remove(passkey.id), { status: 404 });
  const pairing = await ann.pairings.create();
  await assert.rejects(server.createClient().pair({ code: "ABCDE-23456" }), { code: "expired" });
  await server.createClient().pair({ code: pairing.code });
  assert.deepEqual(await takeActions(), [
    "passkey_added",
    "signed_in",
    "passkey_removed",
    "sign_in_failed",
    "pairing_made",
    "sign_in_failed",
    "signed_in",
  ]);
  const { id } = await ann.accessTokens.create({ label: "phone" });
  await ann.accessTokens.remove(id);
  await ann.sessions.endOthers();
  await ann.changePassword({ currentPassword: password, newPassword: NEW_PASSWORD });
  const wrongPassword = { currentPassword: password, newPassword: TYPED_PASSWORD };
  await assert.rejects(ann.changePassword(wrongPassword), { field: "currentPassword" });
  assert.deepEqual(await takeActions(), [
    "access_token_made",
    "access_token_revoked",
    "sessions_ended",
    "password_changed",
    "signed_in",
  ]);
});

test("the use of an emailed or shared link is recorded", async (t) => {
  const { context, server, ann, ben, takeActions } = await setUp(t);
  const { id: bensId } = await ben.me();
  await server.createClient().requestPasswordReset(BEN);
  const token = await findLastToken(server);
  await server.createClient().resetPassword({ token, newPassword: NEW_PASSWORD });
  await assert.rejects(server.createClient().resetPassword({ token, newPassword: NEW_PASSWORD }), {
    code: "expired",
  });
  const { link } = await ann.admin.accounts.resetLink(bensId);
  await server
    .createClient()
    .resetPassword({ token: parseLinkToken(link), newPassword: TYPED_PASSWORD });
  const events = await readRecordedEvents(context);
  assert.deepEqual(
    events.map(({ action, actor, accountId, changes }) => [
      action,
      actor.kind,
      accountId,
      changes.map(({ after }) => after),
    ]),
    [
      ["password_reset", "unknown", bensId, ["mailed_link", "true"]],
      ["reset_link_made", "session", bensId, []],
      ["password_reset", "unknown", bensId, ["handed_link"]],
    ],
  );
  await ann.profile.changeEmail({ email: "ann@new.example.org", password: ANN.password });
  await server.createClient().verifyEmailChange({ token: await findLastToken(server) });
  assert.equal((await takeActions()).at(-1), "email_changed");
  for (const address of ["ann@", "ben@"])
    assert.ok(!(await readAuditText(context)).includes(address));
});

test("an administrator's action is recorded only if it had an effect", async (t) => {
  const { context, ann, ben } = await setUp(t);
  const { id: annsId } = await ann.me();
  const { id: bensId } = await ben.me();
  const { accounts, invitations } = ann.admin;
  await assert.rejects(accounts.update(annsId, { isAdmin: false }), { status: 403 });
  await accounts.update(bensId, { isAdmin: true, isSuspended: true });
  await accounts.update(bensId, { isAdmin: false, isSuspended: false });
  const { id } = await invitations.create();
  await invitations.remove(id);
  const events = await readRecordedEvents(context);
  assert.deepEqual(
    events.map(({ action, accountId, changes: [change] }) => [action, accountId, change?.after]),
    [
      ["account_role_changed", bensId, "true"],
      ["account_suspended", bensId, undefined],
      ["account_role_changed", bensId, "false"],
      ["account_opened", bensId, undefined],
      ["sign_up_invitation_made", null, undefined],
      ["sign_up_invitation_withdrawn", null, undefined],
    ],
  );
  assert.ok(events.every(({ actor }) => actor.accountId === annsId && actor.kind === "session"));
  assert.equal(events.at(-1)?.subjectId, id);
});

test("two concurrent deletions of an account are recorded once", async (t) => {
  const context = await createRoomContext(t);
  const accountId = await createAccount(context, ANN);
  const anonymise = () =>
    anonymiseAccount(context, { accountId, actor: OPERATOR, joinedStatements: [] });
  await Promise.all([anonymise(), anonymise()]);
  assert.deepEqual(await readRecordedActions(context), ["account_created", "account_deleted"]);
});

test("events identify an account only by its id", async (t) => {
  const { context, server, takeActions } = await setUp(t);
  const eve = server.createClient();
  await eve.signUp({ ...BEN, email: "eve@example.org", name: "Eve" });
  const { id } = await eve.me();
  const { token } = await eve.accessTokens.create({ label: "x" });
  await new Response(await server.createClient(token).profile.export()).text();
  await eve.profile.delete({ password: BEN.password });
  const events = await readRecordedEvents(context);
  assert.ok(events.every(({ accountId }) => accountId === id));
  assert.equal(events.at(-1)?.accountName, "Deleted account");
  const text = await readAuditText(context);
  for (const trace of ["eve", "Eve", token]) assert.ok(!text.includes(trace), trace);
  assert.deepEqual(await takeActions(), [
    "account_created",
    "signed_in",
    "access_token_made",
    "export_made",
    "account_deleted",
  ]);
});
