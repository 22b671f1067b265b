import assert from "node:assert/strict";
import { test } from "node:test";
import { TEAM, OTHER_TOPIC, TOPIC, readReason, setUp } from "./set-up.ts";
import { makeProviderKey } from "./provider-key.ts";
import type { TokenParts } from "./raw-sender.ts";

const MINUTE_MS = 60_000;
const INVALID = "403 InvalidProviderToken";

test("credentials must be a bearer token", async (t) => {
  const { verdictOf, jwt } = await setUp(t);
  const verdictFor = (authorization?: string) => verdictOf({ headers: { authorization } });
  assert.equal(await verdictFor(), "403 MissingProviderToken");
  assert.equal(await verdictFor(jwt()), "403 MissingProviderToken");
  assert.equal(await verdictFor(`Basic ${jwt()}`), "403 MissingProviderToken");
  assert.equal(await verdictFor(`Bearer ${jwt()}`), "200");
});

test("a provider token must have Apple's form", async (t) => {
  const { verdictOf, jwt, key, clock } = await setUp(t);
  const nowS = clock.nowMs / 1000;
  const header = { alg: "ES256", kid: key.keyId };
  const claims = { iss: TEAM, iat: nowS };
  const cases: readonly (readonly [string, TokenParts, string])[] = [
    ["a good token", {}, "200"],
    ["a DER signature", { encoding: "der" }, INVALID],
    ["alg none", { header: { ...header, alg: "none" } }, INVALID],
    ["alg HS256", { header: { ...header, alg: "HS256" } }, INVALID],
    ["typ", { header: { ...header, typ: "JWT" } }, INVALID],
    ["no kid", { header: { alg: "ES256" } }, INVALID],
    ["an unknown kid", { header: { ...header, kid: "ABCDEFGHIJ" } }, INVALID],
    ["another team", { claims: { ...claims, iss: "TEAM000002" } }, INVALID],
    ["exp", { claims: { ...claims, exp: nowS + 60 } }, INVALID],
    ["aud", { claims: { ...claims, aud: "https://api.push.apple.com" } }, INVALID],
    ["no iat", { claims: { iss: TEAM } }, INVALID],
    ["iat as text", { claims: { ...claims, iat: String(nowS) } }, INVALID],
    ["iat in milliseconds", { claims: { ...claims, iat: clock.nowMs } }, INVALID],
    ["iat a minute ahead", { claims: { ...claims, iat: nowS + 60 } }, "200"],
    ["iat 61 seconds ahead", { claims: { ...claims, iat: nowS + 61 } }, INVALID],
    ["iat an hour ago", { claims: { ...claims, iat: nowS - 3_600 } }, "200"],
    ["iat longer ago", { claims: { ...claims, iat: nowS - 3_601 } }, "403 ExpiredProviderToken"],
  ];
  for (const [name, parts, verdict] of cases) {
    assert.equal(await verdictOf({ token: jwt(parts) }), verdict, name);
  }
  const good = jwt();
  const flipped = good.replace(/\.(?<c>[^.])(?=[^.]*$)/u, (_match, c: string) =>
    c === "A" ? ".B" : ".A",
  );
  const otherKey = { ...makeProviderKey(), keyId: key.keyId };
  assert.equal(await verdictOf({ token: flipped }), INVALID);
  assert.equal(await verdictOf({ token: `${good}==` }), INVALID);
  assert.equal(await verdictOf({ token: `${good}.x` }), INVALID);
  assert.equal(await verdictOf({ token: "x" }), INVALID);
  assert.equal(await verdictOf({ token: jwt({}, otherKey) }), INVALID);
});

test("a token with typ is accepted if foreign clients are allowed", async (t) => {
  const { verdictOf, jwt, key } = await setUp(t, { isTypAllowed: true });
  const header = { alg: "ES256", kid: key.keyId };
  assert.equal(await verdictOf({ token: jwt({ header: { ...header, typ: "JWT" } }) }), "200");
  assert.equal(await verdictOf({ token: jwt({ header: { ...header, typ: "x" } }) }), INVALID);
});

test("a key can be limited to an environment and to topics", async (t) => {
  const sandboxKey = makeProviderKey({ environment: "sandbox" });
  const topicKey = makeProviderKey({ environment: "production", topics: [OTHER_TOPIC] });
  const { verdictOf, jwt } = await setUp(t, { keys: [sandboxKey, topicKey] });
  assert.equal(await verdictOf({ token: jwt({}, sandboxKey) }), "403 BadEnvironmentKeyIdInToken");
  const token = jwt({}, topicKey);
  assert.equal(await verdictOf({ token, headers: { "apns-topic": TOPIC } }), "400 TopicDisallowed");
  assert.equal(
    await verdictOf({ token, headers: { "apns-topic": OTHER_TOPIC } }),
    "400 DeviceTokenNotForTopic",
  );
});

test("a connection belongs to the key of its first good request", async (t) => {
  const [first, second] = [makeProviderKey(), makeProviderKey()];
  const { connect, send, jwt } = await setUp(t, { keys: [first, second] });
  const sender = await connect();
  const tokens = { first: jwt({}, first), second: jwt({}, second) };
  assert.equal((await send(sender, { token: "x" })).status, 403);
  assert.equal((await send(sender, { token: tokens.first })).status, 200);
  const { status, body } = await send(sender, { token: tokens.second });
  assert.deepEqual([status, readReason(body)], [403, "UnrelatedKeyIdInToken"]);
  assert.equal((await send(sender, { token: tokens.first })).status, 200);
  assert.equal((await send(await connect(), { token: tokens.second })).status, 200);
});

test("a connection accepts a new token once in 20 minutes, and fails for ever after an earlier one", async (t) => {
  const { connect, send, jwt, clock } = await setUp(t);
  const sender = await connect();
  const first = jwt();
  assert.equal((await send(sender, { token: first })).status, 200);
  clock.nowMs += 20 * MINUTE_MS;
  const second = jwt();
  assert.equal((await send(sender, { token: second })).status, 200);
  assert.equal((await send(sender, { token: first })).status, 200);
  clock.nowMs += 20 * MINUTE_MS - 1;
  const third = jwt();
  const { status, body } = await send(sender, { token: third });
  assert.deepEqual([status, readReason(body)], [429, "TooManyProviderTokenUpdates"]);
  clock.nowMs += 5 * MINUTE_MS;
  assert.equal((await send(sender, { token: second })).status, 429);
  assert.equal((await send(await connect(), { token: third })).status, 200);
});

test("signing the same claims again creates a new token", async (t) => {
  const { connect, send, jwt } = await setUp(t);
  const sender = await connect();
  assert.equal((await send(sender, { token: jwt() })).status, 200);
  assert.equal((await send(sender, { token: jwt() })).status, 429);
});

test("a connection does not recover from an expired token", async (t) => {
  const { connect, send, jwt, clock } = await setUp(t);
  const sender = await connect();
  const old = jwt();
  assert.equal((await send(sender, { token: old })).status, 200);
  clock.nowMs += 60 * MINUTE_MS + 1;
  assert.equal(readReason((await send(sender, { token: old })).body), "ExpiredProviderToken");
  const fresh = jwt();
  assert.equal(readReason((await send(sender, { token: fresh })).body), "ExpiredProviderToken");
  assert.equal((await send(await connect(), { token: fresh })).status, 200);
});
