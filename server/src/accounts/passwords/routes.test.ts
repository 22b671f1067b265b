import assert from "node:assert/strict";
import { test } from "node:test";
import { startAccountsServer } from "../../../test/support/accounts-server.ts";
import { createRoomContext } from "../../../test/support/context.ts";
import { createAccount } from "../create-account.ts";
import { findAccountByEmail } from "../store/accounts.ts";
import { parseLinkToken } from "../../../test/support/link-token.ts";

const ANN = { email: "ann@example.org", password: "correct horse", name: "Ann" };
const CREDENTIALS = { email: ANN.email, password: ANN.password };
const NEW_PASSWORD = "staple the battery";
const REQUEST_RESET = "/api/auth/request-password-reset";
const RESET = "/api/auth/reset-password";

test("an emailed link sets a new password once, and ends sessions and access tokens", async (t) => {
  const context = await createRoomContext(t);
  await createAccount(context, { ...ANN, isAdmin: false });
  const server = await startAccountsServer(t, context);
  const client = server.createClient();
  await client.signIn(ANN);
  const { token: accessToken } = await client.accessTokens.create({ label: "phone" });

  assert.equal((await server.post(REQUEST_RESET, { email: "Ann@example.org" })).status, 200);
  const [mail] = await server.listMails();
  assert.deepEqual([mail?.purpose, mail?.to], ["reset_password", ANN.email]);
  assert.match(mail?.link ?? "", /^http:\/\/localhost:8080\/reset-password#token=/);
  assert.ok(mail?.text.includes(mail.link));
  const token = parseLinkToken(mail?.link);
  const shortPasswordResponse = await server.post(RESET, { token, newPassword: "short" });
  assert.equal(shortPasswordResponse.status, 400);
  const attempts = [1, 2, 3].map(() => server.post(RESET, { token, newPassword: NEW_PASSWORD }));
  const statuses = (await Promise.all(attempts)).map((response) => response.status);
  assert.equal(statuses.filter((status) => status === 200).length, 1);

  await assert.rejects(client.me(), { status: 401 });
  await assert.rejects(server.createClient(accessToken).me(), { status: 401 });
  await assert.rejects(server.createClient().signIn(ANN), { status: 401 });
  await server.createClient().signIn({ email: ANN.email, password: NEW_PASSWORD });
});

test("a password reset by email verifies the address", async (t) => {
  const context = await createRoomContext(t);
  const server = await startAccountsServer(t, context, { signUp: "open" });
  await server.createClient().signUp(ANN);
  assert.equal((await findAccountByEmail(context, ANN.email))?.isEmailVerified, false);
  await server.post(REQUEST_RESET, { email: ANN.email });
  const token = parseLinkToken((await server.listMails()).at(-1)?.link);
  await server.post(RESET, { token, newPassword: NEW_PASSWORD });
  assert.equal((await findAccountByEmail(context, ANN.email))?.isEmailVerified, true);
});

test("a password change opens no session after a concurrent reset", async (t) => {
  const context = await createRoomContext(t);
  await createAccount(context, { ...ANN, isAdmin: false });
  const server = await startAccountsServer(t, context);
  const stranger = server.createClient();
  await stranger.signIn(ANN);
  let reset = async () => {
    reset = async () => {};
    await server.post(REQUEST_RESET, { email: ANN.email });
    const token = parseLinkToken((await server.listMails()).at(-1)?.link);
    await server.post(RESET, { token, newPassword: "chosen by the owner" });
  };
  // Runs between the password change and the session that it opens.
  const { database } = context;
  const atomically = database.atomically.bind(database);
  t.mock.method(database, "atomically", async (queries: Parameters<typeof atomically>[0]) => {
    if (queries[0]?.compile().sql.startsWith('insert into "session"') === true) await reset();
    return atomically(queries);
  });
  const change = { currentPassword: ANN.password, newPassword: NEW_PASSWORD };
  await assert.rejects(stranger.changePassword(change), { status: 401 });
  await assert.rejects(stranger.me(), { status: 401 });
});

test("a reset request does not reveal whether the address has an account", async (t) => {
  const context = await createRoomContext(t);
  await createAccount(context, { ...ANN, isAdmin: false });
  const server = await startAccountsServer(t, context);
  const knownResponse = await server.post(REQUEST_RESET, { email: ANN.email });
  const unknownResponse = await server.post(REQUEST_RESET, { email: "ben@example.org" });
  assert.deepEqual(
    [knownResponse.status, await knownResponse.text()],
    [unknownResponse.status, await unknownResponse.text()],
  );
  assert.equal((await server.listMails()).length, 1);
});

test("reset emails to an address are limited", async (t) => {
  const context = await createRoomContext(t);
  await createAccount(context, { ...ANN, isAdmin: false });
  const server = await startAccountsServer(t, context);
  const statuses: number[] = [];
  for (let count = 0; count < 4; count += 1) {
    statuses.push((await server.post(REQUEST_RESET, { email: ANN.email })).status);
  }
  assert.deepEqual(statuses, [200, 200, 200, 429]);
  assert.equal((await server.listMails()).length, 3);
});

test("the token of a reset link is stored only as a hash", async (t) => {
  const context = await createRoomContext(t);
  await createAccount(context, { ...ANN, isAdmin: false });
  const server = await startAccountsServer(t, context);
  await server.post(REQUEST_RESET, { email: ANN.email });
  const token = parseLinkToken((await server.listMails())[0]?.link);
  const rows = await context.database.db
    .selectFrom("verification")
    .select(["identifier", "value"])
    .execute();
  assert.equal(rows.length, 1);
  assert.ok(!JSON.stringify(rows).includes(token));
});

test("a password change replaces this session and ends all others", async (t) => {
  const context = await createRoomContext(t);
  await createAccount(context, { ...ANN, isAdmin: false });
  const server = await startAccountsServer(t, context);
  const otherClient = server.createClient();
  await otherClient.signIn(ANN);
  const signInResponse = await server.post("/api/auth/sign-in/email", CREDENTIALS);
  const change = (currentPassword: string, cookie: string) =>
    server.post(
      "/api/auth/change-password",
      { currentPassword, newPassword: NEW_PASSWORD },
      { cookie, origin: server.url },
    );

  assert.equal((await change(ANN.password, "tocsin_session=forged.signature")).status, 401);
  const wrongPasswordResponse = await change("wrong password", toCookiePair(signInResponse));
  const { error } = (await wrongPasswordResponse.json()) as { error: { field: string } };
  assert.deepEqual([wrongPasswordResponse.status, error.field], [400, "currentPassword"]);
  const changeResponse = await change(ANN.password, toCookiePair(signInResponse));
  assert.equal(changeResponse.status, 200);

  await assert.rejects(otherClient.me(), { status: 401 });
  const fetchMe = (cookie: string) => fetch(`${server.url}/api/app/v1/me`, { headers: { cookie } });
  assert.equal((await fetchMe(toCookiePair(signInResponse))).status, 401);
  assert.equal((await fetchMe(toCookiePair(changeResponse))).status, 200);
  await server.createClient().signIn({ email: ANN.email, password: NEW_PASSWORD });
});

test("an access token cannot change a password", async (t) => {
  const context = await createRoomContext(t);
  await createAccount(context, { ...ANN, isAdmin: false });
  await createAccount(context, { ...ANN, email: "ben@example.org", isAdmin: false });
  const server = await startAccountsServer(t, context);
  const ben = server.createClient();
  await ben.signIn({ ...ANN, email: "ben@example.org" });
  const { token } = await ben.accessTokens.create({ label: "phone" });
  const cookie = toCookiePair(await server.post("/api/auth/sign-in/email", CREDENTIALS));
  for (const cookies of [{}, { cookie, origin: server.url }]) {
    const passwords = { currentPassword: ANN.password, newPassword: NEW_PASSWORD };
    const headers = { authorization: `Bearer ${token}`, ...cookies };
    assert.equal((await server.post("/api/auth/change-password", passwords, headers)).status, 401);
  }
  await server.createClient().signIn(ANN);
});

function toCookiePair(response: Response): string {
  return (response.headers.getSetCookie()[0] ?? "").split(";", 1).join("");
}
