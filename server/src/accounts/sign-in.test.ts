import assert from "node:assert/strict";
import { OPERATOR } from "#audit/event.ts";
import { test } from "node:test";
import { pino } from "pino";
import { startAccounts } from "../../test/support/accounts.ts";
import { testContext } from "../../test/support/room.ts";
import { hashPassword } from "./passwords/hash.ts";
import { createAccount } from "./create-account.ts";
import { createPasswordGuesses } from "./guesses.ts";
import { createLimit } from "./limit.ts";
import { openByPassword, passFirstFactor } from "./sign-in.ts";
import {
  findAccount,
  findAccountByEmail,
  findPasswordHash,
  removeExpired,
} from "./store/accounts.ts";
import { insertChallenge } from "./store/challenges.ts";
import { passwordChangedMail } from "./mails.ts";
import { spendHandedToken } from "./passwords/store/passwords.ts";

const ANN = { email: "ann@example.org", password: "correct horse", name: "Ann" };
const CREDENTIALS = { email: ANN.email, password: ANN.password };
const SIGN_IN = "/api/auth/sign-in/email";

test("a session cookie is not accessible to scripts or other sites", async (t) => {
  const context = await testContext(t);
  await createAccount(context, { ...ANN, isAdmin: false });
  const plain = await startAccounts(t, context);
  assert.match(
    await cookieOf(await plain.post(SIGN_IN, CREDENTIALS)),
    /^tocsin_session=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/,
  );
  const secure = await startAccounts(t, context, { baseUrl: "https://push.example.org" });
  const cookie = await cookieOf(await secure.post(SIGN_IN, CREDENTIALS));
  assert.match(
    cookie,
    /^__Host-tocsin_session=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  );
  const me = await fetch(`${secure.url}/api/app/v1/me`, { headers: { cookie: pairOf(cookie) } });
  assert.equal(me.status, 200);
});

test("an account created by the operator can sign in", async (t) => {
  const context = await testContext(t);
  const id = await createAccount(context, { ...ANN, isAdmin: true });
  const server = await startAccounts(t, context, { signUp: "closed" });

  const client = server.client();
  await client.signIn({ email: "ANN@example.org", password: ANN.password });

  const account = { id, email: ANN.email, name: "Ann", isAdmin: true };
  assert.deepEqual(await client.me(), account);
  assert.deepEqual(await findAccount(context, id), { ...account, isEmailVerified: true });
  await assert.rejects(createAccount(context, { ...ANN, isAdmin: false }), { code: "conflict" });
});

test("a wrong password and an unknown address get the same response", async (t) => {
  const context = await testContext(t);
  await createAccount(context, { ...ANN, isAdmin: false });
  const server = await startAccounts(t, context);
  const wrongCredentials = [
    { email: ANN.email, password: "incorrect horse" },
    { email: "ben@example.org", password: ANN.password },
    { email: ANN.email, password: "x".repeat(200) },
  ];
  const bodies = wrongCredentials.map(async (body) => {
    const response = await server.post(SIGN_IN, body);
    assert.equal(response.status, 401);
    assert.equal(response.headers.get("set-cookie"), null);
    const { success, message, error } = (await response.json()) as ErrorBody;
    assert.equal(typeof error.requestId, "string");
    return JSON.stringify({ success, message, code: error.code });
  });
  assert.equal(new Set(await Promise.all(bodies)).size, 1);
});

test("sign-in attempts log no address, password or token", async (t) => {
  const lines: string[] = [];
  const log = pino({ level: "trace" }, { write: (line: string) => lines.push(line) });
  const context = { ...(await testContext(t)), log };
  await createAccount(context, { ...ANN, isAdmin: false });
  const server = await startAccounts(t, context);
  await server.post(SIGN_IN, { email: ANN.email, password: "incorrect horse" });
  await server.post(SIGN_IN, { email: "ben@example.org", password: "incorrect horse" });
  await server.post("/api/auth/request-password-reset", { email: "ben@example.org" });
  await server.post("/api/auth/request-password-reset", { email: ANN.email });
  await server.post("/api/auth/reset-password", { token: "secret", newPassword: ANN.password });
  const cookie = await cookieOf(await server.post(SIGN_IN, CREDENTIALS));
  const [, token = ""] = pairOf(cookie).split("=");
  assert.ok(lines.length > 0 && token.length > 40);
  const secrets = ["example.org", "horse", "secret", token.slice(0, 20)];
  for (const secret of secrets) assert.ok(!lines.join("").includes(secret), secret);
});

test("a session survives a restart, but not a new session secret", async (t) => {
  const context = await testContext(t);
  await createAccount(context, { ...ANN, isAdmin: false });
  const before = await startAccounts(t, context);
  const cookie = pairOf(await cookieOf(await before.post(SIGN_IN, CREDENTIALS)));

  const after = await startAccounts(t, context);
  const me = await fetch(`${after.url}/api/app/v1/me`, { headers: { cookie } });
  assert.equal(me.status, 200);
  const secret = "another secret, as if the file had been lost";
  const lost = await startAccounts(t, context, { secret });
  const refused = await fetch(`${lost.url}/api/app/v1/me`, { headers: { cookie } });
  assert.equal(refused.status, 401);
});

test("signing out ends the session on the server", async (t) => {
  const context = await testContext(t);
  await createAccount(context, { ...ANN, isAdmin: false });
  const server = await startAccounts(t, context);
  const cookie = pairOf(await cookieOf(await server.post(SIGN_IN, CREDENTIALS)));
  const session = async () => {
    const response = await fetch(`${server.url}/api/auth/get-session`, { headers: { cookie } });
    return ((await response.json()) as { account: { email: string } | null }).account;
  };
  assert.equal((await session())?.email, ANN.email);

  const signedOut = await server.post("/api/auth/sign-out", {}, { cookie, origin: server.url });
  assert.equal(signedOut.status, 200);
  assert.match(await cookieOf(signedOut), /^tocsin_session=; Max-Age=0/);
  assert.equal(await session(), null);
  assert.equal((await server.post("/api/auth/sign-out", {})).status, 200);
});

test("requests from other sites are refused", async (t) => {
  const context = await testContext(t);
  await createAccount(context, { ...ANN, isAdmin: false });
  const server = await startAccounts(t, context);
  const cookie = pairOf(await cookieOf(await server.post(SIGN_IN, CREDENTIALS)));
  const crossSite = { cookie, origin: "https://evil.example", "sec-fetch-site": "cross-site" };
  const body = { ...CREDENTIALS, currentPassword: ANN.password, newPassword: "new password" };

  for (const path of ["sign-in/email", "sign-out", "change-password", "sign-up/email"]) {
    const response = await server.post(`/api/auth/${path}`, body, crossSite);
    assert.equal(response.status, 403, path);
  }
  const form = await fetch(`${server.url}${SIGN_IN}`, {
    method: "POST",
    body: new URLSearchParams({ email: ANN.email, password: ANN.password }),
  });
  assert.equal(form.status, 400);
  // The address bar may show 127.0.0.1 although the configured URL has localhost.
  const sameSite = { cookie, origin: server.url, "sec-fetch-site": "same-origin" };
  assert.equal((await server.post("/api/auth/sign-out", {}, sameSite)).status, 200);
});

test("ten failures of one network are the limit; successes do not count", async (t) => {
  const context = await testContext(t);
  await createAccount(context, { ...ANN, isAdmin: false });
  const server = await startAccounts(t, context);
  const attempt = async (password: string) => {
    // The address that a client claims must not be used.
    const headers = { "x-client-address": "192.0.2.1", "x-forwarded-for": "192.0.2.2" };
    return (await server.post(SIGN_IN, { email: ANN.email, password }, headers)).status;
  };
  for (let count = 0; count < 11; count += 1) assert.equal(await attempt(ANN.password), 200);
  for (let count = 0; count < 10; count += 1) assert.equal(await attempt("wrong"), 401);

  const refused = await server.post(SIGN_IN, CREDENTIALS);
  assert.equal(refused.status, 429);
  const retryAfterS = Number(refused.headers.get("retry-after"));
  assert.ok(retryAfterS > 0 && retryAfterS <= 6);
  context.clock.advance(retryAfterS * 1_000);
  assert.equal(await attempt(ANN.password), 200);
});

test("unknown sign-in operations are not found", async (t) => {
  const server = await startAccounts(t, await testContext(t));
  const paths = ["list-sessions", "update-user", "delete-user", "ok", "sign-in/social", "error"];
  for (const path of paths) {
    const response = await server.post(`/api/auth/${path}`, {});
    assert.equal(response.status, 404, path);
    const { error } = (await response.json()) as ErrorBody;
    assert.equal(error.code, "not_found");
  }
});

test("expired sessions are deleted", async (t) => {
  const context = await testContext(t);
  await createAccount(context, { ...ANN, isAdmin: false });
  const server = await startAccounts(t, context);
  await server.post(SIGN_IN, CREDENTIALS);
  const { db } = context.database;
  await removeExpired(context);
  const [session] = await db.selectFrom("session").select("expires_at").execute();
  context.clock.advance(new Date(session?.expires_at ?? 0).getTime() + 1 - context.now());
  await removeExpired(context);
  assert.deepEqual(await db.selectFrom("session").select("id").execute(), []);
  assert.notEqual(await findAccountByEmail(context, ANN.email), null);
});

test("a session in use is extended once a day, together with its cookie", async (t) => {
  const context = await testContext(t);
  await createAccount(context, { ...ANN, isAdmin: false });
  const server = await startAccounts(t, context);
  const cookie = pairOf(await cookieOf(await server.post(SIGN_IN, CREDENTIALS)));
  const request = (path: string) =>
    fetch(`${server.url}/api/app/v1${path}`, { headers: { cookie } });
  assert.equal(await cookieOf(await request("/me")), "");

  const { db } = context.database;
  const { expires_at: end } = await db
    .selectFrom("session")
    .select("expires_at")
    .executeTakeFirstOrThrow();
  const aDayEarlier = new Date(new Date(end).getTime() - 25 * 3_600_000).toISOString();
  await db.updateTable("session").set({ expires_at: aDayEarlier }).execute();

  assert.equal(await cookieOf(await request("/access-tokens")), "");
  assert.match(await cookieOf(await request("/me")), /^tocsin_session=[^;]+; Max-Age=2592000;/);
  const { expires_at: later } = await db
    .selectFrom("session")
    .select("expires_at")
    .executeTakeFirstOrThrow();
  assert.ok(new Date(later) >= new Date(end));
});

test("a sign-in with a password that is replaced meanwhile opens no session", async (t) => {
  const context = await testContext(t);
  const accountId = await createAccount(context, { ...ANN, isAdmin: false });
  const { browsers } = (await startAccounts(t, context)).auth;
  const replace = async () => {
    const link = { kind: "password_reset", accountId, content: "", lifeMs: 1_000 } as const;
    const noticeTo = (email: string) => passwordChangedMail("https://push.example.org", email);
    const [token, passwordHash] = [
      await insertChallenge(context, link),
      await hashPassword("another horse"),
    ];
    await spendHandedToken(context, { actor: OPERATOR, token, passwordHash, noticeTo });
  };
  const refused = { code: "unauthenticated" };
  const auth = { browsers, isPassword: () => replace().then(() => true) };
  const network = createLimit(context, { name: "network", burst: 1, perHour: 1 });
  const deps = { context, auth, passwords: createPasswordGuesses(context, network) };
  const caller = { headers: {}, ip: "192.0.2.1" };
  await assert.rejects(passFirstFactor(deps, { ...ANN, caller }), refused);

  const passwordHash = await findPasswordHash(context, accountId);
  const { db } = context.database;
  const open = async () => {
    await replace();
    // Like a session that was opened right after all others had ended.
    const timestamp = new Date(context.now()).toISOString();
    const times = { created_at: timestamp, updated_at: timestamp, expires_at: timestamp };
    const row = { id: context.newId(), account_id: accountId, token: "late", ...times };
    await db
      .insertInto("session")
      .values({ ...row, ip_address: null, user_agent: null })
      .execute();
    return { sessionId: row.id };
  };
  await assert.rejects(openByPassword(context, { accountId, passwordHash, open }), refused);
  assert.deepEqual(await db.selectFrom("session").selectAll().execute(), []);
});

interface ErrorBody {
  readonly success: boolean;
  readonly message: string;
  readonly error: { readonly code: string; readonly requestId: string };
}

async function cookieOf(response: Response): Promise<string> {
  const [cookie = ""] = response.headers.getSetCookie();
  await response.body?.cancel();
  return cookie;
}

function pairOf(cookie: string): string {
  return cookie.split(";", 1).join("");
}
