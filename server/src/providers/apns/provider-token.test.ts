import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { test } from "node:test";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { ProviderToken } from "./provider-token.ts";

const MINUTE_MS = 60 * 1000;
const NOW = Date.UTC(2026, 10, 20, 12, 0, 0);
const { privateKey: key } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });

function createToken(startMs: number) {
  const clock = { ms: startMs, errorMs: 0 };
  const token = new ProviderToken({
    key,
    keyId: "ABC123DEFG",
    teamId: "DEF123GHIJ",
    now: () => clock.ms + clock.errorMs,
    elapsed: () => clock.ms - startMs,
  });
  return { clock, token };
}

test("the header has a signed token with only the key id, team id and time", async () => {
  const { token } = createToken(NOW + 999);
  const header = await token.getAuthorization();
  const jwt = header.replace(/^bearer /u, "");
  assert.equal(header, `bearer ${jwt}`);
  assert.deepEqual(decodeProtectedHeader(jwt), { alg: "ES256", kid: "ABC123DEFG" });
  assert.deepEqual(decodeJwt(jwt), { iss: "DEF123GHIJ", iat: NOW / 1000 });
  const [protectedHeader, claims, signature] = jwt.split(".");
  const verificationKey = { key: createPublicKey(key), dsaEncoding: "ieee-p1363" } as const;
  const signedBytes = Buffer.from(`${protectedHeader}.${claims}`);
  assert.ok(
    verify("sha256", signedBytes, verificationKey, Buffer.from(signature ?? "", "base64url")),
  );
});

test("200 concurrent callers share one token for 50 minutes", async () => {
  const { clock, token } = createToken(NOW);
  const headers = await Promise.all(
    Array.from({ length: 200 }, async () => token.getAuthorization()),
  );
  assert.equal(new Set(headers).size, 1);
  clock.ms += 50 * MINUTE_MS - 1;
  assert.equal(await token.getAuthorization(), headers[0]);
  clock.ms += 1;
  assert.notEqual(await token.getAuthorization(), headers[0]);
});

test("200 refusals of one token lead to one new token", async () => {
  const { clock, token } = createToken(NOW);
  const refusedHeader = await token.getAuthorization();
  clock.ms += 20 * MINUTE_MS;
  const headers = await Promise.all(
    Array.from({ length: 200 }, async () => token.renew(refusedHeader)),
  );
  assert.equal(new Set(headers).size, 1);
  assert.notEqual(headers[0], refusedHeader);
  assert.equal(await token.getAuthorization(), headers[0]);
});

test("a refused token is not replaced before it is 20 minutes old", async () => {
  const { clock, token } = createToken(NOW);
  const refusedHeader = await token.getAuthorization();
  assert.equal(token.getRenewalWaitMs(), 20 * MINUTE_MS);
  clock.ms += 20 * MINUTE_MS - 1;
  assert.equal(token.getRenewalWaitMs(), 1);
  assert.equal(await token.renew(refusedHeader), refusedHeader);
  clock.ms += 1;
  assert.equal(token.getRenewalWaitMs(), 0);
  assert.notEqual(await token.renew(refusedHeader), refusedHeader);
});

test("a late refusal of an older token yields the current one", async () => {
  const { clock, token } = createToken(NOW);
  const oldHeader = await token.getAuthorization();
  clock.ms += 50 * MINUTE_MS;
  const currentHeader = await token.getAuthorization();
  clock.ms += 30 * MINUTE_MS;
  assert.equal(await token.renew(oldHeader), currentHeader);
});

test("a wall clock that is set back does not change when a token is renewed", async () => {
  const { clock, token } = createToken(NOW);
  const firstHeader = await token.getAuthorization();
  clock.errorMs = -24 * 60 * MINUTE_MS;
  assert.equal(await token.getAuthorization(), firstHeader);
  assert.equal(await token.renew(firstHeader), firstHeader);
  clock.ms += 50 * MINUTE_MS - 1;
  assert.equal(await token.getAuthorization(), firstHeader);
  clock.ms += 1;
  const nextHeader = await token.getAuthorization();
  assert.notEqual(nextHeader, firstHeader);
  assert.equal(
    decodeJwt(nextHeader.slice("bearer ".length)).iat,
    (clock.ms + clock.errorMs) / 1000,
  );
});

test("a refused token that a wrong clock signed is replaced after 20 minutes", async () => {
  const { clock, token } = createToken(NOW);
  const wrongHeader = await token.getAuthorization();
  clock.errorMs = -24 * 60 * MINUTE_MS;
  clock.ms += 20 * MINUTE_MS - 1;
  assert.equal(await token.renew(wrongHeader), wrongHeader);
  clock.ms += 1;
  assert.notEqual(await token.renew(wrongHeader), wrongHeader);
});

test("a token that expired while the machine slept is replaced", async () => {
  const { clock, token } = createToken(NOW);
  const expiredHeader = await token.getAuthorization();
  clock.errorMs = 60 * MINUTE_MS;
  assert.notEqual(await token.getAuthorization(), expiredHeader);
});

test("`getRenewalWaitMs` does not create a token", async () => {
  const { clock, token } = createToken(NOW);
  assert.equal(token.getRenewalWaitMs(), 0);
  const firstHeader = await token.getAuthorization();
  clock.ms += 49 * MINUTE_MS;
  assert.equal(token.getRenewalWaitMs(), 0);
  assert.equal(await token.getAuthorization(), firstHeader);
});
