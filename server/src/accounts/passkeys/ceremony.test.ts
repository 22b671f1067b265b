import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { TocsinError } from "@tocsin/sdk";
import { toCoseKey } from "../../../test/doubles/cose-key.ts";
import {
  SoftwareAuthenticator,
  type Deviation,
} from "../../../test/doubles/software-authenticator.ts";
import {
  ORIGIN,
  addPasskey,
  signInWithPasskey,
  startPasskeyFixture,
} from "../../../test/support/passkey-fixture.ts";

const REFUSED = { status: 400, code: "invalid_field", field: "credential" };

/** Each value is invalid in one way, in both ceremonies. */
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

test("a passkey of another origin or ceremony, or without user verification, is not registered", async (t) => {
  const { ann } = await startPasskeyFixture(t);
  const otherDeviations: readonly Deviation[] = [{ type: "webauthn.get" }, { challenge: "AAAA" }];
  for (const deviation of [...DEVIATIONS, ...otherDeviations]) {
    const authenticator = new SoftwareAuthenticator(ORIGIN);
    const credential = authenticator.create(await ann.passkeys.options(), deviation);
    const { challenge } = deviation;
    const error = challenge === undefined ? REFUSED : { code: "expired" };
    await assert.rejects(ann.passkeys.create({ name: "Key", credential }), error);
  }
  assert.deepEqual((await ann.passkeys.list()).items, []);
});

test("a weak or unsupported key, or the id of another credential, is not registered", async (t) => {
  const { ann } = await startPasskeyFixture(t);
  const weakKey = toCoseKey(generateKeyPairSync("rsa", { modulusLength: 1_024 }).publicKey);
  const otherKey = toCoseKey(generateKeyPairSync("ec", { namedCurve: "secp521r1" }).publicKey);
  const deviations: readonly Deviation[] = [
    { publicKey: weakKey },
    { publicKey: otherKey },
    // The algorithm (label 3) is ES512 (-36): RFC 9053, section 2.1.
    { publicKey: new Map([...otherKey, [3, -36]]) },
    { publicKey: new Map() },
    { id: "AAAA" },
  ];
  for (const deviation of deviations) {
    const authenticator = new SoftwareAuthenticator(ORIGIN);
    const credential = authenticator.create(await ann.passkeys.options(), deviation);
    await assert.rejects(ann.passkeys.create({ name: "Key", credential }), REFUSED);
  }
});

test("attestation is ignored", async (t) => {
  const { server, ann } = await startPasskeyFixture(t);
  const statements = [
    { fmt: "packed", attStmt: new Map([["x5c", [new Uint8Array(9)]]]) },
    { fmt: "unheard of", attStmt: new Map([["sig", new Uint8Array(9)]]) },
  ];
  for (const attestation of statements) {
    const authenticator = new SoftwareAuthenticator(ORIGIN);
    const credential = authenticator.create(await ann.passkeys.options(), { attestation });
    await ann.passkeys.create({ name: "Key", credential });
    await signInWithPasskey(server.createClient(), authenticator);
  }
});

test("malformed registrations and signatures are refused as invalid or expired", async (t) => {
  const { server, ann, context } = await startPasskeyFixture(t);
  const authenticator = new SoftwareAuthenticator(ORIGIN);
  await addPasskey(ann, authenticator);
  for (const bytes of ["", "AAAA", "%%%", "gA", "n_________8", "gYGBgYGBgYE".repeat(500)]) {
    const registration = new SoftwareAuthenticator(ORIGIN).create(await ann.passkeys.options());
    for (const field of ["clientDataJSON", "attestationObject"]) {
      const credential = {
        ...registration,
        response: { ...registration.response, [field]: bytes },
      };
      await assert.rejects(ann.passkeys.create({ name: "Key", credential }), isRefusal);
    }
    for (const field of ["clientDataJSON", "authenticatorData", "signature"]) {
      const assertion = authenticator.get(await server.createClient().passkeySignInOptions());
      const credential = { ...assertion, response: { ...assertion.response, [field]: bytes } };
      await assert.rejects(server.createClient().signInWithPasskey({ credential }), isRefusal);
      // Allows one more attempt, and the session still counts as recent.
      context.clock.advance(6_000);
    }
  }
});

test("an assertion of another origin, ceremony or user, or without user verification, does not sign in", async (t) => {
  const { server, ann, context } = await startPasskeyFixture(t);
  const authenticator = new SoftwareAuthenticator(ORIGIN);
  await addPasskey(ann, authenticator);
  const ben = Buffer.from("ben").toString("base64url");
  const otherDeviations = [{ type: "webauthn.create" }, { signCount: 0 }, { userHandle: ben }];
  await signInWithPasskey(server.createClient(), authenticator);
  for (const deviation of [...DEVIATIONS, ...otherDeviations]) {
    await assert.rejects(
      signInWithPasskey(server.createClient(), authenticator, deviation),
      REFUSED,
    );
    context.clock.advance(60_000);
  }
  const { response, ...assertion } = authenticator.get(
    await server.createClient().passkeySignInOptions(),
  );
  const credential = { ...assertion, response: { ...response, userHandle: null } };
  await server.createClient().signInWithPasskey({ credential });
});

function isRefusal(error: unknown): boolean {
  assert.ok(error instanceof TocsinError && ["invalid_field", "expired"].includes(error.code));
  return true;
}
