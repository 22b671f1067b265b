import assert from "node:assert/strict";
import { test } from "node:test";
import { startAccountsServer } from "../../test/support/accounts-server.ts";
import { insertAccount, createRoomContext } from "../../test/support/context.ts";
import { createAccount } from "./create-account.ts";
import { createSetUpLink } from "./set-up.ts";
import { findAccountByEmail } from "./store/accounts.ts";
import { parseLinkToken } from "../../test/support/link-token.ts";

const BASE_URL = "http://localhost:8080";
const ANN = { email: "ann@example.org", password: "correct horse", name: "Ann" };
const BEN = { email: "ben@example.org", password: "battery staple", name: "Ben" };

test("a sign-up with the set-up link creates an administrator", async (t) => {
  const context = await createRoomContext(t);
  const server = await startAccountsServer(t, context, { signUp: "closed" });
  const link = await createSetUpLink(context, BASE_URL);
  assert.match(link ?? "", /^http:\/\/localhost:8080\/set-up#token=[\w-]{27}$/);

  const client = server.createClient();
  await client.signUp({ ...ANN, token: parseLinkToken(link) });

  const { id, ...me } = await client.me();
  assert.deepEqual(me, { email: ANN.email, name: "Ann", isAdmin: true });
  const account = await findAccountByEmail(context, "Ann@Example.org");
  assert.deepEqual(account, { ...me, id, isEmailVerified: true });
  assert.deepEqual(await server.listMails(), []);
});

test("concurrent sign-ups with a set-up link create one administrator", async (t) => {
  const context = await createRoomContext(t);
  const server = await startAccountsServer(t, context, { signUp: "closed" });
  const token = parseLinkToken(await createSetUpLink(context, BASE_URL));

  const people = [ANN, BEN, { ...ANN, email: "cleo@example.org" }];
  const responses = await Promise.all(
    people.map((person) => server.post("/api/auth/sign-up/email", { ...person, token })),
  );

  assert.equal(responses.filter((response) => response.status === 200).length, 1);
  const { db } = context.database;
  assert.equal((await db.selectFrom("account").select("id").execute()).length, 1);
});

test("a sign-up with an invalid field leaves the set-up link valid", async (t) => {
  const context = await createRoomContext(t);
  const server = await startAccountsServer(t, context, { signUp: "closed" });
  const token = parseLinkToken(await createSetUpLink(context, BASE_URL));

  const refusedResponse = await server.post("/api/auth/sign-up/email", {
    ...ANN,
    password: "short",
    token,
  });
  assert.equal(refusedResponse.status, 400);
  const acceptedResponse = await server.post("/api/auth/sign-up/email", { ...ANN, token });
  assert.equal(acceptedResponse.status, 200);
});

test("a new set-up link replaces the old one, until there is an administrator", async (t) => {
  const context = await createRoomContext(t);
  const server = await startAccountsServer(t, context, { signUp: "closed" });
  const firstToken = parseLinkToken(await createSetUpLink(context, BASE_URL));
  const secondToken = parseLinkToken(await createSetUpLink(context, BASE_URL));
  assert.notEqual(firstToken, secondToken);

  const response = await server.post("/api/auth/sign-up/email", { ...ANN, token: firstToken });
  assert.equal(response.status, 403);
  await insertAccount(context, { email: BEN.email, isAdmin: true });
  const laterResponse = await server.post("/api/auth/sign-up/email", {
    ...ANN,
    token: secondToken,
  });
  assert.equal(laterResponse.status, 403);
  assert.equal(await createSetUpLink(context, BASE_URL), null);
});

test("after the only administrator is gone, an old set-up link stays invalid and a new one works", async (t) => {
  const context = await createRoomContext(t);
  const server = await startAccountsServer(t, context, { signUp: "closed" });
  const oldToken = parseLinkToken(await createSetUpLink(context, BASE_URL));
  await createAccount(context, { ...BEN, isAdmin: true });
  const ben = server.createClient();
  await ben.signIn(BEN);
  await ben.profile.delete();
  const response = await server.post("/api/auth/sign-up/email", { ...ANN, token: oldToken });
  assert.equal(response.status, 403);
  const token = parseLinkToken(await createSetUpLink(context, BASE_URL));
  assert.equal((await server.post("/api/auth/sign-up/email", { ...ANN, token })).status, 200);
});

test("a sign-up with the address of an account leaves the set-up link valid", async (t) => {
  const context = await createRoomContext(t);
  const server = await startAccountsServer(t, context, { signUp: "closed" });
  const token = parseLinkToken(await createSetUpLink(context, BASE_URL));
  await insertAccount(context, { email: ANN.email });
  const refusedResponse = await server.post("/api/auth/sign-up/email", { ...ANN, token });
  assert.equal(refusedResponse.status, 409);
  const acceptedResponse = await server.post("/api/auth/sign-up/email", { ...BEN, token });
  assert.equal(acceptedResponse.status, 200);
});
