import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { startAccountsServer } from "../../../test/support/accounts-server.ts";
import { createRoomContext } from "../../../test/support/context.ts";
import { createAccount } from "../create-account.ts";
import { findMatchingStep } from "./totp.ts";
import { generateTotpCode } from "../../../test/support/totp-code.ts";
import { parseLinkToken } from "../../../test/support/link-token.ts";

const ANN = { email: "ann@example.org", password: "correct horse", name: "Ann", isAdmin: false };
const CREDENTIALS = { email: ANN.email, password: ANN.password };
const { password } = ANN;
const WRONG_CODE = { status: 400, code: "invalid_field", field: "code" };
const STEP_MS = 30_000;

test("codes of the tests' authenticator match RFC 6238, appendix B; malformed and old codes are refused", () => {
  // "12345678901234567890" in base32.
  const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
  const vectors = [
    [59, "287082"],
    [1_111_111_109, "081804"],
    [1_234_567_890, "005924"],
    [20_000_000_000, "353130"],
  ] as const;
  for (const [seconds, code] of vectors)
    assert.equal(generateTotpCode(secret, seconds * 1_000), code);
  assert.equal(findMatchingStep(secret, { code: "287082", now: 59_000 + STEP_MS }), 1);
  assert.equal(findMatchingStep(secret, { code: "287082", now: 59_000 + 2 * STEP_MS }), null);
  for (const code of ["", "28708", "2870820", "28708\u00e9"]) {
    assert.equal(findMatchingStep(secret, { code, now: 59_000 }), null);
  }
});

test("a password alone opens no session for an account with two-factor sign-in", async (t) => {
  const { server, turnOn, createNextCode } = await setUp(t);
  await turnOn();
  const browser = server.createClient();
  const { twoFactorToken } = await browser.signIn(ANN);
  assert.equal((await browser.session()).account, null);
  const response = await server.post("/api/auth/sign-in/email", CREDENTIALS);
  assert.equal(response.headers.get("set-cookie"), null);

  const token = twoFactorToken ?? "";
  await assert.rejects(browser.signInWithCode({ token, code: "000000" }), WRONG_CODE);
  await browser.signInWithCode({ token, code: ` ${createNextCode()} ` });
  assert.equal((await browser.me()).email, ANN.email);
  await assert.rejects(browser.signInWithCode({ token, code: createNextCode() }), {
    code: "expired",
  });
});

test("two-factor sign-in is off until the first code is correct", async (t) => {
  const { server, client, context } = await setUp(t);
  const firstFactor = await client.twoFactor.begin({ password });
  const uri = new URL(firstFactor.uri);
  assert.equal(
    `${uri.protocol}//${uri.host}${uri.pathname}`,
    "otpauth://totp/Tocsin:ann%40example.org",
  );
  const parameters = {
    issuer: "Tocsin",
    secret: firstFactor.secret,
    algorithm: "SHA1",
    digits: "6",
    period: "30",
  };
  assert.deepEqual(Object.fromEntries(uri.searchParams), parameters);
  assert.match(firstFactor.secret, /^[A-Z2-7]{32}$/);
  assert.match(firstFactor.backupCodes.join(), /^(([A-Z2-7]{4}-){3}[A-Z2-7]{4},?){10}$/);
  await assert.rejects(client.twoFactor.confirm({ code: "000000" }), WRONG_CODE);
  assert.equal((await server.createClient().signIn(ANN)).twoFactorToken, null);
  const secondFactor = await client.twoFactor.begin({ password });
  const staleCode = { code: generateTotpCode(firstFactor.secret, context.now()) };
  await assert.rejects(client.twoFactor.confirm(staleCode), WRONG_CODE);
  await client.twoFactor.confirm({ code: generateTotpCode(secondFactor.secret, context.now()) });
  await assert.rejects(client.twoFactor.begin({ password }), { status: 409, code: "conflict" });
  await assert.rejects(client.twoFactor.confirm({ code: "000000" }), { code: "conflict" });
  const { isTwoFactorOn, backupCodesLeft } = await client.profile.security();
  assert.deepEqual([isTwoFactorOn, backupCodesLeft], [true, 10]);
});

test("turning two-factor sign-in on or off, or renewing backup codes, always requires the password", async (t) => {
  const { server, client, turnOn } = await setUp(t);
  const passwordRequired = { status: 403, code: "password_required" };
  const wrongPassword = { status: 400, code: "invalid_field", field: "password" };
  await assert.rejects(client.twoFactor.begin(), passwordRequired);
  await assert.rejects(client.twoFactor.begin({ password: "wrong" }), wrongPassword);
  await turnOn();
  await assert.rejects(client.twoFactor.end(), passwordRequired);
  await assert.rejects(client.twoFactor.end({ password: "wrong" }), wrongPassword);
  await assert.rejects(client.twoFactor.renewBackupCodes(), passwordRequired);
  assert.equal((await client.profile.security()).isTwoFactorOn, true);
  assert.deepEqual(await server.listMails(), []);
  await client.twoFactor.end({ password });
  assert.equal((await client.profile.security()).isTwoFactorOn, false);
  await client.twoFactor.end({ password });
  const notices = (await server.listMails()).map(({ purpose, to }) => [purpose, to]);
  assert.deepEqual(notices, [["account_notice", ANN.email]]);
});

test("a code works once, even across sign-ins", async (t) => {
  const { server, turnOn, createNextCode } = await setUp(t);
  await turnOn();
  const signIn = async () => (await server.createClient().signIn(ANN)).twoFactorToken ?? "";
  const code = createNextCode();
  const tokens = [await signIn(), await signIn()];
  const attempts = tokens.map((token) => server.createClient().signInWithCode({ token, code }));
  const states = (await Promise.allSettled(attempts)).map(({ status }) => status);
  assert.deepEqual(states.toSorted(), ["fulfilled", "rejected"]);
});

test("a backup code works once, until new ones are created", async (t) => {
  const { server, client, turnOn } = await setUp(t);
  const [firstCode = "", secondCode = "", thirdCode = ""] = await turnOn();
  const signIn = async (code: string) => {
    const browser = server.createClient();
    const { twoFactorToken } = await browser.signIn(ANN);
    await browser.signInWithCode({ token: twoFactorToken ?? "", code });
  };
  await signIn(firstCode);
  await assert.rejects(signIn(firstCode), WRONG_CODE);
  await signIn(secondCode.toLowerCase().replaceAll("-", " "));
  assert.equal((await client.profile.security()).backupCodesLeft, 8);
  const { backupCodes } = await client.twoFactor.renewBackupCodes({ password });
  await assert.rejects(signIn(thirdCode), WRONG_CODE);
  await signIn(backupCodes[9] ?? "");
});

test("backup codes alone still work if the session secret has changed", async (t) => {
  const { context, turnOn, createNextCode } = await setUp(t);
  const [backupCode = ""] = await turnOn();
  const browser = (
    await startAccountsServer(t, context, { secret: "another secret of this server" })
  ).createClient();
  const { twoFactorToken: token } = await browser.signIn(ANN);
  const submit = (code: string) => browser.signInWithCode({ token: token ?? "", code });
  await assert.rejects(submit(createNextCode()), WRONG_CODE);
  await submit(backupCode);
  assert.equal((await browser.me()).email, ANN.email);
});

test("five wrong codes end a sign-in, and ten use up the attempts of the account", async (t) => {
  const { server, turnOn, createNextCode, context } = await setUp(t);
  await turnOn();
  for (let signInCount = 0; signInCount < 2; signInCount += 1) {
    const { twoFactorToken } = await server.createClient().signIn(ANN);
    const sendCode = (code: string) =>
      server.createClient().signInWithCode({ token: twoFactorToken ?? "", code });
    for (let codeCount = 0; codeCount < 5; codeCount += 1)
      await assert.rejects(sendCode("000000"), WRONG_CODE);
    await assert.rejects(sendCode(createNextCode()), { code: "expired" });
    // The network's failures expire after a minute. The account's do not.
    context.clock.advance(60_000);
  }
  const { twoFactorToken } = await server.createClient().signIn(ANN);
  const attempt = { token: twoFactorToken ?? "", code: createNextCode() };
  await assert.rejects(server.createClient().signInWithCode(attempt), { code: "rate_limited" });
});

test("a sign-in expires ten minutes after the password", async (t) => {
  const { server, turnOn, createNextCode, context } = await setUp(t);
  await turnOn();
  const { twoFactorToken: token } = await server.createClient().signIn(ANN);
  context.clock.advance(10 * 60_000);
  const attempt = { token: token ?? "", code: createNextCode() };
  await assert.rejects(server.createClient().signInWithCode(attempt), { code: "expired" });
});

test("the database contains no secret, backup code or token in plain text", async (t) => {
  const { server, context, turnOn, getSecret } = await setUp(t);
  const codes = await turnOn();
  const { twoFactorToken } = await server.createClient().signIn(ANN);
  const { db } = context.database;
  const storedText = JSON.stringify([
    await db.selectFrom("two_factor").selectAll().execute(),
    await db.selectFrom("backup_code").selectAll().execute(),
    await db.selectFrom("challenge").selectAll().execute(),
  ]);
  for (const plainText of [
    getSecret(),
    twoFactorToken ?? "-",
    ...codes.flatMap((code) => [code, removeHyphens(code)]),
  ]) {
    assert.ok(plainText.length > 10 && !storedText.includes(plainText));
  }
});

test("a password reset by email keeps two-factor sign-in only if the address was verified", async (t) => {
  const { server, context, turnOn } = await setUp(t);
  await turnOn();
  const reset = async () => {
    await server.createClient().requestPasswordReset(ANN);
    const link = (await server.listMails()).at(-1)?.link;
    await server
      .createClient()
      .resetPassword({ token: parseLinkToken(link), newPassword: password });
    return (await server.createClient().signIn(ANN)).twoFactorToken;
  };
  assert.notEqual(await reset(), null);
  await context.database.db.updateTable("account").set({ email_verified: 0 }).execute();
  assert.equal(await reset(), null);
});

function removeHyphens(code: string): string {
  return code.replaceAll("-", "");
}

/** Signs Ann in, and prepares her authenticator app. */
async function setUp(t: TestContext) {
  const context = await createRoomContext(t);
  await createAccount(context, ANN);
  const server = await startAccountsServer(t, context);
  const client = server.createClient();
  await client.signIn(ANN);
  let secret = "";
  const turnOn = async () => {
    const factor = await client.twoFactor.begin({ password });
    ({ secret } = factor);
    await client.twoFactor.confirm({ code: generateTotpCode(secret, context.now()) });
    return factor.backupCodes;
  };
  /** Returns the code of the next time step, because each works only once. */
  const createNextCode = () => {
    context.clock.advance(STEP_MS);
    return generateTotpCode(secret, context.now());
  };
  return { context, server, client, turnOn, createNextCode, getSecret: () => secret };
}
