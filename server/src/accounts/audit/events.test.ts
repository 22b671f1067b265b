import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { OPERATOR } from "#audit/event.ts";
import { SoftwareAuthenticator } from "../../../test/doubles/software-authenticator.ts";
import { startAccounts, type AccountsServer } from "../../../test/support/accounts.ts";
import { auditText, recordedActions, recordedEvents } from "../../../test/support/audit.ts";
import { testContext } from "../../../test/support/room.ts";
import { createAccount } from "../create-account.ts";
import { eraseAccount } from "../deletion/store.ts";
import { totpCode } from "../../../test/support/authenticator.ts";
import { linkToken } from "../../../test/support/link-token.ts";

const ANN = { email: "ann@example.org", password: "correct horse", name: "Ann", isAdmin: true };
const BEN = { email: "ben@example.org", password: "battery staple", name: "Ben" };
const TYPED_PASSWORD = "a password for another site";
const NEW_PASSWORD = "another horse";

async function setUp(t: TestContext) {
  const context = await testContext(t);
  await createAccount(context, ANN);
  const server = await startAccounts(t, context, { trustProxy: true });
  const ann = server.client();
  await ann.signIn(ANN);
  const ben = server.client();
  await ben.signUp(BEN);
  await context.database.db.deleteFrom("audit_event").execute();
  const actions = async () => {
    const recorded = await recordedActions(context);
    await context.database.db.deleteFrom("audit_event").execute();
    return recorded;
  };
  return { context, server, ann, ben, actions };
}

async function lastToken(server: AccountsServer): Promise<string> {
  return linkToken((await server.mails()).at(-1)?.link);
}

test("successful and failed sign-ins are recorded without the typed secrets", async (t) => {
  const { context, server, actions } = await setUp(t);
  const browser = server.client();
  await assert.rejects(browser.signIn({ ...ANN, password: TYPED_PASSWORD }), { status: 401 });
  await assert.rejects(browser.signIn({ ...ANN, email: "nobody@example.org" }), { status: 401 });
  await browser.signIn(ANN);
  const events = await recordedEvents(context);
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
  const text = await auditText(context);
  for (const typed of [TYPED_PASSWORD, "nobody", "ann@", "Ann"])
    assert.ok(!text.includes(typed), typed);
  await browser.signOut();
  assert.deepEqual((await actions()).at(-1), "session_ended");
  await browser.signOut();
  assert.deepEqual(await actions(), []);
});

test("failed sign-ins are recorded up to a limit, and the next event counts the rest", async (t) => {
  const { context, server } = await setUp(t);
  const failSignIn = (address: string, { email } = ANN) =>
    server.post(
      "/api/auth/sign-in/email",
      { email, password: TYPED_PASSWORD },
      { "x-forwarded-for": address },
    );
  for (let tries = 0; tries < 10; tries += 1) await failSignIn("192.0.2.1");
  context.clock.advance(60_000);
  for (let tries = 0; tries < 5; tries += 1) await failSignIn("192.0.2.1");
  assert.equal((await recordedEvents(context)).length, 10);
  await failSignIn("192.0.2.2");
  const last = (await recordedEvents(context)).at(-1);
  assert.deepEqual(last?.changes.at(-1), { name: "unrecorded", before: null, after: "5" });
  for (let network = 0; network < 150; network += 1) {
    await failSignIn(`198.51.100.${network}`, { ...ANN, email: `person${network}@example.org` });
  }
  const { length } = await recordedEvents(context);
  assert.ok(length >= 100 && length <= 102, `${length} are recorded`);
});

test("every change to the sign-in methods of an account is recorded", async (t) => {
  const { context, server, ann, actions } = await setUp(t);
  const { password } = ANN;
  const { secret } = await ann.twoFactor.begin({ password });
  await ann.twoFactor.confirm({ code: totpCode(secret, context.now()) });
  await ann.twoFactor.renewBackupCodes({ password });
  const browser = server.client();
  const { twoFactorToken } = await browser.signIn(ANN);
  const answer = { token: twoFactorToken ?? "", code: "000000" };
  await assert.rejects(browser.signInWithCode(answer), { field: "code" });
  context.clock.advance(30_000);
  await browser.signInWithCode({ ...answer, code: totpCode(secret, context.now()) });
  await ann.twoFactor.end({ password });
  await ann.twoFactor.end({ password });
  assert.deepEqual(await actions(), [
    "two_factor_turned_on",
    "backup_codes_renewed",
    "sign_in_failed",
    "signed_in",
    "two_factor_turned_off",
  ]);

  const authenticator = new SoftwareAuthenticator("http://localhost:8080");
  const credential = authenticator.create(await ann.passkeys.options({ password }));
  const passkey = await ann.passkeys.create({ name: "Key", credential });
  const other = server.client();
  const assertion = () =>
    other.passkeySignInOptions().then((options) => ({ credential: authenticator.get(options) }));
  await other.signInWithPasskey(await assertion());
  await ann.passkeys.remove(passkey.id);
  await assert.rejects(other.signInWithPasskey(await assertion()), { field: "credential" });
  await assert.rejects(ann.passkeys.remove(passkey.id), { status: 404 });
  const pairing = await ann.pairings.create();
  await assert.rejects(server.client().pair({ code: "ABCDE-23456" }), { code: "expired" });
  await server.client().pair({ code: pairing.code });
  assert.deepEqual(await actions(), [
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
  assert.deepEqual(await actions(), [
    "access_token_made",
    "access_token_revoked",
    "sessions_ended",
    "password_changed",
    "signed_in",
  ]);
});

test("the use of a mailed or shared link is recorded", async (t) => {
  const { context, server, ann, ben, actions } = await setUp(t);
  const { id: bensId } = await ben.me();
  await server.client().requestPasswordReset(BEN);
  const token = await lastToken(server);
  await server.client().resetPassword({ token, newPassword: NEW_PASSWORD });
  await assert.rejects(server.client().resetPassword({ token, newPassword: NEW_PASSWORD }), {
    code: "expired",
  });
  const { link } = await ann.admin.accounts.resetLink(bensId);
  await server.client().resetPassword({ token: linkToken(link), newPassword: TYPED_PASSWORD });
  const events = await recordedEvents(context);
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
  await server.client().verifyEmailChange({ token: await lastToken(server) });
  assert.equal((await actions()).at(-1), "email_changed");
  for (const address of ["ann@", "ben@"]) assert.ok(!(await auditText(context)).includes(address));
});

test("only actions of administrators that had an effect are recorded", async (t) => {
  const { context, ann, ben } = await setUp(t);
  const [{ id: annsId }, { id: bensId }] = [await ann.me(), await ben.me()];
  const { accounts, invitations } = ann.admin;
  await assert.rejects(accounts.update(annsId, { isAdmin: false }), { status: 403 });
  await accounts.update(bensId, { isAdmin: true, isSuspended: true });
  await accounts.update(bensId, { isAdmin: false, isSuspended: false });
  const { id } = await invitations.create();
  await invitations.remove(id);
  const events = await recordedEvents(context);
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
  const context = await testContext(t);
  const accountId = await createAccount(context, ANN);
  const erase = () => eraseAccount(context, { accountId, actor: OPERATOR, alongside: [] });
  await Promise.all([erase(), erase()]);
  assert.deepEqual(await recordedActions(context), ["account_created", "account_deleted"]);
});

test("events identify an account only by its id", async (t) => {
  const { context, server, actions } = await setUp(t);
  const eve = server.client();
  await eve.signUp({ ...BEN, email: "eve@example.org", name: "Eve" });
  const { id } = await eve.me();
  const { token } = await eve.accessTokens.create({ label: "x" });
  await new Response(await server.client(token).profile.export()).text();
  await eve.profile.delete({ password: BEN.password });
  const events = await recordedEvents(context);
  assert.ok(events.every(({ accountId }) => accountId === id));
  assert.equal(events.at(-1)?.accountName, "Deleted account");
  const text = await auditText(context);
  for (const trace of ["eve", "Eve", token]) assert.ok(!text.includes(trace), trace);
  assert.deepEqual(await actions(), [
    "account_created",
    "signed_in",
    "access_token_made",
    "export_made",
    "account_deleted",
  ]);
});
