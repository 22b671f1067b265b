import assert from "node:assert/strict";
import { test } from "node:test";
import { startAccountsServer } from "../../test/support/accounts-server.ts";
import { createRoomContext } from "../../test/support/context.ts";
import { createSetUpLink } from "./set-up.ts";
import { findAccountByEmail } from "./store/accounts.ts";
import { parseLinkToken } from "../../test/support/link-token.ts";

const ANN = { email: "ann@example.org", password: "correct horse", name: "Ann" };
const BEN = { email: "ben@example.org", password: "battery staple", name: "Ben" };
const SIGN_UP = "/api/auth/sign-up/email";

test("open sign-up creates an ordinary account, even on an empty server, and leaves its set-up link valid", async (t) => {
  const context = await createRoomContext(t);
  const server = await startAccountsServer(t, context, { signUp: "open" });
  const setUpLink = await createSetUpLink(context, "http://localhost:8080");

  const client = server.createClient();
  await client.signUp({ ...ANN, email: "Ann@Example.org" });

  const { id, ...me } = await client.me();
  assert.deepEqual(me, { email: "ann@example.org", name: "Ann", isAdmin: false });
  assert.ok(id);

  const setUpResponse = await server.post(SIGN_UP, { ...BEN, token: parseLinkToken(setUpLink) });
  assert.equal(setUpResponse.status, 200);
  assert.equal((await findAccountByEmail(context, BEN.email))?.isAdmin, true);
});

test("a sign-up cannot set isAdmin or isEmailVerified", async (t) => {
  const context = await createRoomContext(t);
  const server = await startAccountsServer(t, context, { signUp: "open" });
  const extraFields = { isAdmin: true, is_admin: 1, emailVerified: true, isEmailVerified: true };
  for (const [name, value] of Object.entries(extraFields)) {
    const refusedResponse = await server.post(SIGN_UP, { ...ANN, [name]: value });
    assert.deepEqual(
      [refusedResponse.status, await readErrorCode(refusedResponse)],
      [400, "invalid_field"],
      name,
    );
  }
  assert.equal(await findAccountByEmail(context, ANN.email), null);
});

test("a sign-up with the address of an account is a conflict, in any letter case", async (t) => {
  const server = await startAccountsServer(t, await createRoomContext(t), { signUp: "open" });
  assert.equal((await server.post(SIGN_UP, ANN)).status, 200);
  const repeatedResponse = await server.post(SIGN_UP, { ...ANN, email: "ANN@example.org" });
  assert.deepEqual(
    [repeatedResponse.status, await readErrorCode(repeatedResponse)],
    [409, "conflict"],
  );
});

test("sign-up by invitation requires a valid link and the invited address, which a copied link leaves unverified", async (t) => {
  const context = await createRoomContext(t);
  const server = await startAccountsServer(t, context, {
    signUp: "invite",
    invitations: { copied: { email: ANN.email, isMailed: false } },
  });

  const responseWithoutToken = await server.post(SIGN_UP, ANN);
  assert.deepEqual(
    [responseWithoutToken.status, await readErrorCode(responseWithoutToken)],
    [403, "invitation_required"],
  );
  const unknownTokenResponse = await server.post(SIGN_UP, { ...ANN, token: "unknown" });
  assert.deepEqual(
    [unknownTokenResponse.status, await readErrorCode(unknownTokenResponse)],
    [403, "invitation_required"],
  );
  const otherAddressResponse = await server.post(SIGN_UP, { ...BEN, token: "copied" });
  assert.deepEqual(
    [otherAddressResponse.status, await readErrorCode(otherAddressResponse)],
    [403, "wrong_account"],
  );
  const invitedResponse = await server.post(SIGN_UP, { ...ANN, token: "copied" });
  assert.equal(invitedResponse.status, 200);
  assert.equal((await findAccountByEmail(context, ANN.email))?.isEmailVerified, false);
  assert.deepEqual(
    (await server.listMails()).map(({ purpose, to }) => [purpose, to]),
    [["verify_email", ANN.email]],
  );
});

test("an emailed invitation token verifies the address", async (t) => {
  const context = await createRoomContext(t);
  const server = await startAccountsServer(t, context, {
    signUp: "invite",
    invitations: { mailed: { email: ANN.email, isMailed: true } },
  });
  assert.equal((await server.post(SIGN_UP, { ...ANN, token: "mailed" })).status, 200);
  assert.equal((await findAccountByEmail(context, ANN.email))?.isEmailVerified, true);
  assert.deepEqual(await server.listMails(), []);
});

test("closed sign-up also refuses invitations", async (t) => {
  const server = await startAccountsServer(t, await createRoomContext(t), {
    signUp: "closed",
    invitations: { mailed: { email: ANN.email, isMailed: true } },
  });
  for (const request of [ANN, { ...ANN, token: "mailed" }]) {
    const refusedResponse = await server.post(SIGN_UP, request);
    assert.deepEqual(
      [refusedResponse.status, await readErrorCode(refusedResponse)],
      [403, "sign_up_closed"],
    );
  }
});

test("a verification link works only by POST, and repeatedly", async (t) => {
  const context = await createRoomContext(t);
  const server = await startAccountsServer(t, context, { signUp: "open" });
  await server.post(SIGN_UP, ANN);
  const [mail] = await server.listMails();
  assert.match(mail?.link ?? "", /^http:\/\/localhost:8080\/verify#token=/);
  assert.ok(mail?.text.includes(mail.link));
  const token = parseLinkToken(mail?.link);

  const getResponse = await fetch(`${server.url}/api/auth/verify-email?token=${token}`);
  assert.equal(getResponse.status, 405);
  assert.equal((await findAccountByEmail(context, ANN.email))?.isEmailVerified, false);
  const forgedTokenResponse = await server.post("/api/auth/verify-email", { token: `x${token}` });
  assert.deepEqual(
    [forgedTokenResponse.status, await readErrorCode(forgedTokenResponse)],
    [400, "expired"],
  );
  for (const _ of [1, 2]) {
    assert.equal((await server.post("/api/auth/verify-email", { token })).status, 200);
  }
  assert.equal((await findAccountByEmail(context, ANN.email))?.isEmailVerified, true);
});

test("a refused sign-up names the invalid field", async (t) => {
  const server = await startAccountsServer(t, await createRoomContext(t), { signUp: "open" });
  const invalidChanges = [
    { email: "ann@example.org, ben@example.org" },
    { email: "ann@localhost" },
    { email: "Ann <ann@example.org>" },
    { password: "1234567" },
    { password: "x".repeat(129) },
    { name: " \n " },
    { name: "x".repeat(101) },
  ];
  for (const change of invalidChanges) {
    const refusedResponse = await server.post(SIGN_UP, { ...ANN, ...change });
    const { error } = (await refusedResponse.json()) as { error: { code: string; field: string } };
    const code = "email" in change ? "invalid_email" : "invalid_field";
    assert.deepEqual(
      [refusedResponse.status, error.code, error.field],
      [400, code, Object.keys(change)[0]],
    );
  }
});

test("people with unusual addresses and passwords can sign up and sign in", async (t) => {
  const server = await startAccountsServer(t, await createRoomContext(t), { signUp: "open" });
  const people = [
    { email: "o'brien+tag@mail.example.co", password: " spaces kept " },
    { email: "_-@a-b.example.museum", password: "🔑".repeat(64) },
    { email: "a.b.c-d_e@x1.example.org", password: "ﬁfteen ﬁshes" },
  ];
  for (const person of people) {
    await server.createClient().signUp({ ...person, name: "Ann" });
    const client = server.createClient();
    await client.signIn(person);
    assert.equal((await client.me()).email, person.email);
  }
});

async function readErrorCode(response: Response): Promise<string> {
  const { error } = (await response.json()) as { error: { code: string } };
  return error.code;
}
