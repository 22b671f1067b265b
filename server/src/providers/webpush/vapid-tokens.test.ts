import assert from "node:assert/strict";
import { createPublicKey, verify } from "node:crypto";
import { test } from "node:test";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { generateVapidKeys } from "#secrets/vapid-keys.ts";
import { VapidTokens } from "./vapid-tokens.ts";

const HOUR_MS = 60 * 60 * 1000;
const ORIGIN = "https://updates.push.services.mozilla.com";
const keys = generateVapidKeys();

function tokensAt(startMs: number) {
  const clock = { ms: startMs, aheadMs: 0 };
  const contact = async () => "mailto:operator@example.com";
  const now = () => clock.ms + clock.aheadMs;
  const elapsed = () => clock.ms - startMs;
  return { clock, tokens: new VapidTokens({ keys, contact, now, elapsed }) };
}

function tokenIn(authorization: string): string {
  return /^vapid t=(?<token>[^,]+), k=/u.exec(authorization)?.groups?.["token"] ?? "";
}

test("the header carries a token signed by our key for the origin alone", async () => {
  const { clock, tokens } = tokensAt(1_800_000_000_000);
  const header = await tokens.authorization(ORIGIN);
  const token = tokenIn(header);
  assert.equal(header, `vapid t=${token}, k=${keys.publicKey}`);
  assert.deepEqual(decodeProtectedHeader(token), { alg: "ES256", typ: "JWT" });
  assert.deepEqual(decodeJwt(token), {
    aud: ORIGIN,
    exp: (clock.ms + 12 * HOUR_MS) / 1000,
    sub: "mailto:operator@example.com",
  });
  const [head, claims, signature] = token.split(".");
  const point = Buffer.from(keys.publicKey, "base64url");
  const x = point.subarray(1, 33).toString("base64url");
  const y = point.subarray(33).toString("base64url");
  const key = createPublicKey({ format: "jwk", key: { kty: "EC", crv: "P-256", x, y } });
  const raw = { key, dsaEncoding: "ieee-p1363" } as const;
  const signed = Buffer.from(`${head}.${claims}`);
  assert.ok(verify("sha256", signed, raw, Buffer.from(signature ?? "", "base64url")));
});

test("a token without a contact leaves the claim out, and is replaced within a minute of there being one", async () => {
  const clock = { ms: 0 };
  let known: string | null = null;
  const now = () => clock.ms;
  const tokens = new VapidTokens({ keys, contact: async () => known, now, elapsed: now });
  const bare = await tokens.authorization(ORIGIN);
  assert.ok(!("sub" in decodeJwt(tokenIn(bare))));
  known = "mailto:ann@example.org";
  clock.ms += 59_999;
  assert.equal(await tokens.authorization(ORIGIN), bare);
  clock.ms += 1;
  assert.equal(decodeJwt(tokenIn(await tokens.authorization(ORIGIN))).sub, known);
});

test("200 callers at once share one token, and another origin gets its own", async () => {
  const { tokens } = tokensAt(0);
  const calls = Array.from({ length: 200 }, async () => tokens.authorization(ORIGIN));
  assert.equal(new Set(await Promise.all(calls)).size, 1);
  const other = tokenIn(await tokens.authorization("https://web.push.apple.com"));
  assert.equal(decodeJwt(other).aud, "https://web.push.apple.com");
});

test("a token is renewed at half its life", async () => {
  const { clock, tokens } = tokensAt(100 * HOUR_MS);
  const first = await tokens.authorization(ORIGIN);
  clock.ms += 6 * HOUR_MS - 1;
  assert.equal(await tokens.authorization(ORIGIN), first);
  clock.ms += 1;
  assert.notEqual(await tokens.authorization(ORIGIN), first);
});

test("a token is replaced where its end is too far ahead or over by the wall clock", async () => {
  const { clock, tokens } = tokensAt(100 * HOUR_MS);
  const first = await tokens.authorization(ORIGIN);
  clock.aheadMs = -12 * HOUR_MS;
  assert.equal(await tokens.authorization(ORIGIN), first);
  clock.aheadMs -= 1;
  const second = await tokens.authorization(ORIGIN);
  assert.notEqual(second, first);
  clock.aheadMs += 12 * HOUR_MS - 1;
  assert.equal(await tokens.authorization(ORIGIN), second);
  clock.aheadMs += 1;
  assert.notEqual(await tokens.authorization(ORIGIN), second);
});

test("200 refusals of one token lead to one new token", async () => {
  const { tokens } = tokensAt(0);
  const refused = await tokens.authorization(ORIGIN);
  const calls = Array.from({ length: 200 }, async () => tokens.renew(ORIGIN, refused));
  const renewed = new Set(await Promise.all(calls));
  assert.equal(renewed.size, 1);
  assert.ok(!renewed.has(null));
  assert.ok(!renewed.has(refused));
});

test("a forced token that is refused too is not replaced within the hour", async () => {
  const { clock, tokens } = tokensAt(0);
  const first = await tokens.authorization(ORIGIN);
  const second = await tokens.renew(ORIGIN, first);
  assert.ok(second !== null);
  assert.equal(await tokens.renew(ORIGIN, second), null);
  clock.ms += HOUR_MS;
  const third = await tokens.renew(ORIGIN, second);
  assert.ok(third !== null);
  assert.notEqual(third, second);
});

test("a refusal of an older token is answered with the current one", async () => {
  const { clock, tokens } = tokensAt(0);
  const old = await tokens.authorization(ORIGIN);
  clock.ms += 6 * HOUR_MS;
  const current = await tokens.authorization(ORIGIN);
  assert.equal(await tokens.renew(ORIGIN, old), current);
});

test("only so many origins are remembered, those that are in use", async () => {
  const { tokens } = tokensAt(0);
  const first = await tokens.authorization("https://0.example.com");
  const second = await tokens.authorization("https://1.example.com");
  assert.equal(await tokens.authorization("https://0.example.com"), first);
  for (let index = 2; index <= 1_000; index++) {
    await tokens.authorization(`https://${index}.example.com`);
  }
  assert.equal(await tokens.authorization("https://0.example.com"), first);
  assert.notEqual(await tokens.authorization("https://1.example.com"), second);
});

test("a forced renewal by a wrong clock forbids none by the right one", async () => {
  const { clock, tokens } = tokensAt(100 * HOUR_MS);
  const forced = await tokens.renew(ORIGIN, await tokens.authorization(ORIGIN));
  assert.ok(forced !== null);
  clock.aheadMs = -24 * HOUR_MS;
  const minted = await tokens.authorization(ORIGIN);
  assert.notEqual(await tokens.renew(ORIGIN, minted), null);
});
