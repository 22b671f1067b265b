import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { createClient, type Client } from "@tocsin/sdk";
import { generateTotpCode } from "../support/totp-code.ts";
import { requestJson, send } from "../contract/http-requests.ts";
import { eventually } from "../support/eventually.ts";
import { startNativeServices } from "../support/native-app.ts";
import { startServerProcess } from "../support/server-process.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { reportFigure } from "./bar.ts";
import { parseLinkToken } from "../support/link-token.ts";
import { useAppSecrets } from "./use-app-secrets.ts";

const PASSWORD = "canary password of Ann";
const NEW_PASSWORD = "another canary password of Ann";
const METRICS_TOKEN = "canary-metrics-token";
/** Settings with secrets whose values occur nowhere else. */
const SECRET_ENVIRONMENT = {
  TOCSIN_SMTP_URL: "smtp://ann:canary-mail-password@127.0.0.1:9",
  TOCSIN_MAIL_FROM: "tocsin@example.org",
  TOCSIN_METRICS_TOKEN: METRICS_TOKEN,
  TOCSIN_OIDC_ISSUER: "https://id.example.org",
  TOCSIN_OIDC_CLIENT_ID: "tocsin",
  TOCSIN_OIDC_CLIENT_SECRET: "canary-oidc-secret",
  TOCSIN_NTFY_UPSTREAM: "http://127.0.0.1:9",
  TOCSIN_NTFY_UPSTREAM_TOKEN: "canary-upstream-token",
};

async function startServer(t: TestContext) {
  const folder = await createTemporaryFolder(t);
  const reports = await createTemporaryFolder(t);
  const { environment } = await startNativeServices(t);
  let output = "";
  const server = await startServerProcess(t, {
    environment: {
      ...environment,
      ...SECRET_ENVIRONMENT,
      TOCSIN_DATA_DIR: folder,
      TOCSIN_LOG_LEVEL: "trace",
      TOCSIN_VAPID_SUBJECT: "mailto:ops@example.org",
    },
    flags: ["--report-on-signal", `--report-directory=${reports}`],
    onOutput: (text) => (output += text),
  });
  const credentials = JSON.parse(environment["TOCSIN_FCM_CREDENTIALS"] ?? "{}");
  return {
    ...server,
    folder,
    reports,
    readOutput: () => output,
    providerKeys: [environment["TOCSIN_APNS_KEY"] ?? "", String(credentials.private_key)],
  };
}

type RunningServer = Awaited<ReturnType<typeof startServer>>;

/** Creates and uses every kind of secret, in valid and invalid requests. Returns the secrets by name, and the topic of an app. */
async function useSecrets(t: TestContext, { url }: RunningServer) {
  const client = createClient({ baseUrl: url });
  await client.signUp({ email: "ann@example.org", name: "Ann", password: PASSWORD });
  const { key } = await client.keys.create({ kind: "account" });
  const team = await client.teams.create({ name: "Ops" });
  const { token } = await client.accessTokens.create({ label: "phone" });
  const deviceKeys = await useDeviceKeys(client, url);
  const gotifyKeys = await useGotifyKeys(client, url);
  const ntfyKeys = await useNtfyKeys(client, url);
  const pushoverKeys = await usePushoverKeys(client, url);
  const apps = await useAppSecrets({ t, client, url });
  const { link } = await client.teams.invite(team.id, { email: "bob@example.org" });
  const { secret, backupCodes } = await client.twoFactor.begin({ password: PASSWORD });
  await client.twoFactor.confirm({ code: generateTotpCode(secret, Date.now()) });
  await client.twoFactor.end({ password: PASSWORD });
  const signIn = { path: "/api/auth/sign-in/email", method: "POST" };
  const credentials = { email: "ann@example.org", password: PASSWORD };
  const { headers } = await requestJson(url, { ...signIn, body: credentials });
  await requestJson(url, {
    ...signIn,
    body: { ...credentials, password: "a wrong canary password" },
  });
  const cookie = String(headers["set-cookie"]?.[0]).split(";")[0] ?? "";
  const change = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
  const path = "/api/auth/change-password";
  await send(url, { method: "POST", path, headers: { cookie }, body: change });
  for (const apiKey of [key, team.key]) {
    const query = "title=Hello&body=World";
    await requestJson(url, { path: `/api/v1/notify/${apiKey}?${query}` });
    await requestJson(url, { path: `/api/v1/notify/${apiKey}?${query}&sound=none` });
    await requestJson(url, { path: `/api/v1/notify/${apiKey}/more?${query}` });
    await requestJson(url, { method: "POST", path: `/${apiKey}`, body: "Hello" });
    await requestJson(url, {
      path: "/api/app/v1/me",
      headers: { authorization: `Bearer ${token}`, "x-api-key": apiKey },
    });
  }
  const secrets = {
    "an API key": key,
    "a team key": team.key,
    "an access token": token,
    "a session cookie": decodeURIComponent(cookie.slice(cookie.indexOf("=") + 1)),
    "an invitation's link": parseLinkToken(link),
    "a password": PASSWORD,
    "a new password": NEW_PASSWORD,
    "a wrong password": "a wrong canary password",
    "a two-factor secret": secret,
    "a backup code": backupCodes[0] ?? "",
    ...deviceKeys,
    ...gotifyKeys,
    ...ntfyKeys,
    ...pushoverKeys,
    ...apps.secrets,
  };
  return { secrets, topic: apps.topic };
}

/** Sends with the key of a program that speaks Gotify's API, and with a wrong one, in every place of a token. */
async function useGotifyKeys(client: Client, url: string) {
  const { key } = await client.keys.create({ kind: "account", dialect: "gotify" });
  const wrongKey = "Acanarycanaryca";
  for (const token of [key, wrongKey]) {
    const path = `/message?token=${token}`;
    const headers = { "x-gotify-key": token, authorization: `Bearer ${token}` };
    for (const body of [{ message: "Hello" }, { message: 1 }, "{"]) {
      await requestJson(url, { method: "POST", path, headers, body });
      await requestJson(url, { method: "POST", path: `/message/${token}`, headers, body });
    }
  }
  return { "a key for Gotify": key, "a wrong key for Gotify": wrongKey };
}

/** Sends with the key of a program that speaks Pushover's API, and with a wrong one, in every place of a token. */
async function usePushoverKeys(client: Client, url: string) {
  const { key, userKey } = await client.keys.create({ kind: "account", dialect: "pushover" });
  const wrongKey = "acanarycanarycanarycanarycanar";
  for (const token of [key, wrongKey]) {
    for (const path of ["/1/messages.json", "/1/users/validate.json"]) {
      const query = `token=${token}&user=${userKey}`;
      await requestJson(url, { method: "POST", path: `${path}?${query}&message=Hello` });
      await requestJson(url, { method: "POST", path, body: { token, user: token, message: 1 } });
      await requestJson(url, { method: "POST", path: `${path}/${token}`, body: query });
    }
  }
  return { "a key for Pushover": key, "a wrong key for Pushover": wrongKey };
}

/** Sends with the key of a program that speaks ntfy's API, and with a wrong one, also as topic. */
async function useNtfyKeys(client: Client, url: string) {
  const { key } = await client.keys.create({ kind: "account", dialect: "ntfy" });
  const wrongKey = "tk_canarycanarycanarycanarycanary";
  for (const token of [key, wrongKey]) {
    const headers = { authorization: `Bearer ${token}` };
    const auth = Buffer.from(headers.authorization).toString("base64url");
    for (const path of [`/${token}`, `/${token}_backups`, `/backups?auth=${auth}`, "/"]) {
      // To the path of a topic, JSON is the text.
      const body = path === "/" ? { topic: token, message: "Hello" } : "Hello";
      await requestJson(url, { method: "POST", path, headers, body });
      await requestJson(url, { method: "POST", path, body });
    }
    await requestJson(url, { method: "POST", path: `/${token}/more`, headers, body: "Hello" });
    await requestJson(url, { path: `/${token}/publish?message=Hello&priority=9` });
  }
  return { "a key for ntfy": key, "a wrong key for ntfy": wrongKey };
}

/** Registers a device, renews its action key, and acts with both keys, of which only the second is valid. */
async function useDeviceKeys(client: Client, url: string) {
  const push = { provider: "fcm", token: "canary-registration-token" } as const;
  const phone = { name: "Phone", platform: "android", push } as const;
  const { id: deviceId, actionKey = "" } = await client.devices.create(phone);
  const { actionKey: renewedActionKey } = await client.devices.renewActionKey(deviceId);
  for (const usedKey of [actionKey, renewedActionKey]) {
    await requestJson(url, {
      method: "POST",
      path: "/api/app/v1/acts",
      headers: { authorization: `Device ${deviceId}.${usedKey}` },
      body: { act: "read", notificationIds: [deviceId] },
    });
  }
  return { "an action key": actionKey, "a renewed action key": renewedActionKey };
}

/** Returns the secrets that the server generated, and those from its environment. */
async function readServerSecrets({
  folder,
  providerKeys,
}: RunningServer): Promise<Readonly<Record<string, string>>> {
  const vapid = JSON.parse(await readFile(join(folder, "vapid.json"), "utf8"));
  // The first line of a PEM file is its header; the second begins the key.
  const [apns = "", fcm = ""] = providerKeys.map((pem) => pem.split("\n")[1]);
  return {
    "the VAPID key": String(vapid.privateKey),
    "the session secret": (await readFile(join(folder, "session-secret"), "utf8")).trim(),
    "the .p8 key": apns,
    "the service account's key": fcm,
    "the mail password": "canary-mail-password",
    "the metrics token": METRICS_TOKEN,
    "the secret at the identity provider": "canary-oidc-secret",
    "the token at the upstream of ntfy": "canary-upstream-token",
  };
}

test("no secret is in logs, metrics, documents, the database or a crash report", async (t) => {
  const server = await startServer(t);
  const used = await useSecrets(t, server);
  const secrets: Readonly<Record<string, string>> = {
    ...used.secrets,
    ...(await readServerSecrets(server)),
  };
  const outputs = {
    "the metrics": (
      await send(server.url, {
        path: "/metrics",
        headers: { authorization: `Bearer ${METRICS_TOKEN}` },
      })
    ).text,
    "the OpenAPI document": (await send(server.url, { path: "/openapi.json" })).text,
    "a diagnostic report of Node": await readReport(server),
    "the database": await readDatabaseFiles(server),
    // Read last, as the requests above are logged too.
    "the server's output": server.readOutput(),
  };
  for (const [output, text] of Object.entries(outputs)) {
    assert.ok(text.length > 1_000, `${output} is empty`);
    for (const [name, secret] of Object.entries(secrets)) {
      assert.ok(secret.length >= 8, `${name} is ${secret}`);
      assert.ok(!text.toLowerCase().includes(secret.toLowerCase()), `${name} is in ${output}`);
    }
    // The console shows topics again, so the database has them.
    if (output !== "the database")
      assert.ok(!text.includes(used.topic), `the topic of an app is in ${output}`);
  }
  const figure = `${Object.keys(secrets).length} secrets in ${Object.keys(outputs).length} places, 0 found`;
  reportFigure(t, figure);
});

/** Returns Node's diagnostic report, the same that it writes after a crash. */
async function readReport({ child, reports }: RunningServer): Promise<string> {
  child.kill("SIGUSR2");
  const read = async () => {
    const [name] = await readdir(reports);
    return name === undefined ? "" : readFile(join(reports, name), "utf8");
  };
  return eventually(read, (text) => text.includes("sharedObjects") && text.trimEnd().endsWith("}"));
}

/** Kills the server and returns all bytes of its database files. */
async function readDatabaseFiles({ folder, child, ended }: RunningServer): Promise<string> {
  child.kill("SIGKILL");
  await ended;
  const names = (await readdir(folder)).filter((name) => name.startsWith("tocsin.db"));
  const files = await Promise.all(names.map((name) => readFile(join(folder, name), "latin1")));
  return files.join("");
}
