import assert from "node:assert/strict";
import test from "node:test";
import { createClient } from "@tocsin/sdk";
import { pino } from "pino";
import { generateTotpCode } from "../support/totp-code.ts";
import { SoftwareAuthenticator } from "../doubles/software-authenticator.ts";
import { addDevice, startApp, signUp, type TestApp, type TestPerson } from "../support/app.ts";
import { requestJson, exchangeRaw, post, send } from "./http-requests.ts";
import { parseLinkToken } from "../support/link-token.ts";

const CONTENT = {
  title: "zebra title",
  body: "zebra body",
  link: "https://example.org/zebra-link",
};

/** The level of pino's lines with `error`. */
const ERROR_LEVEL = 50;

/** Returns a logger at trace level, and the lines that it writes. */
function collectLog() {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  return { lines, log: pino({ level: "trace" }, { write }) };
}

/** Uses every API with valid and invalid requests; returns the secrets in them. */
async function useEveryApi(app: TestApp, ann: TestPerson): Promise<readonly string[]> {
  return [
    "zebra",
    ann.key,
    ann.key.toUpperCase(),
    ann.email,
    ...(await signInAndAuthenticate(app, ann)),
    ...(await useSecurity(app, ann)),
    ...(await sendWithFailures(app, ann)),
    ...(await inviteAndRemove(app, ann)),
  ];
}

async function signInAndAuthenticate({ url }: TestApp, { client, email }: TestPerson) {
  const { token } = await client.accessTokens.create({ label: "secret" });
  const password = "password of Ann";
  const request = { path: "/api/auth/sign-in/email", method: "POST" };
  const { headers } = await requestJson(url, { ...request, body: { email, password } });
  await requestJson(url, { ...request, body: { email, password: "a wrong zebra password" } });
  const cookie = String(headers["set-cookie"]?.[0]).split(";")[0] ?? "";
  const accountRequest = { path: "/api/app/v1/me" };
  await requestJson(url, { ...accountRequest, headers: { cookie } });
  await requestJson(url, { ...accountRequest, headers: { authorization: `Bearer ${token}` } });
  await requestJson(url, { ...accountRequest, headers: { authorization: `Bearer ${token}x` } });
  return [token, password, cookie.split("=")[1] ?? ""];
}

/** Uses two-factor sign-in, passkeys and account changes, in valid and invalid requests. */
async function useSecurity({ url }: TestApp, { email }: TestPerson) {
  const password = "password of Ann";
  const client = createClient({ baseUrl: url });
  await client.signIn({ email, password });
  const newEmail = "ann.zebra@example.org";
  await client.profile.changeEmail({ email: newEmail });
  await assert.rejects(client.verifyEmailChange({ token: "a zebra token" }));
  await assert.rejects(client.twoFactor.begin({ password: "a wrong zebra password" }));
  const passkey = new SoftwareAuthenticator("http://localhost:8080");
  const credential = passkey.create(await client.passkeys.options());
  await client.passkeys.create({ name: "zebra", credential });
  const options = await client.passkeySignInOptions();
  const assertion = passkey.get(options, { origin: "https://zebra.example" });
  await assert.rejects(client.signInWithPasskey({ credential: assertion }));
  const { secret, backupCodes } = await client.twoFactor.begin({ password });
  const code = generateTotpCode(secret, Date.now());
  await client.twoFactor.confirm({ code });
  const { twoFactorToken } = await client.signIn({ email, password });
  const token = twoFactorToken ?? "";
  await assert.rejects(client.signInWithCode({ token, code: "zebra" }));
  await client.signInWithCode({ token, code: backupCodes[0] ?? "" });
  await new Response(await client.profile.export()).text();
  await client.twoFactor.end({ password });
  return [newEmail, secret, token, credential.id, options.challenge, ...backupCodes];
}

/** Sends to devices whose push service succeeds and fails in several ways. */
async function sendWithFailures(app: TestApp, ann: TestPerson) {
  const firstPhone = (await addDevice(app, ann, "One")).phone;
  const secondPhone = (await addDevice(app, ann, "Two")).phone;
  await sendAll(app, ann.key);
  const { endpoint } = secondPhone.subscription;
  firstPhone.script(
    { kind: "answer", status: 503, body: CONTENT.title },
    { kind: "reset-connection", when: "before-headers" },
  );
  secondPhone.script({ kind: "answer", status: 400, body: JSON.stringify({ message: endpoint }) });
  await ann.client.notify(CONTENT);
  secondPhone.unsubscribe();
  await ann.client.notify(CONTENT);
  const keys = { p256dh: "zebra", auth: "zebra" };
  const push = { provider: "webpush", endpoint: "https://zebra.example/push", keys } as const;
  await assert.rejects(ann.client.devices.create({ name: "Bad", platform: "web", push }));
  return [firstPhone, secondPhone].flatMap(({ subscription }) => [
    new URL(subscription.endpoint).pathname,
    ...Object.values(subscription.keys),
  ]);
}

async function inviteAndRemove(app: TestApp, { client }: TestPerson) {
  const team = await client.teams.create({ name: "Ops" });
  const email = "bob.secret@example.org";
  const { link } = await client.teams.invite(team.id, { email });
  const member = { team: team.key, email };
  await client.management.invite(member);
  await client.management.remove(member);
  await assert.rejects(client.management.remove(member));
  const unknownKey = "3b1f8b9e-6f43-4d5c-9a2b-0c9d1e2f3a4b";
  for (const key of [team.key, unknownKey]) await sendAll(app, key);
  return [team.key, unknownKey, email, parseLinkToken(link)];
}

async function sendAll({ url }: TestApp, apiKey: string) {
  const query = new URLSearchParams(CONTENT).toString();
  const path = `/api/v1/notify/${apiKey}`;
  await post(url, { key: apiKey, body: CONTENT });
  await post(url, { key: apiKey, body: '{"title":"zebra' });
  await post(url, { key: apiKey, body: { ...CONTENT, sound: "zebra" } });
  await post(url, { key: apiKey, headers: { "idempotency-key": "zebra" }, body: CONTENT });
  await post(url, { key: apiKey, path: "/api/v1/notify/group/zebra", body: CONTENT });
  await requestJson(url, { path: `${path}?${query}` });
  await requestJson(url, { path: `${path}?${query}&title=zebra` });
  await requestJson(url, { path: `${path}/zebra` });
  await requestJson(url, { path: `${path}%zz` });
  await requestJson(url, { method: "PUT", path });
  await requestJson(url, { path: `http://zebra.example${path}?${query}` });
  await exchangeRaw(url, `GET ${path}?${query} HTTP/1.1\r\nbroken zebra\r\n\r\n`);
  await exchangeRaw(url, `POST ${path} HTTP/1.1\r\nContent-Length: 9\r\n\r\n{}`, {
    endsInput: true,
  });
}

test("no log line or metric contains a secret, an email address or a notification's text", async (t) => {
  const { lines, log } = collectLog();
  const app = await startApp(t, { log });
  const secrets = await useEveryApi(app, await signUp(app, "Ann"));
  const metrics = await send(app.ownUrl, { path: "/metrics" });
  await app.app.stop();
  assert.ok(lines.length > 50, `${lines.length} lines`);
  for (const secret of secrets) {
    assert.ok(secret.length > 3);
    assert.deepEqual(
      lines.filter((line) => line.includes(secret)),
      [],
    );
    assert.ok(!metrics.text.includes(secret), secret);
  }
});

test("an internal error in a request with a key in its path is logged only with its route", async (t) => {
  const { lines, log } = collectLog();
  const app = await startApp(t, { log });
  const { key } = await signUp(app, "Ann");
  await app.app.context.database.db.schema.dropTable("notification").execute();
  const query = new URLSearchParams(CONTENT).toString();
  await requestJson(app.url, { path: `/api/v1/notify/${key}?${query}` });
  await post(app.url, { key, headers: { "idempotency-key": "zebra" }, body: CONTENT });
  const errors = lines.filter((line) => JSON.parse(line).level >= ERROR_LEVEL);
  assert.ok(errors.some((line) => line.includes("/api/v1/notify/:apiKey")));
  for (const secret of [key, "zebra"]) {
    assert.deepEqual(
      lines.filter((line) => line.includes(secret)),
      [],
    );
  }
});

test("no error body repeats a key or the request's content", async (t) => {
  const app = await startApp(t);
  const { key } = await signUp(app, "Ann");
  const content = { title: "zebra", body: "zebra", channel: "zebra zebra" };
  const responses = [
    await post(app.url, { key, body: { ...content } }),
    await post(app.url, { key, path: `/api/v1/notify/${key}/zebra`, body: content }),
    await post(app.url, { key: "zebra", body: content }),
    await requestJson(app.url, { path: `/api/v1/notify/${key}?sound=zebra&title=a&body=b` }),
    await requestJson(app.url, { method: "PUT", path: `/api/v1/notify/${key}` }),
  ];
  for (const { text } of responses) {
    assert.ok(!text.includes(key), text);
    assert.ok(!text.includes("zebra"), text);
  }
});

test("an error of the SDK contains no key", async (t) => {
  const { url } = await startApp(t);
  const key = "3b1f8b9e-6f43-4d5c-9a2b-0c9d1e2f3a4b";
  const client = createClient({ baseUrl: url, apiKey: key });
  for (const send of [() => client.notify(CONTENT), () => client.notifyWebhook(key, CONTENT)]) {
    await assert.rejects(send, (error) => {
      assert.ok(error instanceof Error);
      return !`${error.stack ?? ""}${JSON.stringify(error)}`.includes(key);
    });
  }
});
