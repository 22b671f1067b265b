import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import test from "node:test";
import { createClient } from "@tocsin/sdk";
import { sql } from "kysely";
import { generateTotpCode } from "../support/totp-code.ts";
import { readConfig } from "#config/config.ts";
import { generateMasterKeyText } from "#secrets/master-key.ts";
import { loadSecrets } from "../../src/secrets/secrets.ts";
import { startApp, signUp, type TestApp, type TestPerson } from "../support/app.ts";
import { readMail } from "../support/read-mail.ts";
import { requestJson } from "./http-requests.ts";
import { parseLinkToken } from "../support/link-token.ts";

const PASSWORD = "password of Ann";

/** Creates one of every kind of credential, and returns them. */
async function createSecrets({ url }: TestApp, { client, email, key }: TestPerson) {
  const { token } = await client.accessTokens.create({ label: "script" });
  const team = await client.teams.create({ name: "Ops" });
  const { link } = await client.teams.invite(team.id, { email: "ben@example.org" });
  const [apiKey] = (await client.keys.list()).items;
  const callbackSecret = await client.keys.createCallbackSecret(apiKey?.id ?? "");
  const browser = createClient({ baseUrl: url });
  await browser.signIn({ email, password: PASSWORD });
  const pairing = await browser.pairings.create();
  const signInRequest = { path: "/api/auth/sign-in/email", method: "POST" };
  const { headers } = await requestJson(url, {
    ...signInRequest,
    body: { email, password: PASSWORD },
  });
  const cookie = String(headers["set-cookie"]?.[0]).split(";")[0]?.split("=")[1] ?? "";
  const { secret, backupCodes } = await browser.twoFactor.begin({ password: PASSWORD });
  await browser.twoFactor.confirm({ code: generateTotpCode(secret, Date.now()) });
  const { twoFactorToken } = await createClient({ baseUrl: url }).signIn({
    email,
    password: PASSWORD,
  });
  return [
    PASSWORD,
    key,
    team.key,
    callbackSecret.secret.slice("whsec_".length),
    token,
    parseLinkToken(link),
    new URL(pairing.url).hash.slice(1).replace(/^.*=/, ""),
    pairing.code,
    cookie,
    decodeURIComponent(cookie),
    secret,
    twoFactorToken ?? "",
    ...backupCodes,
    ...backupCodes.map((code) => code.replaceAll("-", "")),
  ];
}

/** Returns the tokens of links in emails that wait in the outbox. */
async function readPendingTokens({ app }: TestApp): Promise<readonly string[]> {
  const { context } = app;
  const rows = await context.database.db
    .selectFrom("mail_message")
    .select(["id", "text", "link"])
    .execute();
  return rows.map((row) => {
    const { text, link } = readMail(context, row);
    const token = parseLinkToken(link);
    assert.ok(text.includes(token));
    return token;
  });
}

/** Returns the contents of the data folder and the database, as an attacker would copy them. */
async function copyEverything({ app, dataDir }: TestApp): Promise<string> {
  const names = await readdir(dataDir);
  const files = await Promise.all(names.map((name) => readFile(join(dataDir, name), "latin1")));
  const { db, engine } = app.context.database;
  if (engine.name === "sqlite") return files.join("\n");
  const { rows: tables } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = current_schema()`.execute(db);
  for (const { name } of tables) {
    const table = sql.table(name);
    const { rows } = await sql<{ row: string }>`select ${table}::text as row from ${table}`.execute(
      db,
    );
    files.push(...rows.map(({ row }) => row));
  }
  return files.join("\n");
}

test("a copy of the database and data folder without the master key contains no credential", async (t) => {
  const environment = {
    TOCSIN_MASTER_KEY: generateMasterKeyText(),
    // Nothing listens on this port (RFC 6335: port 1 is tcpmux), so that emails stay in the outbox.
    TOCSIN_SMTP_URL: "smtp://127.0.0.1:1",
    TOCSIN_MAIL_FROM: "tocsin@example.org",
  };
  const app = await startApp(t, { environment });
  const secrets = await createSecrets(app, await signUp(app, "Ann"));
  const pendingTokens = await readPendingTokens(app);
  assert.ok(pendingTokens.length >= 2, "a verification and an invitation");
  const { masterKeys } = readConfig(environment);
  const settings = { database: app.database, dataDir: app.dataDir, masterKeys };
  const { session, vapid, isSealed } = await loadSecrets(settings, app.app.context.database);
  assert.ok(isSealed);
  const copy = await copyEverything(app);
  assert.ok(copy.includes("ben@example.org"), "the copy contains data");
  for (const secret of [
    environment.TOCSIN_MASTER_KEY,
    session,
    vapid.privateKey,
    ...pendingTokens,
    ...secrets,
  ]) {
    assert.ok(secret.length >= 8, "a secret");
    assert.ok(!copy.includes(secret), secret);
  }
});
