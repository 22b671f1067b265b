import assert from "node:assert/strict";
import { test } from "node:test";
import { TEAM_ID, OTHER_TOPIC, TOPIC, readReason, setUp } from "./set-up.ts";
import { generateProviderKey } from "./provider-key.ts";
import type { TokenOverrides } from "./raw-sender.ts";

const MINUTE_MS = 60_000;
const INVALID_TOKEN = "403 InvalidProviderToken";

test("credentials must be a bearer token", async (t) => {
  const { sendForVerdict, signJwt } = await setUp(t);
  const verdictFor = (authorization?: string) => sendForVerdict({ headers: { authorization } });
  assert.equal(await verdictFor(), "403 MissingProviderToken");
  assert.equal(await verdictFor(signJwt()), "403 MissingProviderToken");
  assert.equal(await verdictFor(`Basic ${signJwt()}`), "403 MissingProviderToken");
  assert.equal(await verdictFor(`Bearer ${signJwt()}`), "200");
});

test("a provider token must have Apple's form", async (t) => {
  const { sendForVerdict, signJwt, key, clock } = await setUp(t);
  const nowS = clock.nowMs / 1000;
  const header = { alg: "ES256", kid: key.keyId };
  const claims = { iss: TEAM_ID, iat: nowS };
  const cases: readonly (readonly [string, TokenOverrides, string])[] = [
    ["a valid token", {}, "200"],
    ["a DER signature", { encoding: "der" }, INVALID_TOKEN],
    ["alg none", { header: { ...header, alg: "none" } }, INVALID_TOKEN],
    ["alg HS256", { header: { ...header, alg: "HS256" } }, INVALID_TOKEN],
    ["typ", { header: { ...header, typ: "JWT" } }, INVALID_TOKEN],
    ["no kid", { header: { alg: "ES256" } }, INVALID_TOKEN],
    ["an unknown kid", { header: { ...header, kid: "ABCDEFGHIJ" } }, INVALID_TOKEN],
    ["another team", { claims: { ...claims, iss: "TEAM000002" } }, INVALID_TOKEN],
    ["exp", { claims: { ...claims, exp: nowS + 60 } }, INVALID_TOKEN],
    ["aud", { claims: { ...claims, aud: "https://api.push.apple.com" } }, INVALID_TOKEN],
    ["no iat", { claims: { iss: TEAM_ID } }, INVALID_TOKEN],
    ["iat as text", { claims: { ...claims, iat: String(nowS) } }, INVALID_TOKEN],
    ["iat in milliseconds", { claims: { ...claims, iat: clock.nowMs } }, INVALID_TOKEN],
    ["iat a minute ahead", { claims: { ...claims, iat: nowS + 60 } }, "200"],
    ["iat 61 seconds ahead", { claims: { ...claims, iat: nowS + 61 } }, INVALID_TOKEN],
    ["iat an hour ago", { claims: { ...claims, iat: nowS - 3_600 } }, "200"],
    ["iat longer ago", { claims: { ...claims, iat: nowS - 3_601 } }, "403 ExpiredProviderToken"],
  ];
  for (const [name, overrides, verdict] of cases) {
    assert.equal(await sendForVerdict({ jwt: signJwt(overrides) }), verdict, name);
  }
  const validToken = signJwt();
  const flippedToken = validToken.replace(/\.(?<c>[^.])(?=[^.]*$)/u, (_match, c: string) =>
    c === "A" ? ".B" : ".A",
  );
  const otherKey = { ...generateProviderKey(), keyId: key.keyId };
  assert.equal(await sendForVerdict({ jwt: flippedToken }), INVALID_TOKEN);
  assert.equal(await sendForVerdict({ jwt: `${validToken}==` }), INVALID_TOKEN);
  assert.equal(await sendForVerdict({ jwt: `${validToken}.x` }), INVALID_TOKEN);
  assert.equal(await sendForVerdict({ jwt: "x" }), INVALID_TOKEN);
  assert.equal(await sendForVerdict({ jwt: signJwt({}, otherKey) }), INVALID_TOKEN);
});

test("a token with typ JWT is accepted if the policy allows it", async (t) => {
  const { sendForVerdict, signJwt, key } = await setUp(t, { isTypAllowed: true });
  const header = { alg: "ES256", kid: key.keyId };
  assert.equal(
    await sendForVerdict({ jwt: signJwt({ header: { ...header, typ: "JWT" } }) }),
    "200",
  );
  assert.equal(
    await sendForVerdict({ jwt: signJwt({ header: { ...header, typ: "x" } }) }),
    INVALID_TOKEN,
  );
});

test("a key can be limited to an environment and to topics", async (t) => {
  const sandboxKey = generateProviderKey({ environment: "sandbox" });
  const topicKey = generateProviderKey({ environment: "production", topics: [OTHER_TOPIC] });
  const { sendForVerdict, signJwt } = await setUp(t, { keys: [sandboxKey, topicKey] });
  assert.equal(
    await sendForVerdict({ jwt: signJwt({}, sandboxKey) }),
    "403 BadEnvironmentKeyIdInToken",
  );
  const jwt = signJwt({}, topicKey);
  assert.equal(
    await sendForVerdict({ jwt, headers: { "apns-topic": TOPIC } }),
    "400 TopicDisallowed",
  );
  assert.equal(
    await sendForVerdict({ jwt, headers: { "apns-topic": OTHER_TOPIC } }),
    "400 DeviceTokenNotForTopic",
  );
});

test("a connection belongs to the key of its first valid request", async (t) => {
  const first = generateProviderKey();
  const second = generateProviderKey();
  const { connect, send, signJwt } = await setUp(t, { keys: [first, second] });
  const sender = await connect();
  const tokens = { first: signJwt({}, first), second: signJwt({}, second) };
  assert.equal((await send(sender, { jwt: "x" })).status, 403);
  assert.equal((await send(sender, { jwt: tokens.first })).status, 200);
  const { status, body } = await send(sender, { jwt: tokens.second });
  assert.deepEqual([status, readReason(body)], [403, "UnrelatedKeyIdInToken"]);
  assert.equal((await send(sender, { jwt: tokens.first })).status, 200);
  assert.equal((await send(await connect(), { jwt: tokens.second })).status, 200);
});

test("a connection accepts a new token once in 20 minutes, and an earlier new token makes it refuse every later request", async (t) => {
  const { connect, send, signJwt, clock } = await setUp(t);
  const sender = await connect();
  const first = signJwt();
  assert.equal((await send(sender, { jwt: first })).status, 200);
  clock.nowMs += 20 * MINUTE_MS;
  const second = signJwt();
  assert.equal((await send(sender, { jwt: second })).status, 200);
  assert.equal((await send(sender, { jwt: first })).status, 200);
  clock.nowMs += 20 * MINUTE_MS - 1;
  const third = signJwt();
  const { status, body } = await send(sender, { jwt: third });
  assert.deepEqual([status, readReason(body)], [429, "TooManyProviderTokenUpdates"]);
  clock.nowMs += 5 * MINUTE_MS;
  assert.equal((await send(sender, { jwt: second })).status, 429);
  assert.equal((await send(await connect(), { jwt: third })).status, 200);
});

test("a connection takes the same claims, signed again, for a new token", async (t) => {
  const { connect, send, signJwt } = await setUp(t);
  const sender = await connect();
  assert.equal((await send(sender, { jwt: signJwt() })).status, 200);
  assert.equal((await send(sender, { jwt: signJwt() })).status, 429);
});

test("a connection does not recover from an expired token", async (t) => {
  const { connect, send, signJwt, clock } = await setUp(t);
  const sender = await connect();
  const firstToken = signJwt();
  assert.equal((await send(sender, { jwt: firstToken })).status, 200);
  clock.nowMs += 60 * MINUTE_MS + 1;
  assert.equal(readReason((await send(sender, { jwt: firstToken })).body), "ExpiredProviderToken");
  const secondToken = signJwt();
  assert.equal(readReason((await send(sender, { jwt: secondToken })).body), "ExpiredProviderToken");
  assert.equal((await send(await connect(), { jwt: secondToken })).status, 200);
});
