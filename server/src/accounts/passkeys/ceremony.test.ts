import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { TocsinError } from "@tocsin/sdk";
import { coseKeyOf } from "../../../test/doubles/cose-key.ts";
import {
  SoftwareAuthenticator,
  type Deviation,
} from "../../../test/doubles/software-authenticator.ts";
import {
  ORIGIN,
  addPasskey,
  signInWithPasskey,
  startPasskeys,
} from "../../../test/support/passkeys.ts";

const REFUSED = { status: 400, code: "invalid_field", field: "credential" };

/** Each is wrong in one way, in both ceremonies. */
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

test("a passkey of another page, server or kind, or without its owner, is not registered", async (t) => {
  const { ann } = await startPasskeys(t);
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

test("a key that is too weak, of another kind or missing, and another credential's id, are not registered", async (t) => {
  const { ann } = await startPasskeys(t);
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

test("attestation is ignored, whatever it is", async (t) => {
  const { server, ann } = await startPasskeys(t);
  const statements = [
    { fmt: "packed", attStmt: new Map([["x5c", [new Uint8Array(9)]]]) },
    { fmt: "unheard of", attStmt: new Map([["sig", new Uint8Array(9)]]) },
  ];
  for (const attestation of statements) {
    const authenticator = new SoftwareAuthenticator(ORIGIN);
    const credential = authenticator.create(await ann.passkeys.options(), { attestation });
    await ann.passkeys.create({ name: "Key", credential });
    await signInWithPasskey(server.client(), authenticator);
  }
});

test("bytes that are no registration or no signature are refused as bad input", async (t) => {
  const { server, ann, context } = await startPasskeys(t);
  const authenticator = new SoftwareAuthenticator(ORIGIN);
  await addPasskey(ann, authenticator);
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
      // Enough for one more try, and the session stays fresh.
      context.clock.advance(6_000);
    }
  }
});

test("a passkey of another page or server, or without its owner, does not sign in", async (t) => {
  const { server, ann, context } = await startPasskeys(t);
  const authenticator = new SoftwareAuthenticator(ORIGIN);
  await addPasskey(ann, authenticator);
  const ben = Buffer.from("ben").toString("base64url");
  const more = [{ type: "webauthn.create" }, { signCount: 0 }, { userHandle: ben }];
  await signInWithPasskey(server.client(), authenticator);
  for (const deviation of [...DEVIATIONS, ...more]) {
    await assert.rejects(signInWithPasskey(server.client(), authenticator, deviation), REFUSED);
    context.clock.advance(60_000);
  }
  const { response, ...signed } = authenticator.get(await server.client().passkeySignInOptions());
  const credential = { ...signed, response: { ...response, userHandle: null } };
  await server.client().signInWithPasskey({ credential });
});

function isRefusal(error: unknown): boolean {
  assert.ok(error instanceof TocsinError && ["invalid_field", "expired"].includes(error.code));
  return true;
}
