import assert from "node:assert/strict";
import { createPublicKey, verify } from "node:crypto";
import { test } from "node:test";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { generateVapidKeys } from "#secrets/vapid-keys.ts";
import { VapidTokens } from "./vapid-tokens.ts";

const HOUR_MS = 60 * 60 * 1000;
const ORIGIN = "https://updates.push.services.mozilla.com";
const keys = generateVapidKeys();

function setUp(startMs: number) {
  const clock = { ms: startMs, errorMs: 0 };
  const findContact = async () => "mailto:operator@example.com";
  const now = () => clock.ms + clock.errorMs;
  const elapsed = () => clock.ms - startMs;
  return { clock, tokens: new VapidTokens({ keys, findContact, now, elapsed }) };
}

function parseToken(authorization: string): string {
  return /^vapid t=(?<token>[^,]+), k=/u.exec(authorization)?.groups?.["token"] ?? "";
}

test("the header contains a token for the origin, signed with our key", async () => {
  const { clock, tokens } = setUp(1_800_000_000_000);
  const header = await tokens.getAuthorization(ORIGIN);
  const token = parseToken(header);
  assert.equal(header, `vapid t=${token}, k=${keys.publicKey}`);
  assert.deepEqual(decodeProtectedHeader(token), { alg: "ES256", typ: "JWT" });
  assert.deepEqual(decodeJwt(token), {
    aud: ORIGIN,
    exp: (clock.ms + 12 * HOUR_MS) / 1000,
    sub: "mailto:operator@example.com",
  });
  const [protectedHeader, claims, signature] = token.split(".");
  const point = Buffer.from(keys.publicKey, "base64url");
  const x = point.subarray(1, 33).toString("base64url");
  const y = point.subarray(33).toString("base64url");
  const key = createPublicKey({ format: "jwk", key: { kty: "EC", crv: "P-256", x, y } });
  const verifyKey = { key, dsaEncoding: "ieee-p1363" } as const;
  const signedData = Buffer.from(`${protectedHeader}.${claims}`);
  assert.ok(verify("sha256", signedData, verifyKey, Buffer.from(signature ?? "", "base64url")));
});

test("a token without a contact is replaced within a minute once there is one", async () => {
  const clock = { ms: 0 };
  let contact: string | null = null;
  const now = () => clock.ms;
  const tokens = new VapidTokens({ keys, findContact: async () => contact, now, elapsed: now });
  const withoutContact = await tokens.getAuthorization(ORIGIN);
  assert.ok(!("sub" in decodeJwt(parseToken(withoutContact))));
  contact = "mailto:ann@example.org";
  clock.ms += 59_999;
  assert.equal(await tokens.getAuthorization(ORIGIN), withoutContact);
  clock.ms += 1;
  assert.equal(decodeJwt(parseToken(await tokens.getAuthorization(ORIGIN))).sub, contact);
});

test("200 concurrent callers share one token per origin", async () => {
  const { tokens } = setUp(0);
  const calls = Array.from({ length: 200 }, async () => tokens.getAuthorization(ORIGIN));
  assert.equal(new Set(await Promise.all(calls)).size, 1);
  const otherToken = parseToken(await tokens.getAuthorization("https://web.push.apple.com"));
  assert.equal(decodeJwt(otherToken).aud, "https://web.push.apple.com");
});

test("a token is renewed after half its lifetime", async () => {
  const { clock, tokens } = setUp(100 * HOUR_MS);
  const firstHeader = await tokens.getAuthorization(ORIGIN);
  clock.ms += 6 * HOUR_MS - 1;
  assert.equal(await tokens.getAuthorization(ORIGIN), firstHeader);
  clock.ms += 1;
  assert.notEqual(await tokens.getAuthorization(ORIGIN), firstHeader);
});

test("a token is replaced if its expiry is past or too far ahead on the wall clock", async () => {
  const { clock, tokens } = setUp(100 * HOUR_MS);
  const firstHeader = await tokens.getAuthorization(ORIGIN);
  clock.errorMs = -12 * HOUR_MS;
  assert.equal(await tokens.getAuthorization(ORIGIN), firstHeader);
  clock.errorMs -= 1;
  const secondHeader = await tokens.getAuthorization(ORIGIN);
  assert.notEqual(secondHeader, firstHeader);
  clock.errorMs += 12 * HOUR_MS - 1;
  assert.equal(await tokens.getAuthorization(ORIGIN), secondHeader);
  clock.errorMs += 1;
  assert.notEqual(await tokens.getAuthorization(ORIGIN), secondHeader);
});

test("200 refusals of one token create one new token", async () => {
  const { tokens } = setUp(0);
  const refusedToken = await tokens.getAuthorization(ORIGIN);
  const calls = Array.from({ length: 200 }, async () => tokens.renew(ORIGIN, refusedToken));
  const renewed = new Set(await Promise.all(calls));
  assert.equal(renewed.size, 1);
  assert.ok(!renewed.has(null));
  assert.ok(!renewed.has(refusedToken));
});

test("a refused token is not replaced twice within an hour", async () => {
  const { clock, tokens } = setUp(0);
  const firstHeader = await tokens.getAuthorization(ORIGIN);
  const secondHeader = await tokens.renew(ORIGIN, firstHeader);
  assert.ok(secondHeader !== null);
  assert.equal(await tokens.renew(ORIGIN, secondHeader), null);
  clock.ms += HOUR_MS;
  const thirdHeader = await tokens.renew(ORIGIN, secondHeader);
  assert.ok(thirdHeader !== null);
  assert.notEqual(thirdHeader, secondHeader);
});

test("renew returns the current token for a refused older one", async () => {
  const { clock, tokens } = setUp(0);
  const older = await tokens.getAuthorization(ORIGIN);
  clock.ms += 6 * HOUR_MS;
  const current = await tokens.getAuthorization(ORIGIN);
  assert.equal(await tokens.renew(ORIGIN, older), current);
});

test("only the 1000 most recently used origins are kept", async () => {
  const { tokens } = setUp(0);
  const firstHeader = await tokens.getAuthorization("https://0.example.com");
  const secondHeader = await tokens.getAuthorization("https://1.example.com");
  assert.equal(await tokens.getAuthorization("https://0.example.com"), firstHeader);
  for (let index = 2; index <= 1_000; index++) {
    await tokens.getAuthorization(`https://${index}.example.com`);
  }
  assert.equal(await tokens.getAuthorization("https://0.example.com"), firstHeader);
  assert.notEqual(await tokens.getAuthorization("https://1.example.com"), secondHeader);
});

test("a forced renewal on a wrong clock does not block one on the corrected clock", async () => {
  const { clock, tokens } = setUp(100 * HOUR_MS);
  const forced = await tokens.renew(ORIGIN, await tokens.getAuthorization(ORIGIN));
  assert.ok(forced !== null);
  clock.errorMs = -24 * HOUR_MS;
  const afterRollback = await tokens.getAuthorization(ORIGIN);
  assert.notEqual(await tokens.renew(ORIGIN, afterRollback), null);
});
