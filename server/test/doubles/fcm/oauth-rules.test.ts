import assert from "node:assert/strict";
import { generateKeyPairSync, sign } from "node:crypto";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { FcmClient } from "./fcm-client.ts";
import { FcmService } from "./fcm-service.ts";
import type { FcmServiceOptions } from "./fcm-service.ts";
import { tokenError } from "./token-endpoint.ts";

async function stage(t: TestContext, options: FcmServiceOptions = {}) {
  const service = await FcmService.start(options);
  const client = new FcmClient(service);
  t.after(async () => {
    await client.close();
    await service.close();
  });
  return { service, client };
}

test("a good assertion gets a token of Google's shape, and each one another", async (t) => {
  const { service, client } = await stage(t);
  const answer = await client.grant(client.assert());
  assert.equal(answer.status, 200);
  const { access_token: token, ...others } = JSON.parse(answer.text);
  assert.deepEqual(others, { expires_in: 3_599, token_type: "Bearer" });
  assert.match(token, /^ya29\.[\w.-]{100,}$/u);
  assert.notEqual(await client.token(), token);
  assert.equal(service.minted, 2);
  const [judged] = service.tokenEndpoint.judged;
  assert.ok(judged?.verdict.kind === "granted");
  assert.equal(judged.verdict.header["alg"], "RS256");
});

test("the endpoint refuses in Google's words", async (t) => {
  const { client } = await stage(t);
  const nowS = Math.floor(Date.now() / 1000);
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const foreign = (assertion: string): string => {
    const signed = assertion.split(".").slice(0, 2).join(".");
    return `${signed}.${sign("sha256", Buffer.from(signed), privateKey).toString("base64url")}`;
  };
  const claims = (change: Readonly<Record<string, unknown>>) => client.assert({ claims: change });
  const header = (change: Readonly<Record<string, unknown>>) => client.assert({ header: change });
  const cases: readonly (readonly [string, string, number, string, RegExp])[] = [
    ["no JWT", "abc", 400, "invalid_request", /Bad/u],
    ["another key", foreign(client.assert()), 400, "invalid_grant", /Signature/u],
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
    ["two auds", claims({ aud: ["https://a.org"] }), 400, "invalid_grant", /audience/u],
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
    const answer = await client.grant(assertion);
    assert.equal(answer.status, status, name);
    const body = JSON.parse(answer.text);
    assert.equal(body.error, error, name);
    assert.match(body.error_description, description, name);
  }
  const other = await client.grant(client.assert(), "client_credentials");
  assert.match(other.text, /unsupported_grant_type/u);
});

test("an assertion without typ and kid is good, as Google's own library sends it", async (t) => {
  const { client } = await stage(t);
  const bare = client.assert({ header: { typ: undefined, kid: undefined } });
  assert.equal((await client.grant(bare)).status, 200);
});

test("a double that expects itself as the audience refuses Google's", async (t) => {
  const { service, client } = await stage(t, { audience: "own" });
  assert.equal((await client.grant(client.assert())).status, 400);
  const own = client.assert({ claims: { aud: service.tokenUrl } });
  assert.equal((await client.grant(own)).status, 200);
});

const INVALID_GRANT = {
  status: 400,
  error: "invalid_grant",
  description: "Invalid JWT Signature.",
};

test("scripts decide the next answers of the endpoint, and mint nothing", async (t) => {
  const { service, client } = await stage(t);
  const gate = Promise.withResolvers<void>();
  service.tokenEndpoint.script(
    { kind: "answer", ...tokenError(INVALID_GRANT) },
    { kind: "cut", when: "before-headers" },
    { kind: "verdict", after: gate.promise },
  );
  const { status, text } = await client.grant(client.assert());
  const body = { error: "invalid_grant", error_description: "Invalid JWT Signature." };
  assert.deepEqual([status, JSON.parse(text)], [400, body]);
  await assert.rejects(client.grant(client.assert()));
  assert.equal(service.minted, 0);
  const slow = client.token();
  await service.tokenEndpoint.received(3);
  assert.equal(service.minted, 0);
  gate.resolve();
  assert.match(await slow, /^ya29\./u);
});
