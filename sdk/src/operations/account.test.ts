import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "../client.ts";
import { createJsonReply, formatRequest, startServer } from "../test-server.fixture.ts";

test("a sign-in returns a token if it needs a code, else null, and the code completes it", async (t) => {
  const { baseUrl, requests } = await startServer(
    t,
    createJsonReply(200, { twoFactorToken: "t" }),
    createJsonReply(200, {}),
  );
  const client = createClient({ baseUrl });
  const input = { email: "ada@example.org", password: "p" };
  assert.deepEqual(await client.signIn(input), { twoFactorToken: "t" });
  await client.signInWithCode({ token: "t", code: "123456" });
  assert.deepEqual(await client.signIn(input), { twoFactorToken: null });
  const codeRequest = requests[1] ?? assert.fail();
  assert.equal(
    formatRequest(codeRequest),
    'POST /api/auth/sign-in/two-factor {"token":"t","code":"123456"}',
  );
});

test("a passkey signs in without a password, and a signed-in person can change the password", async (t) => {
  const { baseUrl, requests } = await startServer(
    t,
    createJsonReply(200, { challenge: "c" }),
    createJsonReply(200, {}),
  );
  const client = createClient({ baseUrl });
  assert.deepEqual(await client.passkeySignInOptions(), { challenge: "c" });
  const response = { clientDataJSON: "j", authenticatorData: "a", signature: "s" };
  const credential = { id: "c", rawId: "c", type: "public-key", response } as const;
  await client.signInWithPasskey({ credential });
  await client.changePassword({ currentPassword: "p", newPassword: "q" });
  assert.deepEqual(requests.map(formatRequest), [
    "POST /api/auth/sign-in/passkey/options {}",
    `POST /api/auth/sign-in/passkey ${JSON.stringify({ credential })}`,
    'POST /api/auth/change-password {"currentPassword":"p","newPassword":"q"}',
  ]);
});
