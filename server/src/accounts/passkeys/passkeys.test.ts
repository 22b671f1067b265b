import assert from "node:assert/strict";
import { test } from "node:test";
import { SoftwareAuthenticator } from "../../../test/doubles/software-authenticator.ts";
import {
  ANN,
  ORIGIN,
  addPasskey,
  signInWithPasskey,
  startPasskeyFixture,
} from "../../../test/support/passkey-fixture.ts";

const REFUSED = { status: 400, code: "invalid_field", field: "credential" };

test("a passkey with each kind of key signs in without an email address", async (t) => {
  const { server, ann } = await startPasskeyFixture(t);
  for (const algorithm of ["ES256", "RS256", "EdDSA"] as const) {
    const authenticator = new SoftwareAuthenticator(ORIGIN, algorithm);
    await addPasskey(ann, authenticator);
    for (let round = 0; round < 2; round += 1) {
      const browser = server.createClient();
      await signInWithPasskey(browser, authenticator);
      assert.equal((await browser.me()).email, ANN.email);
    }
  }
});

test("the options name this server, require user verification and exclude known passkeys", async (t) => {
  const { server, ann } = await startPasskeyFixture(t);
  const authenticator = new SoftwareAuthenticator(ORIGIN);
  const firstOptions = await ann.passkeys.options();
  assert.equal(firstOptions.rp.id, "push.example.org");
  assert.equal(firstOptions.authenticatorSelection.userVerification, "required");
  assert.equal(firstOptions.authenticatorSelection.residentKey, "required");
  assert.deepEqual(firstOptions.excludeCredentials, []);
  const credential = authenticator.create(firstOptions);
  await ann.passkeys.create({ name: "Key", credential });
  const { excludeCredentials } = await ann.passkeys.options();
  assert.deepEqual(excludeCredentials, [{ type: "public-key", id: credential.id }]);
  const options = await server.createClient().passkeySignInOptions();
  assert.deepEqual(options.allowCredentials, []);
  assert.equal(options.userVerification, "required");
});

test("a signature is valid only for its challenge, once and within five minutes", async (t) => {
  const { server, ann, context } = await startPasskeyFixture(t);
  const authenticator = new SoftwareAuthenticator(ORIGIN);
  await addPasskey(ann, authenticator);
  const browser = server.createClient();
  const options = await browser.passkeySignInOptions();
  const credential = authenticator.get(options);
  await browser.signInWithPasskey({ credential });
  await assert.rejects(browser.signInWithPasskey({ credential }), { code: "expired" });

  const forgedAssertion = authenticator.get(await browser.passkeySignInOptions());
  const { signature } = credential.response;
  const response = { ...forgedAssertion.response, signature };
  await assert.rejects(
    browser.signInWithPasskey({ credential: { ...forgedAssertion, response } }),
    REFUSED,
  );
  const expiredCredential = authenticator.get(await browser.passkeySignInOptions());
  context.clock.advance(5 * 60_000);
  await assert.rejects(browser.signInWithPasskey({ credential: expiredCredential }), {
    code: "expired",
  });
  const registration = await ann.passkeys.options();
  const mixedOptions = { ...options, challenge: registration.challenge };
  const mixedCredential = authenticator.get(mixedOptions);
  await assert.rejects(browser.signInWithPasskey({ credential: mixedCredential }), {
    code: "expired",
  });
});

test("a copied authenticator is detected by its signature count", async (t) => {
  const { server, ann } = await startPasskeyFixture(t);
  const authenticator = new SoftwareAuthenticator(ORIGIN);
  await addPasskey(ann, authenticator);
  await signInWithPasskey(server.createClient(), authenticator, { signCount: 7 });
  await assert.rejects(
    signInWithPasskey(server.createClient(), authenticator, { signCount: 7 }),
    REFUSED,
  );
  await signInWithPasskey(server.createClient(), authenticator, { signCount: 8 });
});

test("an authenticator without a signature count signs in repeatedly", async (t) => {
  const { server, ann } = await startPasskeyFixture(t);
  const authenticator = new SoftwareAuthenticator(ORIGIN);
  await addPasskey(ann, authenticator);
  for (const signCount of [0, 0])
    await signInWithPasskey(server.createClient(), authenticator, { signCount });
});

test("only the owner of a passkey can list, rename or remove it", async (t) => {
  const { server, ann, ben, context } = await startPasskeyFixture(t);
  const authenticator = new SoftwareAuthenticator(ORIGIN);
  const { id } = await addPasskey(ann, authenticator);
  const createdAt = new Date(context.now()).toISOString();
  await signInWithPasskey(server.createClient(), authenticator);
  assert.deepEqual((await ann.passkeys.list()).items, [
    { id, name: "Key", createdAt, lastUsedAt: createdAt },
  ]);
  assert.deepEqual((await ben.passkeys.list()).items, []);
  await assert.rejects(ben.passkeys.update(id, { name: "Mine" }), { status: 404 });
  await assert.rejects(ben.passkeys.remove(id), { status: 404 });
  assert.equal((await ann.passkeys.update(id, { name: " Laptop " })).name, "Laptop");
  await assert.rejects(ann.passkeys.update(id, { name: "" }), { field: "name" });
  await ann.passkeys.remove(id);
  await assert.rejects(signInWithPasskey(server.createClient(), authenticator), REFUSED);
});

test("a new passkey is announced by email", async (t) => {
  const { server, ann } = await startPasskeyFixture(t);
  await addPasskey(ann, new SoftwareAuthenticator(ORIGIN));
  const [mail, ...rest] = await server.listMails();
  assert.deepEqual([mail?.purpose, mail?.to, rest], ["account_notice", ANN.email, []]);
  assert.match(mail?.text ?? "", /remove the passkey/);
});

test("another account cannot answer a registration challenge", async (t) => {
  const { ann, ben } = await startPasskeyFixture(t);
  const credential = new SoftwareAuthenticator(ORIGIN).create(await ann.passkeys.options());
  await assert.rejects(ben.passkeys.create({ name: "Key", credential }), { code: "expired" });
});

test("a credential can be registered only once", async (t) => {
  const { ann, ben } = await startPasskeyFixture(t);
  const authenticator = new SoftwareAuthenticator(ORIGIN);
  await addPasskey(ann, authenticator);
  const ownOptions = { ...(await ann.passkeys.options()) };
  const registration = authenticator.create(ownOptions);
  await ann.passkeys.create({ name: "Key", credential: registration });
  const options = await ben.passkeys.options();
  const { clientDataJSON } = new SoftwareAuthenticator(ORIGIN).create(options).response;
  const credential = { ...registration, response: { ...registration.response, clientDataJSON } };
  await assert.rejects(ben.passkeys.create({ name: "Key", credential }), { code: "conflict" });
});

test("adding a passkey requires the password unless the sign-in is recent", async (t) => {
  const { server, ann, context } = await startPasskeyFixture(t);
  const { token } = await ann.accessTokens.create({ label: "phone" });
  const passwordRequired = { status: 403, code: "password_required" };
  await assert.rejects(server.createClient(token).passkeys.options(), passwordRequired);
  const tenMinutesAgo = new Date(context.now() - 10 * 60_000 - 1).toISOString();
  await context.database.db.updateTable("session").set({ created_at: tenMinutesAgo }).execute();
  await assert.rejects(ann.passkeys.options(), passwordRequired);
  await assert.rejects(ann.passkeys.options({ password: "wrong" }), { field: "password" });
  await ann.passkeys.options({ password: ANN.password });
  await server.createClient(token).passkeys.options({ password: ANN.password });
});

test("wrong passwords of a signed-in caller are limited", async (t) => {
  const { ann } = await startPasskeyFixture(t);
  const guess = () => ann.passkeys.options({ password: "wrong" });
  for (let attempt = 0; attempt < 10; attempt += 1)
    await assert.rejects(guess(), { field: "password" });
  const correctAttempt = ann.passkeys.options({ password: ANN.password });
  await assert.rejects(correctAttempt, { status: 429, code: "rate_limited" });
});
