import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { test } from "node:test";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { ProviderToken } from "./provider-token.ts";

const MINUTE_MS = 60 * 1000;
const NOW = Date.UTC(2026, 10, 20, 12, 0, 0);
const { privateKey: key } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });

function tokenAt(startMs: number) {
  const clock = { ms: startMs, aheadMs: 0 };
  const token = new ProviderToken({
    key,
    keyId: "ABC123DEFG",
    teamId: "DEF123GHIJ",
    now: () => clock.ms + clock.aheadMs,
    elapsed: () => clock.ms - startMs,
  });
  return { clock, token };
}

test("the header carries a token with the key id, team id and time alone, signed by our key", async () => {
  const { token } = tokenAt(NOW + 999);
  const header = await token.authorization();
  const jwt = header.replace(/^bearer /u, "");
  assert.equal(header, `bearer ${jwt}`);
  assert.deepEqual(decodeProtectedHeader(jwt), { alg: "ES256", kid: "ABC123DEFG" });
  assert.deepEqual(decodeJwt(jwt), { iss: "DEF123GHIJ", iat: NOW / 1000 });
  const [head, claims, signature] = jwt.split(".");
  const raw = { key: createPublicKey(key), dsaEncoding: "ieee-p1363" } as const;
  const signed = Buffer.from(`${head}.${claims}`);
  assert.ok(verify("sha256", signed, raw, Buffer.from(signature ?? "", "base64url")));
});

test("200 callers at once share one token, and it lasts 50 minutes", async () => {
  const { clock, token } = tokenAt(NOW);
  const all = await Promise.all(Array.from({ length: 200 }, async () => token.authorization()));
  assert.equal(new Set(all).size, 1);
  clock.ms += 50 * MINUTE_MS - 1;
  assert.equal(await token.authorization(), all[0]);
  clock.ms += 1;
  assert.notEqual(await token.authorization(), all[0]);
});

test("200 refusals of one token lead to one new token", async () => {
  const { clock, token } = tokenAt(NOW);
  const refused = await token.authorization();
  clock.ms += 20 * MINUTE_MS;
  const all = await Promise.all(Array.from({ length: 200 }, async () => token.renew(refused)));
  assert.equal(new Set(all).size, 1);
  assert.notEqual(all[0], refused);
  assert.equal(await token.authorization(), all[0]);
});

test("a refused token is not replaced before it is 20 minutes old", async () => {
  const { clock, token } = tokenAt(NOW);
  const refused = await token.authorization();
  assert.equal(token.msToRenewal(), 20 * MINUTE_MS);
  clock.ms += 20 * MINUTE_MS - 1;
  assert.equal(token.msToRenewal(), 1);
  assert.equal(await token.renew(refused), refused);
  clock.ms += 1;
  assert.equal(token.msToRenewal(), 0);
  assert.notEqual(await token.renew(refused), refused);
});

test("a late refusal of an older token is answered with the current one", async () => {
  const { clock, token } = tokenAt(NOW);
  const old = await token.authorization();
  clock.ms += 50 * MINUTE_MS;
  const current = await token.authorization();
  clock.ms += 30 * MINUTE_MS;
  assert.equal(await token.renew(old), current);
});

test("a wall clock that is set back prolongs no token, and makes no new one", async () => {
  const { clock, token } = tokenAt(NOW);
  const early = await token.authorization();
  clock.aheadMs = -24 * 60 * MINUTE_MS;
  assert.equal(await token.authorization(), early);
  assert.equal(await token.renew(early), early);
  clock.ms += 50 * MINUTE_MS - 1;
  assert.equal(await token.authorization(), early);
  clock.ms += 1;
  const next = await token.authorization();
  assert.notEqual(next, early);
  assert.equal(decodeJwt(next.slice("bearer ".length)).iat, (clock.ms + clock.aheadMs) / 1000);
});

test("a refused token that was signed by a wrong clock is replaced 20 minutes after it was made", async () => {
  const { clock, token } = tokenAt(NOW);
  const wrong = await token.authorization();
  clock.aheadMs = -24 * 60 * MINUTE_MS;
  clock.ms += 20 * MINUTE_MS - 1;
  assert.equal(await token.renew(wrong), wrong);
  clock.ms += 1;
  assert.notEqual(await token.renew(wrong), wrong);
});

test("a token that ended while the machine slept is replaced", async () => {
  const { clock, token } = tokenAt(NOW);
  const before = await token.authorization();
  clock.aheadMs = 60 * MINUTE_MS;
  assert.notEqual(await token.authorization(), before);
});

test("asking how long a token must last makes none", async () => {
  const { clock, token } = tokenAt(NOW);
  assert.equal(token.msToRenewal(), 0);
  const first = await token.authorization();
  clock.ms += 49 * MINUTE_MS;
  assert.equal(token.msToRenewal(), 0);
  assert.equal(await token.authorization(), first);
});
