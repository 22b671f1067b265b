import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "../client.ts";
import { createJsonReply, startServer } from "../test-server.fixture.ts";

const CREDENTIAL = {
  id: "c",
  rawId: "c",
  type: "public-key",
  response: { clientDataJSON: "j", attestationObject: "a" },
} as const;

test("an operation on the profile, the second factor, sessions, pairings or passkeys has its method, path and body", async (t) => {
  const { baseUrl, requests } = await startServer(t, createJsonReply(200, {}));
  const client = createClient({ baseUrl, accessToken: "tok" });
  const calls: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['PATCH me {"name":"Ada"}', () => client.profile.update({ name: "Ada" })],
    ['POST me/email {"email":"e"}', () => client.profile.changeEmail({ email: "e" })],
    ["POST me/verification {}", () => client.profile.sendVerification()],
    ["GET me/security", () => client.profile.security()],
    ["GET me/export", () => client.profile.export()],
    ['POST me/delete {"password":"p"}', () => client.profile.delete({ password: "p" })],
    ["POST me/two-factor {}", () => client.twoFactor.begin()],
    ['POST me/two-factor/confirm {"code":"1"}', () => client.twoFactor.confirm({ code: "1" })],
    ["POST me/two-factor/backup-codes {}", () => client.twoFactor.renewBackupCodes()],
    ['POST me/two-factor/end {"password":"p"}', () => client.twoFactor.end({ password: "p" })],
    ["GET sessions", () => client.sessions.list()],
    ["DELETE sessions/x", () => client.sessions.remove("x")],
    ["POST sessions/end-others {}", () => client.sessions.endOthers()],
    ["POST pairings {}", () => client.pairings.create()],
    ["GET pairings/x", () => client.pairings.get("x")],
    ["DELETE pairings/x", () => client.pairings.remove("x")],
    ["GET passkeys", () => client.passkeys.list()],
    ["POST passkeys/options {}", () => client.passkeys.options()],
    [
      `POST passkeys ${JSON.stringify({ name: "k", credential: CREDENTIAL })}`,
      () => client.passkeys.create({ name: "k", credential: CREDENTIAL }),
    ],
    ['PATCH passkeys/x {"name":"k"}', () => client.passkeys.update("x", { name: "k" })],
    ["DELETE passkeys/x", () => client.passkeys.remove("x")],
  ];
  for (const [, call] of calls) await call();
  assert.deepEqual(
    requests.map(({ method, url, body }) =>
      `${method} ${url.replace("/api/app/v1/", "")} ${body}`.trimEnd(),
    ),
    calls.map(([line]) => line),
  );
});
