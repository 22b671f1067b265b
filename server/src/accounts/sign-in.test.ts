import assert from "node:assert/strict";
import { OPERATOR } from "#audit/event.ts";
import { test } from "node:test";
import { pino } from "pino";
import { startAccountsServer } from "../../test/support/accounts-server.ts";
import { createRoomContext } from "../../test/support/context.ts";
import { hashPassword } from "./passwords/hash.ts";
import { createAccount } from "./create-account.ts";
import { createPasswordGuessLimits } from "./guesses.ts";
import { createAttemptLimit } from "./attempt-limit.ts";
import { openSessionByPassword, verifyFirstFactor } from "./sign-in.ts";
import {
  findAccount,
  findAccountByEmail,
  findPasswordHash,
  removeExpired,
} from "./store/accounts.ts";
import { insertChallenge } from "./store/challenges.ts";
import { createPasswordChangedMail } from "./mails.ts";
import { spendSharedToken } from "./passwords/store/passwords.ts";

const ANN = { email: "ann@example.org", password: "correct horse", name: "Ann" };
const CREDENTIALS = { email: ANN.email, password: ANN.password };
const SIGN_IN = "/api/auth/sign-in/email";

test("a session cookie is not accessible to scripts or other sites", async (t) => {
  const context = await createRoomContext(t);
  await createAccount(context, { ...ANN, isAdmin: false });
  const httpServer = await startAccountsServer(t, context);
  assert.match(
    await readSetCookieLine(await httpServer.post(SIGN_IN, CREDENTIALS)),
    /^tocsin_session=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/,
  );
  const httpsServer = await startAccountsServer(t, context, {
    baseUrl: "https://push.example.org",
  });
  const cookie = await readSetCookieLine(await httpsServer.post(SIGN_IN, CREDENTIALS));
  assert.match(
    cookie,
    /^__Host-tocsin_session=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  );
  const meResponse = await fetch(`${httpsServer.url}/api/app/v1/me`, {
    headers: { cookie: toCookiePair(cookie) },
  });
  assert.equal(meResponse.status, 200);
});

test("an account created by the operator can sign in, and no second one gets its address", async (t) => {
  const context = await createRoomContext(t);
  const id = await createAccount(context, { ...ANN, isAdmin: true });
  const server = await startAccountsServer(t, context, { signUp: "closed" });

  const client = server.createClient();
  await client.signIn({ email: "ANN@example.org", password: ANN.password });

  const account = { id, email: ANN.email, name: "Ann", isAdmin: true };
  assert.deepEqual(await client.me(), account);
  assert.deepEqual(await findAccount(context, id), { ...account, isEmailVerified: true });
  await assert.rejects(createAccount(context, { ...ANN, isAdmin: false }), { code: "conflict" });
});

test("a wrong password and an unknown address get the same response", async (t) => {
  const context = await createRoomContext(t);
  await createAccount(context, { ...ANN, isAdmin: false });
  const server = await startAccountsServer(t, context);
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

test("sign-ins and password resets log no address, password or token", async (t) => {
  const lines: string[] = [];
  const log = pino({ level: "trace" }, { write: (line: string) => lines.push(line) });
  const context = { ...(await createRoomContext(t)), log };
  await createAccount(context, { ...ANN, isAdmin: false });
  const server = await startAccountsServer(t, context);
  await server.post(SIGN_IN, { email: ANN.email, password: "incorrect horse" });
  await server.post(SIGN_IN, { email: "ben@example.org", password: "incorrect horse" });
  await server.post("/api/auth/request-password-reset", { email: "ben@example.org" });
  await server.post("/api/auth/request-password-reset", { email: ANN.email });
  await server.post("/api/auth/reset-password", { token: "secret", newPassword: ANN.password });
  const cookie = await readSetCookieLine(await server.post(SIGN_IN, CREDENTIALS));
  const [, token = ""] = toCookiePair(cookie).split("=");
  assert.ok(lines.length > 0 && token.length > 40);
  const secrets = ["example.org", "horse", "secret", token.slice(0, 20)];
  for (const secret of secrets) assert.ok(!lines.join("").includes(secret), secret);
});

test("a session survives a restart, but not a new session secret", async (t) => {
  const context = await createRoomContext(t);
  await createAccount(context, { ...ANN, isAdmin: false });
  const firstServer = await startAccountsServer(t, context);
  const cookie = toCookiePair(
    await readSetCookieLine(await firstServer.post(SIGN_IN, CREDENTIALS)),
  );

  const restartedServer = await startAccountsServer(t, context);
  const meResponse = await fetch(`${restartedServer.url}/api/app/v1/me`, { headers: { cookie } });
  assert.equal(meResponse.status, 200);
  const secret = "another secret, as if the file had been lost";
  const serverWithNewSecret = await startAccountsServer(t, context, { secret });
  const response = await fetch(`${serverWithNewSecret.url}/api/app/v1/me`, { headers: { cookie } });
  assert.equal(response.status, 401);
});

test("signing out ends the session on the server", async (t) => {
  const context = await createRoomContext(t);
  await createAccount(context, { ...ANN, isAdmin: false });
  const server = await startAccountsServer(t, context);
  const cookie = toCookiePair(await readSetCookieLine(await server.post(SIGN_IN, CREDENTIALS)));
  const fetchAccount = async () => {
    const response = await fetch(`${server.url}/api/auth/get-session`, { headers: { cookie } });
    return ((await response.json()) as { account: { email: string } | null }).account;
  };
  assert.equal((await fetchAccount())?.email, ANN.email);

  const signOutResponse = await server.post(
    "/api/auth/sign-out",
    {},
    { cookie, origin: server.url },
  );
  assert.equal(signOutResponse.status, 200);
  assert.match(await readSetCookieLine(signOutResponse), /^tocsin_session=; Max-Age=0/);
  assert.equal(await fetchAccount(), null);
  assert.equal((await server.post("/api/auth/sign-out", {})).status, 200);
});

test("requests from other sites are refused", async (t) => {
  const context = await createRoomContext(t);
  await createAccount(context, { ...ANN, isAdmin: false });
  const server = await startAccountsServer(t, context);
  const cookie = toCookiePair(await readSetCookieLine(await server.post(SIGN_IN, CREDENTIALS)));
  const crossSite = { cookie, origin: "https://evil.example", "sec-fetch-site": "cross-site" };
  const body = { ...CREDENTIALS, currentPassword: ANN.password, newPassword: "new password" };

  for (const path of ["sign-in/email", "sign-out", "change-password", "sign-up/email"]) {
    const response = await server.post(`/api/auth/${path}`, body, crossSite);
    assert.equal(response.status, 403, path);
  }
  const formResponse = await fetch(`${server.url}${SIGN_IN}`, {
    method: "POST",
    body: new URLSearchParams({ email: ANN.email, password: ANN.password }),
  });
  assert.equal(formResponse.status, 400);
  // The address bar may show 127.0.0.1 although the configured URL has localhost.
  const sameSite = { cookie, origin: server.url, "sec-fetch-site": "same-origin" };
  assert.equal((await server.post("/api/auth/sign-out", {}, sameSite)).status, 200);
});

test("a network may fail to sign in ten times; successful sign-ins do not count", async (t) => {
  const context = await createRoomContext(t);
  await createAccount(context, { ...ANN, isAdmin: false });
  const server = await startAccountsServer(t, context);
  const signIn = async (password: string) => {
    // The address that a client claims must not be used.
    const headers = { "x-client-address": "192.0.2.1", "x-forwarded-for": "192.0.2.2" };
    return (await server.post(SIGN_IN, { email: ANN.email, password }, headers)).status;
  };
  for (let count = 0; count < 11; count += 1) assert.equal(await signIn(ANN.password), 200);
  for (let count = 0; count < 10; count += 1) assert.equal(await signIn("wrong"), 401);

  const response = await server.post(SIGN_IN, CREDENTIALS);
  assert.equal(response.status, 429);
  const retryAfterSeconds = Number(response.headers.get("retry-after"));
  assert.ok(retryAfterSeconds > 0 && retryAfterSeconds <= 6);
  context.clock.advance(retryAfterSeconds * 1_000);
  assert.equal(await signIn(ANN.password), 200);
});

test("an unknown sign-in operation gets a 404 response", async (t) => {
  const server = await startAccountsServer(t, await createRoomContext(t));
  const paths = ["list-sessions", "update-user", "delete-user", "ok", "sign-in/social", "error"];
  for (const path of paths) {
    const response = await server.post(`/api/auth/${path}`, {});
    assert.equal(response.status, 404, path);
    const { error } = (await response.json()) as ErrorBody;
    assert.equal(error.code, "not_found");
  }
});

test("expired sessions are deleted", async (t) => {
  const context = await createRoomContext(t);
  await createAccount(context, { ...ANN, isAdmin: false });
  const server = await startAccountsServer(t, context);
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
  const context = await createRoomContext(t);
  await createAccount(context, { ...ANN, isAdmin: false });
  const server = await startAccountsServer(t, context);
  const cookie = toCookiePair(await readSetCookieLine(await server.post(SIGN_IN, CREDENTIALS)));
  const request = (path: string) =>
    fetch(`${server.url}/api/app/v1${path}`, { headers: { cookie } });
  assert.equal(await readSetCookieLine(await request("/me")), "");

  const { db } = context.database;
  const { expires_at: expiresAt } = await db
    .selectFrom("session")
    .select("expires_at")
    .executeTakeFirstOrThrow();
  const reducedExpiresAt = new Date(new Date(expiresAt).getTime() - 25 * 3_600_000).toISOString();
  await db.updateTable("session").set({ expires_at: reducedExpiresAt }).execute();

  assert.equal(await readSetCookieLine(await request("/access-tokens")), "");
  assert.match(
    await readSetCookieLine(await request("/me")),
    /^tocsin_session=[^;]+; Max-Age=2592000;/,
  );
  const { expires_at: extendedExpiresAt } = await db
    .selectFrom("session")
    .select("expires_at")
    .executeTakeFirstOrThrow();
  assert.ok(new Date(extendedExpiresAt) >= new Date(expiresAt));
});

test("a sign-in opens no session if the password is replaced during it", async (t) => {
  const context = await createRoomContext(t);
  const accountId = await createAccount(context, { ...ANN, isAdmin: false });
  const { knownBrowsers } = (await startAccountsServer(t, context)).auth;
  const replacePassword = async () => {
    const link = { kind: "password_reset", accountId, content: "", ttlMs: 1_000 } as const;
    const createNotice = (email: string) =>
      createPasswordChangedMail("https://push.example.org", email);
    const token = await insertChallenge(context, link);
    const passwordHash = await hashPassword("another horse");
    await spendSharedToken(context, {
      actor: OPERATOR,
      token,
      passwordHash,
      createNotice,
    });
  };
  const unauthenticatedError = { code: "unauthenticated" };
  const auth = { knownBrowsers, isCorrectPassword: () => replacePassword().then(() => true) };
  const networkLimit = createAttemptLimit(context, { name: "network", burst: 1, perHour: 1 });
  const deps = { context, auth, passwordGuesses: createPasswordGuessLimits(context, networkLimit) };
  const caller = { headers: {}, ip: "192.0.2.1" };
  await assert.rejects(verifyFirstFactor(deps, { ...ANN, caller }), unauthenticatedError);

  const passwordHash = await findPasswordHash(context, accountId);
  const { db } = context.database;
  const openSession = async () => {
    await replacePassword();
    // Imitates a session that was opened right after all others had ended.
    const timestamp = new Date(context.now()).toISOString();
    const timestamps = { created_at: timestamp, updated_at: timestamp, expires_at: timestamp };
    const row = { id: context.newId(), account_id: accountId, token: "late", ...timestamps };
    await db
      .insertInto("session")
      .values({ ...row, ip_address: null, user_agent: null })
      .execute();
    return { sessionId: row.id };
  };
  await assert.rejects(
    openSessionByPassword(context, { accountId, passwordHash, openSession }),
    unauthenticatedError,
  );
  assert.deepEqual(await db.selectFrom("session").selectAll().execute(), []);
});

interface ErrorBody {
  readonly success: boolean;
  readonly message: string;
  readonly error: { readonly code: string; readonly requestId: string };
}

async function readSetCookieLine(response: Response): Promise<string> {
  const [cookie = ""] = response.headers.getSetCookie();
  await response.body?.cancel();
  return cookie;
}

function toCookiePair(cookie: string): string {
  return cookie.split(";", 1).join("");
}
