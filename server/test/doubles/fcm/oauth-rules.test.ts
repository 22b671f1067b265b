import assert from "node:assert/strict";
import { generateKeyPairSync, sign } from "node:crypto";
import { test, type TestContext } from "node:test";
import { FcmClient } from "./fcm-client.ts";
import { FcmService, type FcmServiceOptions } from "./fcm-service.ts";
import { createTokenError } from "./token-endpoint.ts";

async function setUp(t: TestContext, options: FcmServiceOptions = {}) {
  const service = await FcmService.start(options);
  const client = new FcmClient(service);
  t.after(async () => {
    await client.close();
    await service.close();
  });
  return { service, client };
}

test("a valid assertion gets a new token of Google's form each time", async (t) => {
  const { service, client } = await setUp(t);
  const response = await client.requestAccessToken(client.createAssertion());
  assert.equal(response.status, 200);
  const { access_token: token, ...others } = JSON.parse(response.text);
  assert.deepEqual(others, { expires_in: 3_599, token_type: "Bearer" });
  assert.match(token, /^ya29\.[\w.-]{100,}$/u);
  assert.notEqual(await client.fetchAccessToken(), token);
  assert.equal(service.issuedTokenCount, 2);
  const [record] = service.tokenEndpoint.requests;
  assert.ok(record?.verdict.kind === "granted");
  assert.equal(record.verdict.header["alg"], "RS256");
});

test("the endpoint refuses invalid grants with Google's errors", async (t) => {
  const { client } = await setUp(t);
  const nowS = Math.floor(Date.now() / 1000);
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const signWithOtherKey = (assertion: string): string => {
    const signedPart = assertion.split(".").slice(0, 2).join(".");
    return `${signedPart}.${sign("sha256", Buffer.from(signedPart), privateKey).toString("base64url")}`;
  };
  const claims = (overrides: Readonly<Record<string, unknown>>) =>
    client.createAssertion({ claims: overrides });
  const header = (overrides: Readonly<Record<string, unknown>>) =>
    client.createAssertion({ header: overrides });
  const cases: readonly (readonly [string, string, number, string, RegExp])[] = [
    ["no JWT", "abc", 400, "invalid_request", /Bad/u],
    ["another key", signWithOtherKey(client.createAssertion()), 400, "invalid_grant", /Signature/u],
    ["alg RS512", header({ alg: "RS512" }), 400, "invalid_grant", /Signature/u],
    ["another typ", header({ typ: "at+jwt" }), 400, "invalid_grant", /Signature/u],
    ["an unknown kid", header({ kid: "f00" }), 400, "invalid_grant", /Signature/u],
    ["no service account", claims({ iss: "a@b.org" }), 401, "invalid_client", /not found/u],
    [
      "an account that is gone",
      claims({ iss: "x@y.iam.gserviceaccount.com" }),
      400,
      "invalid_grant",
      /account not found/u,
    ],
    ["another aud", claims({ aud: "https://example.org" }), 400, "invalid_grant", /audience/u],
    ["a list as aud", claims({ aud: ["https://a.org"] }), 400, "invalid_grant", /audience/u],
    [
      "3601 seconds",
      claims({ exp: nowS + 3_601, iat: nowS }),
      400,
      "invalid_grant",
      /short-lived/u,
    ],
    ["from the future", claims({ iat: nowS + 60 }), 400, "invalid_grant", /short-lived/u],
    ["expired", claims({ iat: nowS - 600, exp: nowS }), 400, "invalid_grant", /short-lived/u],
    ["no exp", claims({ exp: undefined }), 400, "invalid_grant", /short-lived/u],
    [
      "milliseconds",
      claims({ iat: nowS * 1000, exp: nowS * 1000 + 60 }),
      400,
      "invalid_grant",
      /short-lived/u,
    ],
    ["no scope", claims({ scope: "" }), 400, "invalid_scope", /scope/u],
    ["a made-up scope", claims({ scope: "send" }), 400, "invalid_scope", /scope/u],
  ];
  for (const [name, assertion, status, error, description] of cases) {
    const response = await client.requestAccessToken(assertion);
    assert.equal(response.status, status, name);
    const body = JSON.parse(response.text);
    assert.equal(body.error, error, name);
    assert.match(body.error_description, description, name);
  }
  const grant = await client.requestAccessToken(client.createAssertion(), "client_credentials");
  assert.match(grant.text, /unsupported_grant_type/u);
});

test("an assertion without typ and kid is valid, because Google's library sends it", async (t) => {
  const { client } = await setUp(t);
  const withoutTypAndKid = client.createAssertion({ header: { typ: undefined, kid: undefined } });
  assert.equal((await client.requestAccessToken(withoutTypAndKid)).status, 200);
});

test("a double with its own audience refuses Google's audience", async (t) => {
  const { service, client } = await setUp(t, { audience: "own" });
  assert.equal((await client.requestAccessToken(client.createAssertion())).status, 400);
  const ownAudience = client.createAssertion({ claims: { aud: service.tokenUrl } });
  assert.equal((await client.requestAccessToken(ownAudience)).status, 200);
});

const INVALID_GRANT = {
  status: 400,
  error: "invalid_grant",
  description: "Invalid JWT Signature.",
};

test("scripts decide the endpoint's next responses, and only the verdict issues a token", async (t) => {
  const { service, client } = await setUp(t);
  const gate = Promise.withResolvers<void>();
  service.tokenEndpoint.script(
    { kind: "answer", ...createTokenError(INVALID_GRANT) },
    { kind: "reset-connection", when: "before-headers" },
    { kind: "verdict", after: gate.promise },
  );
  const { status, text } = await client.requestAccessToken(client.createAssertion());
  const body = { error: "invalid_grant", error_description: "Invalid JWT Signature." };
  assert.deepEqual([status, JSON.parse(text)], [400, body]);
  await assert.rejects(client.requestAccessToken(client.createAssertion()));
  assert.equal(service.issuedTokenCount, 0);
  const slow = client.fetchAccessToken();
  await service.tokenEndpoint.waitForRequests(3);
  assert.equal(service.issuedTokenCount, 0);
  gate.resolve();
  assert.match(await slow, /^ya29\./u);
});
