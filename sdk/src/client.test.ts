import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "./client.ts";
import {
  createJsonReply,
  formatRequest,
  createRefusalReply,
  startServer,
} from "./test-server.fixture.ts";

const KEY = "1b4e28ba-2fa1-4d2b-883f-0016d3cca427";
const TEXT = { title: "Fire", body: "In the hall" };
const SENT = { success: true, message: "Delivered to 1 of 1 devices", responses: [] };

test("a send contains the key, the idempotency key and the time to live, and returns the id", async (t) => {
  const { baseUrl, requests } = await startServer(
    t,
    createJsonReply(200, SENT, { "x-notification-id": "n-1" }),
  );
  const client = createClient({ baseUrl: `${baseUrl}/`, apiKey: KEY });
  const result = await client.notify(TEXT, { idempotencyKey: "deploy-7", ttlSeconds: 60 });
  assert.deepEqual(result, { ...SENT, notificationId: "n-1" });
  const [request] = requests;
  assert.equal(request && formatRequest(request), `POST /api/v1/notify ${JSON.stringify(TEXT)}`);
  assert.equal(request?.headers["x-api-key"], KEY);
  assert.equal(request?.headers["content-type"], "application/json");
  assert.equal(request?.headers["idempotency-key"], "deploy-7");
  assert.equal(request?.headers["x-ttl"], "60");
});

test("a send that reached no device is a result, not an error", async (t) => {
  const { baseUrl } = await startServer(t, createJsonReply(200, { ...SENT, success: false }));
  const result = await createClient({ baseUrl, apiKey: KEY }).notify(TEXT);
  assert.deepEqual([result.success, result.notificationId], [false, null]);
});

test("every way to send has its own path, below the path of the base URL", async (t) => {
  const { baseUrl, requests } = await startServer(t, createJsonReply(200, SENT));
  const client = createClient({ baseUrl: `${baseUrl}/push/`, apiKey: KEY });
  const text = { title: "a&b", body: "1 + 1", sound: null, timeSensitive: true };
  await client.notifyAsync(TEXT);
  await client.notifyWithKey(KEY, TEXT);
  await client.notifyGroup("ops/night", TEXT);
  await client.notifyWebhook(KEY, text);
  const body = JSON.stringify(TEXT);
  assert.deepEqual(requests.map(formatRequest), [
    `POST /push/api/v1/notify-async ${body}`,
    `POST /push/api/v1/notify/${KEY} ${body}`,
    `POST /push/api/v1/notify/group/ops%2Fnight ${body}`,
    `GET /push/api/v1/notify/${KEY}?title=a%26b&body=1+%2B+1&timeSensitive=true`,
  ]);
  assert.deepEqual(
    requests.map(({ headers }) => headers["x-api-key"]),
    [KEY, undefined, KEY, undefined],
  );
});

test("the management API gets the key in the header and the team in the body", async (t) => {
  const { baseUrl, requests } = await startServer(
    t,
    createJsonReply(200, { success: true, message: "Invite sent" }),
  );
  const { management } = createClient({ baseUrl, apiKey: KEY });
  const request = { team: "t", email: "ada@example.org" };
  assert.equal((await management.invite(request)).message, "Invite sent");
  await management.remove(request);
  const body = JSON.stringify(request);
  assert.deepEqual(requests.map(formatRequest), [
    `POST /api/management/v1/teams/invite ${body}`,
    `DELETE /api/management/v1/teams/invite ${body}`,
  ]);
  assert.equal(requests[1]?.headers["x-api-key"], KEY);
});

test("later requests after a sign-in send the session and the origin", async (t) => {
  const { baseUrl, requests } = await startServer(
    t,
    createJsonReply(200, {}, { "set-cookie": ["session=s1; HttpOnly", "hint=1"] }),
    createJsonReply(200, { id: "a" }, { "set-cookie": "session=s2" }),
    createRefusalReply(500, "unavailable"),
    createJsonReply(200, {}),
  );
  const client = createClient({ baseUrl: `${baseUrl}/push`, apiKey: KEY });
  await client.signIn({ email: "ada@example.org", password: "correct horse" });
  assert.deepEqual(await client.me(), { id: "a" });
  await assert.rejects(client.signOut());
  await client.signUp({ email: "ada@example.org", password: "p", name: "Ada", token: "t" });
  assert.deepEqual(
    requests.map(({ headers }) => headers.cookie),
    [undefined, "session=s1; hint=1", "session=s2; hint=1", undefined],
  );
  assert.deepEqual(new Set(requests.map(({ headers }) => headers.origin)), new Set([baseUrl]));
  assert.deepEqual(requests.map(formatRequest), [
    'POST /push/api/auth/sign-in/email {"email":"ada@example.org","password":"correct horse"}',
    "GET /push/api/app/v1/me",
    "POST /push/api/auth/sign-out {}",
    'POST /push/api/auth/sign-up/email {"email":"ada@example.org","password":"p","name":"Ada","token":"t"}',
  ]);
});

test("the session contains the signed-in account, or null", async (t) => {
  const { baseUrl, requests } = await startServer(
    t,
    createJsonReply(200, { account: null }),
    createJsonReply(200, {}, { "set-cookie": "session=s1" }),
    createJsonReply(200, { account: { id: "a" } }),
  );
  const client = createClient({ baseUrl });
  assert.deepEqual(await client.session(), { account: null });
  await client.signIn({ email: "ada@example.org", password: "p" });
  assert.deepEqual(await client.session(), { account: { id: "a" } });
  assert.equal(requests.at(-1)?.headers.cookie, "session=s1");
  assert.equal(requests.at(-1)?.url, "/api/auth/get-session");
});

test("emailed links are requested and redeemed, each with the origin of the server", async (t) => {
  const { baseUrl, requests } = await startServer(t, createJsonReply(200, { success: true }));
  const client = createClient({ baseUrl });
  await client.requestPasswordReset({ email: "ada@example.org" });
  await client.resetPassword({ token: "t", newPassword: "correct horse" });
  await client.verifyEmail({ token: "v" });
  await client.verifyEmailChange({ token: "c" });
  assert.deepEqual(requests.map(formatRequest), [
    'POST /api/auth/request-password-reset {"email":"ada@example.org"}',
    'POST /api/auth/reset-password {"token":"t","newPassword":"correct horse"}',
    'POST /api/auth/verify-email {"token":"v"}',
    'POST /api/auth/verify-email-change {"token":"c"}',
  ]);
  assert.deepEqual(new Set(requests.map(({ headers }) => headers.origin)), new Set([baseUrl]));
});

test("a pairing by code or token returns the token for the installed app", async (t) => {
  const { baseUrl, requests } = await startServer(t, createJsonReply(200, { installToken: "i" }));
  const client = createClient({ baseUrl });
  assert.deepEqual(await client.pair({ code: "ABCDEFGH" }), { installToken: "i" });
  await client.pair({ token: "t" });
  assert.deepEqual(requests.map(formatRequest), [
    'POST /api/auth/pair {"code":"ABCDEFGH"}',
    'POST /api/auth/pair {"token":"t"}',
  ]);
});

test("an export is streamed, and deleting the account deletes the session cookies", async (t) => {
  const { baseUrl, requests } = await startServer(
    t,
    createJsonReply(200, {}, { "set-cookie": "session=s1" }),
    createJsonReply(200, { account: { id: "a" } }),
    (response) => response.writeHead(204).end(),
    createJsonReply(200, { account: null }),
  );
  const client = createClient({ baseUrl });
  await client.signIn({ email: "ada@example.org", password: "p" });
  const text = await new Response(await client.profile.export()).text();
  assert.deepEqual(JSON.parse(text), { account: { id: "a" } });
  await client.profile.delete();
  await client.session();
  assert.deepEqual(
    requests.map(({ headers }) => headers.cookie),
    [undefined, "session=s1", "session=s1", undefined],
  );
});

test("an access token replaces the session", async (t) => {
  const { baseUrl, requests } = await startServer(
    t,
    createJsonReply(200, { id: "a" }, { "set-cookie": "session=s1" }),
  );
  const client = createClient({ baseUrl, accessToken: "tok" });
  await client.me();
  await client.me();
  assert.equal(requests[1]?.headers.authorization, "Bearer tok");
  assert.equal(requests[1]?.headers.cookie, undefined);
});

test("an operation without a response body accepts 204", async (t) => {
  const { baseUrl } = await startServer(t, (response) => response.writeHead(204).end());
  assert.equal(await createClient({ baseUrl }).keys.remove("k"), undefined);
});

test("the feed and the delivery log send their filters in the query", async (t) => {
  const { baseUrl, requests } = await startServer(t, createJsonReply(200, {}));
  const client = createClient({ baseUrl, accessToken: "tok" });
  const calls: readonly (readonly [string, () => Promise<unknown>])[] = [
    ["GET feed?channel=ci&unread=true", () => client.feed.list({ channel: "ci", unread: true })],
    ['POST feed/read {"ids":["n"]}', () => client.feed.markRead({ ids: ["n"] })],
    ["GET channels", () => client.channels.list()],
    ["GET activity?days=30&scope=server", () => client.activity({ days: 30, scope: "server" })],
    ["GET notifications", () => client.notifications.list()],
    [
      "GET notifications?state=failed&channel=ci",
      () => client.notifications.list({ state: "failed", channel: "ci" }),
    ],
    ["GET notifications/n", () => client.notifications.get("n")],
    [
      "GET notifications/n/deliveries?state=waiting",
      () => client.notifications.deliveries("n", { state: "waiting" }),
    ],
  ];
  for (const [, call] of calls) await call();
  assert.deepEqual(
    requests.map((request) => formatRequest(request).replace("/api/app/v1/", "")),
    calls.map(([line]) => line),
  );
});

const APP = { client: "ntfy", name: "d", platform: "android" } as const;
const FCM_DEVICE = {
  name: "d",
  platform: "android",
  push: { provider: "fcm", token: "f" },
} as const;

test("an operation of the app API has the contract's method, path and body", async (t) => {
  const { baseUrl, requests } = await startServer(t, createJsonReply(200, {}));
  const client = createClient({ baseUrl, accessToken: "tok" });
  const calls: readonly (readonly [string, () => Promise<unknown>])[] = [
    ["GET access-tokens", () => client.accessTokens.list()],
    ['POST access-tokens {"label":"ci"}', () => client.accessTokens.create({ label: "ci" })],
    ["DELETE access-tokens/x", () => client.accessTokens.remove("x")],
    ["GET keys?limit=5&cursor=c", () => client.keys.list({ limit: 5, cursor: "c" })],
    ['POST keys {"kind":"account"}', () => client.keys.create({ kind: "account" })],
    ["POST keys/x/rotate {}", () => client.keys.rotate("x")],
    [
      'POST keys/x/rotate {"overlapSeconds":9}',
      () => client.keys.rotate("x", { overlapSeconds: 9 }),
    ],
    ["POST keys/x/callback-secret {}", () => client.keys.createCallbackSecret("x")],
    ["GET dialects", () => client.keys.dialects()],
    ["GET devices", () => client.devices.list()],
    [`POST devices ${JSON.stringify(FCM_DEVICE)}`, () => client.devices.create(FCM_DEVICE)],
    [`POST apps ${JSON.stringify(APP)}`, () => client.devices.addApp(APP)],
    ['PATCH devices/x {"paused":true}', () => client.devices.update("x", { paused: true })],
    ["DELETE devices/x", () => client.devices.remove("x")],
    ["POST devices/x/test {}", () => client.devices.test("x")],
    ["GET groups", () => client.groups.list()],
    [
      'POST groups {"name":"g","deviceIds":["d"]}',
      () => client.groups.create({ name: "g", deviceIds: ["d"] }),
    ],
    ['PATCH groups/x {"name":"h"}', () => client.groups.update("x", { name: "h" })],
    ["DELETE groups/x", () => client.groups.remove("x")],
    ["GET teams", () => client.teams.list()],
    ['POST teams {"name":"t"}', () => client.teams.create({ name: "t" })],
    ["GET teams/x", () => client.teams.get("x")],
    ['PATCH teams/x {"name":"u"}', () => client.teams.update("x", { name: "u" })],
    ["DELETE teams/x", () => client.teams.remove("x")],
    ['POST teams/x/invitations {"email":"e"}', () => client.teams.invite("x", { email: "e" })],
    ["DELETE teams/x/invitations/i", () => client.teams.removeInvitation("x", "i")],
    [
      'PATCH teams/x/members/a {"role":"admin"}',
      () => client.teams.updateMember("x", "a", { role: "admin" }),
    ],
    ["DELETE teams/x/members/a", () => client.teams.removeMember("x", "a")],
    ["POST teams/x/leave {}", () => client.teams.leave("x")],
    ["GET invitations", () => client.invitations.list()],
    ["POST invitations/i/accept {}", () => client.invitations.accept("i")],
    ["POST invitations/i/decline {}", () => client.invitations.decline("i")],
    ['POST invitations/look {"token":"t"}', () => client.invitations.preview("t")],
    ['POST invitations/refuse-mails {"token":"t"}', () => client.invitations.refuseMails("t")],
    ['POST invitations/allow-mails {"token":"t"}', () => client.invitations.allowMails("t")],
    ['POST invitations/accept {"token":"t"}', () => client.invitations.acceptToken("t")],
    ["GET webpush/key", () => client.webPushKey()],
  ];
  for (const [, call] of calls) await call();
  assert.deepEqual(
    requests.map((request) => formatRequest(request).replace("/api/app/v1/", "")),
    calls.map(([line]) => line),
  );
});
