import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { startAccounts } from "../../../test/support/accounts.ts";
import { testContext } from "../../../test/support/room.ts";
import { createAccount } from "../create-account.ts";
import { matchStep } from "./totp.ts";
import { totpCode } from "../../../test/support/authenticator.ts";
import { linkToken } from "../../../test/support/link-token.ts";

const ANN = { email: "ann@example.org", password: "correct horse", name: "Ann", isAdmin: false };
const CREDENTIALS = { email: ANN.email, password: ANN.password };
const { password } = ANN;
const WRONG_CODE = { status: 400, code: "invalid_field", field: "code" };
const STEP_MS = 30_000;

test("codes match RFC 6238, appendix B, with six digits", () => {
  // "12345678901234567890" in base32.
  const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
  const vectors = [
    [59, "287082"],
    [1_111_111_109, "081804"],
    [1_234_567_890, "005924"],
    [20_000_000_000, "353130"],
  ] as const;
  for (const [seconds, code] of vectors) assert.equal(totpCode(secret, seconds * 1_000), code);
  assert.equal(matchStep(secret, { code: "287082", time: 59_000 + STEP_MS }), 1);
  assert.equal(matchStep(secret, { code: "287082", time: 59_000 + 2 * STEP_MS }), null);
  for (const code of ["", "28708", "2870820", "28708\u00e9"]) {
    assert.equal(matchStep(secret, { code, time: 59_000 }), null);
  }
});

test("with two-factor sign-in a password opens no session without a code", async (t) => {
  const { server, turnOn, nextCode } = await setUp(t);
  await turnOn();
  const browser = server.client();
  const { twoFactorToken } = await browser.signIn(ANN);
  assert.equal((await browser.session()).account, null);
  const response = await server.post("/api/auth/sign-in/email", CREDENTIALS);
  assert.equal(response.headers.get("set-cookie"), null);

  const token = twoFactorToken ?? "";
  await assert.rejects(browser.signInWithCode({ token, code: "000000" }), WRONG_CODE);
  await browser.signInWithCode({ token, code: ` ${nextCode()} ` });
  assert.equal((await browser.me()).email, ANN.email);
  await assert.rejects(browser.signInWithCode({ token, code: nextCode() }), { code: "expired" });
});

test("two-factor sign-in is off until the first code is correct", async (t) => {
  const { server, client, secretOf, context } = await setUp(t);
  const first = await client.twoFactor.begin({ password });
  const uri = new URL(first.uri);
  assert.equal(
    `${uri.protocol}//${uri.host}${uri.pathname}`,
    "otpauth://totp/Tocsin:ann%40example.org",
  );
  const parts = {
    issuer: "Tocsin",
    secret: first.secret,
    algorithm: "SHA1",
    digits: "6",
    period: "30",
  };
  assert.deepEqual(Object.fromEntries(uri.searchParams), parts);
  assert.match(first.secret, /^[A-Z2-7]{32}$/);
  assert.match(first.backupCodes.join(), /^(([A-Z2-7]{4}-){3}[A-Z2-7]{4},?){10}$/);
  await assert.rejects(client.twoFactor.confirm({ code: "000000" }), WRONG_CODE);
  assert.equal((await server.client().signIn(ANN)).twoFactorToken, null);
  const second = await client.twoFactor.begin({ password });
  const stale = { code: totpCode(secretOf(first), context.now()) };
  await assert.rejects(client.twoFactor.confirm(stale), WRONG_CODE);
  await client.twoFactor.confirm({ code: totpCode(secretOf(second), context.now()) });
  await assert.rejects(client.twoFactor.begin({ password }), { status: 409, code: "conflict" });
  await assert.rejects(client.twoFactor.confirm({ code: "000000" }), { code: "conflict" });
  const { isTwoFactorOn, backupCodesLeft } = await client.profile.security();
  assert.deepEqual([isTwoFactorOn, backupCodesLeft], [true, 10]);
});

test("turning two-factor sign-in on or off always requires the password", async (t) => {
  const { server, client, turnOn } = await setUp(t);
  const missing = { status: 403, code: "password_required" };
  const wrong = { status: 400, code: "invalid_field", field: "password" };
  await assert.rejects(client.twoFactor.begin(), missing);
  await assert.rejects(client.twoFactor.begin({ password: "wrong" }), wrong);
  await turnOn();
  await assert.rejects(client.twoFactor.end(), missing);
  await assert.rejects(client.twoFactor.end({ password: "wrong" }), wrong);
  await assert.rejects(client.twoFactor.renewBackupCodes(), missing);
  assert.equal((await client.profile.security()).isTwoFactorOn, true);
  assert.deepEqual(await server.mails(), []);
  await client.twoFactor.end({ password });
  assert.equal((await client.profile.security()).isTwoFactorOn, false);
  await client.twoFactor.end({ password });
  const notices = (await server.mails()).map(({ purpose, to }) => [purpose, to]);
  assert.deepEqual(notices, [["account_notice", ANN.email]]);
});

test("a code works once, even across sign-ins", async (t) => {
  const { server, turnOn, nextCode } = await setUp(t);
  await turnOn();
  const signIn = async () => (await server.client().signIn(ANN)).twoFactorToken ?? "";
  const code = nextCode();
  const tokens = [await signIn(), await signIn()];
  const attempts = tokens.map((token) => server.client().signInWithCode({ token, code }));
  const states = (await Promise.allSettled(attempts)).map(({ status }) => status);
  assert.deepEqual(states.toSorted(), ["fulfilled", "rejected"]);
});

test("a backup code works once, until new ones are created", async (t) => {
  const { server, client, turnOn } = await setUp(t);
  const [first = "", second = "", third = ""] = await turnOn();
  const signIn = async (code: string) => {
    const browser = server.client();
    const { twoFactorToken } = await browser.signIn(ANN);
    await browser.signInWithCode({ token: twoFactorToken ?? "", code });
  };
  await signIn(first);
  await assert.rejects(signIn(first), WRONG_CODE);
  await signIn(second.toLowerCase().replaceAll("-", " "));
  assert.equal((await client.profile.security()).backupCodesLeft, 8);
  const { backupCodes } = await client.twoFactor.renewBackupCodes({ password });
  await assert.rejects(signIn(third), WRONG_CODE);
  await signIn(backupCodes[9] ?? "");
});

test("with another session secret only backup codes still work", async (t) => {
  const { context, turnOn, nextCode } = await setUp(t);
  const [backupCode = ""] = await turnOn();
  const browser = (
    await startAccounts(t, context, { secret: "another secret of this server" })
  ).client();
  const { twoFactorToken: token } = await browser.signIn(ANN);
  const submit = (code: string) => browser.signInWithCode({ token: token ?? "", code });
  await assert.rejects(submit(nextCode()), WRONG_CODE);
  await submit(backupCode);
  assert.equal((await browser.me()).email, ANN.email);
});

test("five wrong codes end a sign-in, and ten an hour are the limit per account", async (t) => {
  const { server, turnOn, nextCode, context } = await setUp(t);
  await turnOn();
  for (let signIns = 0; signIns < 2; signIns += 1) {
    const { twoFactorToken } = await server.client().signIn(ANN);
    const attempt = (code: string) =>
      server.client().signInWithCode({ token: twoFactorToken ?? "", code });
    for (let attempts = 0; attempts < 5; attempts += 1)
      await assert.rejects(attempt("000000"), WRONG_CODE);
    await assert.rejects(attempt(nextCode()), { code: "expired" });
    // The network's failures expire after a minute. The account's do not.
    context.clock.advance(60_000);
  }
  const { twoFactorToken } = await server.client().signIn(ANN);
  const attempt = { token: twoFactorToken ?? "", code: nextCode() };
  await assert.rejects(server.client().signInWithCode(attempt), { code: "rate_limited" });
});

test("a sign-in expires ten minutes after the password", async (t) => {
  const { server, turnOn, nextCode, context } = await setUp(t);
  await turnOn();
  const { twoFactorToken: token } = await server.client().signIn(ANN);
  context.clock.advance(10 * 60_000);
  const attempt = { token: token ?? "", code: nextCode() };
  await assert.rejects(server.client().signInWithCode(attempt), { code: "expired" });
});

test("the database contains no secret, backup code or token in plain text", async (t) => {
  const { server, context, turnOn, secret } = await setUp(t);
  const codes = await turnOn();
  const { twoFactorToken } = await server.client().signIn(ANN);
  const { db } = context.database;
  const stored = JSON.stringify([
    await db.selectFrom("two_factor").selectAll().execute(),
    await db.selectFrom("backup_code").selectAll().execute(),
    await db.selectFrom("challenge").selectAll().execute(),
  ]);
  for (const plainText of [
    secret(),
    twoFactorToken ?? "-",
    ...codes.flatMap((c) => [c, plain(c)]),
  ]) {
    assert.ok(plainText.length > 10 && !stored.includes(plainText));
  }
});

test("a password reset by mail keeps two-factor sign-in if the address was verified", async (t) => {
  const { server, context, turnOn } = await setUp(t);
  await turnOn();
  const reset = async () => {
    await server.client().requestPasswordReset(ANN);
    const [link] = (await server.mails()).slice(-1).map((mail) => mail.link);
    await server.client().resetPassword({ token: linkToken(link), newPassword: password });
    return (await server.client().signIn(ANN)).twoFactorToken;
  };
  assert.notEqual(await reset(), null);
  await context.database.db.updateTable("account").set({ email_verified: 0 }).execute();
  assert.equal(await reset(), null);
});

function plain(code: string): string {
  return code.replaceAll("-", "");
}

/** Signs Ann in, and prepares her authenticator app. */
async function setUp(t: TestContext) {
  const context = await testContext(t);
  await createAccount(context, ANN);
  const server = await startAccounts(t, context);
  const client = server.client();
  await client.signIn(ANN);
  let secret = "";
  const secretOf = (factor: { readonly secret: string }) => factor.secret;
  const turnOn = async () => {
    const factor = await client.twoFactor.begin({ password });
    ({ secret } = factor);
    await client.twoFactor.confirm({ code: totpCode(secret, context.now()) });
    return factor.backupCodes;
  };
  /** Returns the code of the next time step, because each works only once. */
  const nextCode = () => {
    context.clock.advance(STEP_MS);
    return totpCode(secret, context.now());
  };
  return { context, server, client, turnOn, nextCode, secretOf, secret: () => secret };
}
