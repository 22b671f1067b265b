import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test, type TestContext } from "node:test";
import { TocsinError, type Client } from "@tocsin/sdk";
import {
  coseKeyOf,
  SoftwareAuthenticator,
  type Deviation,
} from "../../../test/doubles/software-authenticator.ts";
import { startAccounts } from "../../../test/support/accounts.ts";
import { testContext } from "../../../test/support/room.ts";
import { createAccount } from "../create-account.ts";

const ORIGIN = "https://push.example.org";
const ANN = { email: "ann@example.org", password: "correct horse", name: "Ann", isAdmin: false };
const BEN = { ...ANN, email: "ben@example.org", name: "Ben" };
const REFUSED = { status: 400, code: "invalid_field", field: "credential" };

/** Wrong in one way each, in both ceremonies. */
const DEVIATIONS: readonly Deviation[] = [
  { origin: "https://evil.example" },
  { origin: "https://push.example.org.evil.example" },
  { origin: "http://push.example.org" },
  { rpId: "evil.example" },
  { rpId: "example.org" },
  { crossOrigin: true },
  { isUserVerified: false },
  { isUserPresent: false },
];

test("a passkey signs in without a name, again and again, with each kind of key", async (t) => {
  const { server, ann } = await start(t);
  for (const algorithm of ["ES256", "RS256", "EdDSA"] as const) {
    const authenticator = new SoftwareAuthenticator(ORIGIN, algorithm);
    await add(ann, authenticator);
    for (let times = 0; times < 2; times += 1) {
      const browser = server.client();
      await signIn(browser, authenticator);
      assert.equal((await browser.me()).email, ANN.email);
    }
  }
});

test("the questions name this server, ask for the owner and tell which passkeys are known", async (t) => {
  const { server, ann } = await start(t);
  const authenticator = new SoftwareAuthenticator(ORIGIN);
  const first = await ann.passkeys.options();
  assert.equal(first.rp.id, "push.example.org");
  assert.equal(first.authenticatorSelection.userVerification, "required");
  assert.equal(first.authenticatorSelection.residentKey, "required");
  assert.deepEqual(first.excludeCredentials, []);
  const credential = authenticator.create(first);
  await ann.passkeys.create({ name: "Key", credential });
  const { excludeCredentials } = await ann.passkeys.options();
  assert.deepEqual(excludeCredentials, [{ type: "public-key", id: credential.id }]);
  const question = await server.client().passkeySignInOptions();
  assert.deepEqual(question.allowCredentials, []);
  assert.equal(question.userVerification, "required");
});

test("a passkey of another page, server or kind, or without its owner, is not registered", async (t) => {
  const { ann } = await start(t);
  const more: readonly Deviation[] = [{ type: "webauthn.get" }, { challenge: "AAAA" }];
  for (const deviation of [...DEVIATIONS, ...more]) {
    const authenticator = new SoftwareAuthenticator(ORIGIN);
    const credential = authenticator.create(await ann.passkeys.options(), deviation);
    const { challenge } = deviation;
    const error = challenge === undefined ? REFUSED : { code: "expired" };
    await assert.rejects(ann.passkeys.create({ name: "Key", credential }), error);
  }
  assert.deepEqual((await ann.passkeys.list()).items, []);
});

test("a key that is too weak, of another kind or none, and another credential's id, are not registered", async (t) => {
  const { ann } = await start(t);
  const weak = coseKeyOf(generateKeyPairSync("rsa", { modulusLength: 1_024 }).publicKey);
  const other = coseKeyOf(generateKeyPairSync("ec", { namedCurve: "secp521r1" }).publicKey);
  const deviations: readonly Deviation[] = [
    { publicKey: weak },
    { publicKey: other },
    { publicKey: new Map([...other, [3, -36]]) },
    { publicKey: new Map() },
    { id: "AAAA" },
  ];
  for (const deviation of deviations) {
    const authenticator = new SoftwareAuthenticator(ORIGIN);
    const credential = authenticator.create(await ann.passkeys.options(), deviation);
    await assert.rejects(ann.passkeys.create({ name: "Key", credential }), REFUSED);
  }
});

test("what an authenticator says of its make is not looked at, whatever it is", async (t) => {
  const { server, ann } = await start(t);
  const statements = [
    { fmt: "packed", attStmt: new Map([["x5c", [new Uint8Array(9)]]]) },
    { fmt: "unheard of", attStmt: new Map([["sig", new Uint8Array(9)]]) },
  ];
  for (const attestation of statements) {
    const authenticator = new SoftwareAuthenticator(ORIGIN);
    const credential = authenticator.create(await ann.passkeys.options(), { attestation });
    await ann.passkeys.create({ name: "Key", credential });
    await signIn(server.client(), authenticator);
  }
});

test("bytes that are no registration or no signature are refused, not an accident", async (t) => {
  const { server, ann, context } = await start(t);
  const authenticator = new SoftwareAuthenticator(ORIGIN);
  await add(ann, authenticator);
  for (const bytes of ["", "AAAA", "%%%", "gA", "n_________8", "gYGBgYGBgYE".repeat(500)]) {
    const made = new SoftwareAuthenticator(ORIGIN).create(await ann.passkeys.options());
    for (const field of ["clientDataJSON", "attestationObject"]) {
      const credential = { ...made, response: { ...made.response, [field]: bytes } };
      await assert.rejects(ann.passkeys.create({ name: "Key", credential }), isRefusal);
    }
    for (const field of ["clientDataJSON", "authenticatorData", "signature"]) {
      const signed = authenticator.get(await server.client().passkeySignInOptions());
      const credential = { ...signed, response: { ...signed.response, [field]: bytes } };
      await assert.rejects(server.client().signInWithPasskey({ credential }), isRefusal);
      context.clock.advance(60_000);
    }
  }
});

test("a passkey of another page or server, or without its owner, does not sign in", async (t) => {
  const { server, ann, context } = await start(t);
  const authenticator = new SoftwareAuthenticator(ORIGIN);
  await add(ann, authenticator);
  const ben = Buffer.from("ben").toString("base64url");
  const more = [{ type: "webauthn.create" }, { signCount: 0 }, { userHandle: ben }];
  await signIn(server.client(), authenticator);
  for (const deviation of [...DEVIATIONS, ...more]) {
    await assert.rejects(signIn(server.client(), authenticator, deviation), REFUSED);
    context.clock.advance(60_000);
  }
  const { response, ...signed } = authenticator.get(await server.client().passkeySignInOptions());
  const credential = { ...signed, response: { ...response, userHandle: null } };
  await server.client().signInWithPasskey({ credential });
});

test("a signature counts for its question alone, once, and for five minutes", async (t) => {
  const { server, ann, context } = await start(t);
  const authenticator = new SoftwareAuthenticator(ORIGIN);
  await add(ann, authenticator);
  const browser = server.client();
  const question = await browser.passkeySignInOptions();
  const credential = authenticator.get(question);
  await browser.signInWithPasskey({ credential });
  await assert.rejects(browser.signInWithPasskey({ credential }), { code: "expired" });

  const forged = authenticator.get(await browser.passkeySignInOptions());
  const { signature } = credential.response;
  const response = { ...forged.response, signature };
  await assert.rejects(browser.signInWithPasskey({ credential: { ...forged, response } }), REFUSED);
  const late = authenticator.get(await browser.passkeySignInOptions());
  context.clock.advance(5 * 60_000);
  await assert.rejects(browser.signInWithPasskey({ credential: late }), { code: "expired" });
  const registration = await ann.passkeys.options();
  const mixed = { ...question, challenge: registration.challenge };
  const crossed = authenticator.get(mixed);
  await assert.rejects(browser.signInWithPasskey({ credential: crossed }), { code: "expired" });
});

test("an authenticator that was copied is found out by its count", async (t) => {
  const { server, ann } = await start(t);
  const authenticator = new SoftwareAuthenticator(ORIGIN);
  await add(ann, authenticator);
  await signIn(server.client(), authenticator, { signCount: 7 });
  await assert.rejects(signIn(server.client(), authenticator, { signCount: 7 }), REFUSED);
  await signIn(server.client(), authenticator, { signCount: 8 });
});

test("an authenticator that does not count signs in for ever", async (t) => {
  const { server, ann } = await start(t);
  const authenticator = new SoftwareAuthenticator(ORIGIN);
  await add(ann, authenticator);
  for (const signCount of [0, 0]) await signIn(server.client(), authenticator, { signCount });
});

test("a passkey is listed, named and forgotten by its owner alone", async (t) => {
  const { server, ann, ben, context } = await start(t);
  const authenticator = new SoftwareAuthenticator(ORIGIN);
  const { id } = await add(ann, authenticator);
  const createdAt = new Date(context.now()).toISOString();
  await signIn(server.client(), authenticator);
  assert.deepEqual((await ann.passkeys.list()).items, [
    { id, name: "Key", createdAt, lastUsedAt: createdAt },
  ]);
  assert.deepEqual((await ben.passkeys.list()).items, []);
  await assert.rejects(ben.passkeys.update(id, { name: "Mine" }), { status: 404 });
  await assert.rejects(ben.passkeys.remove(id), { status: 404 });
  assert.equal((await ann.passkeys.update(id, { name: " Laptop " })).name, "Laptop");
  await assert.rejects(ann.passkeys.update(id, { name: "" }), { field: "name" });
  await ann.passkeys.remove(id);
  await assert.rejects(signIn(server.client(), authenticator), REFUSED);
});

test("a question to one account is not answered by another", async (t) => {
  const { ann, ben } = await start(t);
  const credential = new SoftwareAuthenticator(ORIGIN).create(await ann.passkeys.options());
  await assert.rejects(ben.passkeys.create({ name: "Key", credential }), { code: "expired" });
});

test("a credential is registered once", async (t) => {
  const { ann, ben } = await start(t);
  const authenticator = new SoftwareAuthenticator(ORIGIN);
  await add(ann, authenticator);
  const again = { ...(await ann.passkeys.options()) };
  const made = authenticator.create(again);
  await ann.passkeys.create({ name: "Key", credential: made });
  const question = await ben.passkeys.options();
  const { clientDataJSON } = new SoftwareAuthenticator(ORIGIN).create(question).response;
  const credential = { ...made, response: { ...made.response, clientDataJSON } };
  await assert.rejects(ben.passkeys.create({ name: "Key", credential }), { code: "conflict" });
});

test("adding a passkey asks for the password once the session is ten minutes old, and of an access token always", async (t) => {
  const { server, ann, context } = await start(t);
  const { token } = await ann.accessTokens.create({ label: "phone" });
  const missing = { status: 403, code: "password_required" };
  await assert.rejects(server.client(token).passkeys.options(), missing);
  const then = new Date(context.now() - 10 * 60_000 - 1).toISOString();
  await context.database.db.updateTable("session").set({ created_at: then }).execute();
  await assert.rejects(ann.passkeys.options(), missing);
  await assert.rejects(ann.passkeys.options({ password: "wrong" }), { field: "password" });
  await ann.passkeys.options({ password: ANN.password });
  await server.client(token).passkeys.options({ password: ANN.password });
});

test("wrong passwords of somebody who is signed in are limited", async (t) => {
  const { ann } = await start(t);
  const wrong = () => ann.passkeys.options({ password: "wrong" });
  for (let tries = 0; tries < 10; tries += 1) await assert.rejects(wrong(), { field: "password" });
  const right = ann.passkeys.options({ password: ANN.password });
  await assert.rejects(right, { status: 429, code: "rate_limited" });
});

function isRefusal(error: unknown): boolean {
  assert.ok(error instanceof TocsinError && ["invalid_field", "expired"].includes(error.code));
  return true;
}

async function start(t: TestContext) {
  const context = await testContext(t);
  await createAccount(context, ANN);
  await createAccount(context, BEN);
  const server = await startAccounts(t, context, { baseUrl: ORIGIN });
  const [ann, ben] = [server.client(), server.client()];
  await ann.signIn(ANN);
  await ben.signIn(BEN);
  return { context, server, ann, ben };
}

async function add(client: Client, authenticator: SoftwareAuthenticator) {
  const credential = authenticator.create(await client.passkeys.options());
  return client.passkeys.create({ name: "Key", credential });
}

async function signIn(client: Client, by: SoftwareAuthenticator, deviation: Deviation = {}) {
  const credential = by.get(await client.passkeySignInOptions(), deviation);
  await client.signInWithPasskey({ credential });
}
