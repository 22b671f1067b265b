import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { hashEarlierTokens } from "#composition/session-tokens.ts";
import { COOKIE_FUNCTIONS } from "#http/cookies.ts";
import { recordHeartbeat } from "#nodes/store.ts";
import { newToken } from "#token.ts";
import { startAccountsServer } from "../../../test/support/accounts-server.ts";
import { ON_POSTGRES } from "../../../test/support/database.ts";
import { createRoomContext } from "../../../test/support/context.ts";
import { createAccount } from "../create-account.ts";
import { deleteAccount } from "../deletion/delete-account.ts";
import { changeAccount } from "../other-accounts/store.ts";
import { OPERATOR } from "#audit/event.ts";
import { createSessionCookie } from "./cookie.ts";

const ANN = { email: "ann@example.org", password: "correct horse", name: "Ann", isAdmin: false };
const CREDENTIALS = { email: ANN.email, password: ANN.password };
const SECRET = "the session secret of this test, long enough";
const BASE_URL = "http://localhost:8080";
const BATCH_MAX = 500;
const cookie = createSessionCookie({
  secret: SECRET,
  baseUrl: BASE_URL,
  cookies: COOKIE_FUNCTIONS,
});

async function setUp(t: TestContext) {
  const context = await createRoomContext(t);
  const accountId = await createAccount(context, ANN);
  // An account can be suspended only if there is another administrator.
  await createAccount(context, { ...ANN, email: "root@example.org", isAdmin: true });
  const server = await startAccountsServer(t, context, { secret: SECRET, baseUrl: BASE_URL });
  const { db } = context.database;
  const fetchStatus = async (pair: string) => {
    const response = await fetch(`${server.url}/api/app/v1/me`, { headers: { cookie: pair } });
    await response.body?.cancel();
    return response.status;
  };
  return {
    context,
    accountId,
    server,
    /** Signs in and returns the cookie. */
    signIn: async (): Promise<string> => {
      const response = await server.post("/api/auth/sign-in/email", CREDENTIALS);
      return toCookiePair(response.headers.getSetCookie()[0] ?? "");
    },
    fetchStatus,
    fetchStatusByToken: (token: string) => fetchStatus(toCookiePair(cookie.format(token))),
    listStoredTokens: async (): Promise<readonly string[]> => {
      const rows = await db.selectFrom("session").select("token").orderBy("id").execute();
      return rows.map(({ token }) => token);
    },
    /** Stores a session in the form of earlier versions. */
    insertPlainToken: async (): Promise<string> => {
      const token = newToken();
      const createdAt = new Date(context.now()).toISOString();
      const times = {
        created_at: createdAt,
        updated_at: createdAt,
        expires_at: new Date(context.now() + 3_600_000).toISOString(),
      };
      const row = { id: context.newId(), account_id: accountId, token, ...times };
      await db
        .insertInto("session")
        .values({ ...row, ip_address: null, user_agent: "" })
        .execute();
      return token;
    },
  };
}

test("a session token is stored only as a hash, which is not a valid token", async (t) => {
  const { signIn, fetchStatus, fetchStatusByToken, listStoredTokens } = await setUp(t);
  const pair = await signIn();
  const token = cookie.read(pair) ?? "";
  const [stored = ""] = await listStoredTokens();
  assert.match(stored, /^sha256:[0-9a-f]{64}$/);
  assert.ok(!stored.includes(token) && token.length === 27);
  assert.equal(await fetchStatus(pair), 200);
  assert.equal(await fetchStatusByToken(token), 200);
  // These cookies are signed with the right secret.
  for (const guess of [stored, stored.slice("sha256:".length), `${token} `, "%", ""]) {
    assert.equal(await fetchStatusByToken(guess), 401, guess);
  }
});

test("a session of an earlier version continues, and its token is replaced by its hash", async (t) => {
  const { context, insertPlainToken, signIn, fetchStatusByToken, fetchStatus, listStoredTokens } =
    await setUp(t);
  const token = await insertPlainToken();
  const pair = await signIn();
  assert.equal(await fetchStatusByToken(token), 200);
  assert.equal((await listStoredTokens()).filter((stored) => stored === token).length, 1);
  assert.equal(await hashEarlierTokens(context, BATCH_MAX), 1);
  assert.ok((await listStoredTokens()).every((stored) => /^sha256:[0-9a-f]{64}$/.test(stored)));
  assert.deepEqual([await fetchStatusByToken(token), await fetchStatus(pair)], [200, 200]);
  assert.equal(await hashEarlierTokens(context, BATCH_MAX), 0);
});

test("plain tokens are replaced in batches", async (t) => {
  const { context, insertPlainToken, fetchStatusByToken, listStoredTokens } = await setUp(t);
  const tokens: string[] = [];
  for (let count = 0; count < 5; count += 1) tokens.push(await insertPlainToken());
  assert.deepEqual(
    [await hashEarlierTokens(context, 2), await hashEarlierTokens(context, 2)],
    [2, 2],
  );
  assert.equal(
    (await listStoredTokens()).filter((stored) => stored.startsWith("sha256:")).length,
    4,
  );
  assert.equal(await hashEarlierTokens(context, 2), 1);
  for (const token of tokens) assert.equal(await fetchStatusByToken(token), 200);
});

test(
  "tokens are stored in plain form while a node of an earlier version needs them",
  ON_POSTGRES,
  async (t) => {
    const { context, insertPlainToken, signIn, listStoredTokens, fetchStatus } = await setUp(t);
    const { database } = context;
    const node = { id: "earlier", role: "all", absenceCountsFromAt: 0, deadAfterMs: 8_000 };
    await recordHeartbeat(database, { ...node, silenceMaxMs: 4_000 });
    const setKnownStep = (step: string | null) =>
      database.db.updateTable("node").set({ known_step: step }).execute();
    for (const step of [null, "0035-left-devices"]) {
      await setKnownStep(step);
      const pair = await signIn();
      assert.equal((await listStoredTokens()).at(-1), cookie.read(pair));
      assert.equal(await fetchStatus(pair), 200);
      assert.equal(await hashEarlierTokens(context, BATCH_MAX), 0);
    }
    await insertPlainToken();
    await setKnownStep("0038-hashed-sessions");
    assert.match(
      await signIn().then(async () => (await listStoredTokens()).at(-1) ?? ""),
      /^sha256:/,
    );
    assert.equal(await hashEarlierTokens(context, BATCH_MAX), 3);
  },
);

test("a changed, truncated or foreign cookie is refused", async (t) => {
  const { signIn, fetchStatus, fetchStatusByToken } = await setUp(t);
  const firstCookie = await signIn();
  const secondCookie = await signIn();
  const [token = "", signature = ""] = firstCookie.split(".");
  const [otherToken = "", otherSignature = ""] = secondCookie.split(".");
  const otherServersCookie = createSessionCookie({
    secret: "the session secret of another server",
    baseUrl: BASE_URL,
    cookies: COOKIE_FUNCTIONS,
  });
  for (const pair of [
    `${token}.${otherSignature}`,
    `${otherToken}.${signature}`,
    token,
    `${token}.`,
    `${firstCookie}A`,
    firstCookie.slice(0, -1),
    toCookiePair(otherServersCookie.format(cookie.read(firstCookie) ?? "")),
    firstCookie.replace("tocsin_session", "__Host-tocsin_session"),
    `tocsin_session=${cookie.read(firstCookie)}`,
  ]) {
    assert.equal(await fetchStatus(pair), 401, pair);
  }
  assert.equal(await fetchStatusByToken(newToken()), 401, "a token that was never stored");
  assert.deepEqual([await fetchStatus(firstCookie), await fetchStatus(secondCookie)], [200, 200]);
});

test("a cookie is refused after its session or account has ended", async (t) => {
  const { context, accountId, server, signIn, insertPlainToken, fetchStatus, fetchStatusByToken } =
    await setUp(t);
  const post = (path: string, pair: string) =>
    server.post(path, {}, { cookie: pair, origin: server.url });
  const signedOut = await signIn();
  await post("/api/auth/sign-out", signedOut);
  assert.equal(await fetchStatus(signedOut), 401);

  const suspendedCookie = await signIn();
  await changeAccount(context, {
    id: accountId,
    isAdmin: undefined,
    isSuspended: true,
    actor: OPERATOR,
  });
  assert.equal(await fetchStatus(suspendedCookie), 401);
  // Like a session that was opened concurrently.
  assert.equal(await fetchStatusByToken(await insertPlainToken()), 401);
  await changeAccount(context, {
    id: accountId,
    isAdmin: undefined,
    isSuspended: false,
    actor: OPERATOR,
  });
  assert.equal(await fetchStatus(suspendedCookie), 401);

  const expiredCookie = await signIn();
  context.clock.advance(30 * 24 * 3_600_000 - 1);
  assert.equal(await fetchStatus(expiredCookie), 200);

  const staleCookie = await signIn();
  context.clock.advance(31 * 24 * 3_600_000);
  assert.equal(await fetchStatus(staleCookie), 401);
  const response = await fetch(`${server.url}/api/auth/get-session`, {
    headers: { cookie: staleCookie },
  });
  assert.deepEqual(await response.json(), { account: null });
  assert.match(response.headers.getSetCookie().join(), /^tocsin_session=; Max-Age=0;/);

  const deletedCookie = await signIn();
  const deletionSteps = {
    leaveTeams: async () => {},
    endKeysAndDevices: async () => {},
    deleteContents: async () => {},
    createFinalStatements: () => [],
  };
  await deleteAccount({ context, deletionSteps }, { accountId, email: ANN.email, actor: OPERATOR });
  assert.equal(await fetchStatus(deletedCookie), 401);
  assert.equal(await fetchStatusByToken(cookie.read(deletedCookie) ?? ""), 401);
});

test("a sign-in always creates a new token", async (t) => {
  const { server, signIn, fetchStatus } = await setUp(t);
  const plantedCookie = toCookiePair(cookie.format(newToken()));
  const cookieBefore = await signIn();
  for (const pair of [plantedCookie, cookieBefore]) {
    const response = await server.post("/api/auth/sign-in/email", CREDENTIALS, {
      cookie: pair,
      origin: server.url,
    });
    const cookieAfter = toCookiePair(response.headers.getSetCookie()[0] ?? "");
    assert.notEqual(cookieAfter, pair);
    assert.equal(await fetchStatus(cookieAfter), 200);
  }
  assert.equal(await fetchStatus(plantedCookie), 401);
});

test("a cookie with an invalid signature is ignored without a database query", async (t) => {
  const { context, server, signIn } = await setUp(t);
  const pair = await signIn();
  const [, signature = ""] = (await signIn()).split(".");
  const changedCookie = `${pair.split(".", 1)[0]}.${signature}`;
  let queryCount = 0;
  const { db } = context.database;
  const selectFrom = db.selectFrom.bind(db);
  t.mock.method(db, "selectFrom", (...args: Parameters<typeof selectFrom>) => {
    queryCount += 1;
    return selectFrom(...args);
  });
  const fetchSession = (cookieHeader: string) =>
    fetch(`${server.url}/api/auth/get-session`, { headers: { cookie: cookieHeader } });
  const response = await fetchSession(changedCookie);
  assert.deepEqual(await response.json(), { account: null });
  assert.deepEqual([response.headers.getSetCookie(), queryCount], [[], 0]);
  await (await fetchSession(pair)).body?.cancel();
  assert.equal(queryCount, 1);
});

function toCookiePair(line: string): string {
  return line.split(";", 1).join("");
}
