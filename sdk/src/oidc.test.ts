import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "./client.ts";
import { createJsonReply, formatRequest, startServer } from "./test-server.fixture.ts";

const METHODS = { sendsMail: false, oidc: { name: "Acme" }, signUp: "invite", isSetUp: true };

test("a sign-in at an identity provider sends its cookie and parameters", async (t) => {
  const { baseUrl, requests } = await startServer(
    t,
    createJsonReply(200, METHODS),
    createJsonReply(200, { url: "https://id.example.org" }, { "set-cookie": "oidc=o1" }),
    createJsonReply(200, { twoFactorToken: "t" }),
  );
  const client = createClient({ baseUrl });
  assert.deepEqual(await client.signInMethods(), METHODS);
  assert.deepEqual(await client.beginOidc({ token: "i" }), { url: "https://id.example.org" });
  const callback = { state: "s", code: "c", iss: "https://id.example.org" };
  assert.deepEqual(await client.finishOidc(callback), { twoFactorToken: "t" });
  assert.deepEqual(requests.map(formatRequest), [
    "GET /api/auth/sign-in/methods",
    'POST /api/auth/sign-in/oidc {"token":"i"}',
    `POST /api/auth/sign-in/oidc/finish ${JSON.stringify(callback)}`,
  ]);
  assert.equal(requests[2]?.headers.cookie, "oidc=o1");
});
