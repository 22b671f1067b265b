import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { pino } from "pino";
import { getShownFields } from "#config/conceal.ts";
import { ConfigError, readConfig } from "#config/config.ts";
import { parseMasterKey } from "#secrets/master-key.ts";
import { generateProviderKey } from "../doubles/apns/provider-key.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const MASTER_KEY = "0123456789abcdef".repeat(4);

/** An invalid value for each setting with rules. */
const INVALID_SETTINGS: Readonly<Record<string, string>> = {
  TOCSIN_PORT: "70000",
  TOCSIN_MASTER_KEY: "hunter2",
  TOCSIN_MASTER_KEY_OLD: "zebra",
  TOCSIN_BASE_URL: "push.example.org",
  TOCSIN_DATABASE_URL: "mysql://localhost/tocsin",
  TOCSIN_ROLE: "sender",
  TOCSIN_SIGN_UP: "anyone",
  TOCSIN_SMTP_URL: "mail.example.org",
  TOCSIN_MAIL_FROM: "nobody",
  TOCSIN_OIDC_ISSUER: "http://id.example.org",
  TOCSIN_OIDC_CLIENT_ID: "",
  TOCSIN_OIDC_CLIENT_SECRET: "",
  TOCSIN_OIDC_NAME: "A name that is longer than any button could be",
  TOCSIN_APNS_KEY: "key",
  TOCSIN_APNS_KEY_ID: "key.p8",
  TOCSIN_APNS_TEAM_ID: "Example Inc.",
  TOCSIN_APNS_TOPIC: "org/example",
  TOCSIN_APNS_URL: "http://api.push.example.org",
  TOCSIN_APNS_SANDBOX_URL: "https://api.push.example.org/3",
  TOCSIN_FCM_CREDENTIALS: "{}",
  TOCSIN_FCM_URL: "fcm.example.org",
  TOCSIN_FCM_TOKEN_URL: "http://oauth2.example.org/token",
  TOCSIN_VAPID_SUBJECT: "ops@example.org",
  TOCSIN_WEBPUSH_HOSTS: "all",
  TOCSIN_WEBPUSH_ALLOW_ORIGINS: "http://127.0.0.1:8089/push",
  TOCSIN_CALLBACK_ALLOW_ORIGINS: "10.0.0.5:8089",
  TOCSIN_DIALECTS: "gotify,morse",
  TOCSIN_NTFY_UPSTREAM: "http://ntfy.example.org",
  TOCSIN_NTFY_UPSTREAM_TOKEN: "two words",
  TOCSIN_SYNC_WAIT_MS: "-1",
  TOCSIN_RATE_LIMIT_PER_S: "fast",
  TOCSIN_RATE_LIMIT_BURST: "0",
  TOCSIN_RETENTION_DAYS: "1.5",
  TOCSIN_TRUST_PROXY: "proxy.example.org",
  TOCSIN_LOG_LEVEL: "loud",
  TOCSIN_LOG_FORMAT: "xml",
  TOCSIN_RELEASES_URL: "http://example.org/latest",
};

test("every setting has its default", () => {
  const { dataDir, database, ...config } = readConfig({});
  assert.equal(dataDir, join(process.cwd(), "data"));
  assert.deepEqual(database, { kind: "sqlite", path: join(dataDir, "tocsin.db") });
  assert.deepEqual(config, {
    host: "127.0.0.1",
    port: 8080,
    baseUrl: "http://localhost:8080",
    signUp: "invite",
    mail: null,
    oidc: null,
    vapidSubject: null,
    webPush: { mode: "vendors", extraHosts: [], allowOrigins: [] },
    callbackAllowOrigins: [],
    apns: null,
    fcm: null,
    dialects: ["ntfy", "gotify", "pushover"],
    ntfyUpstream: null,
    syncWaitMs: 3_000,
    rateLimit: { perSecond: 50, burst: 1_000 },
    retentionDays: 30,
    fixed: { signUp: false, retentionDays: false },
    metricsToken: null,
    trustProxy: false,
    logLevel: "info",
    logFormat: "auto",
    releasesUrl: null,
    role: "all",
    masterKeys: { current: null, old: null, file: null },
  });
});

const GENERAL_SETTINGS = {
  TOCSIN_HOST: "0.0.0.0",
  TOCSIN_PORT: "0",
  TOCSIN_DATA_DIR: "var/tocsin",
  TOCSIN_BASE_URL: "https://push.example.org/",
  TOCSIN_SIGN_UP: "Closed",
  TOCSIN_SMTP_URL: "smtps://user:password@mail.example.org:465",
  TOCSIN_MAIL_FROM: "Tocsin <tocsin@example.org>",
  TOCSIN_OIDC_ISSUER: "https://id.example.org/realms/a",
  TOCSIN_OIDC_CLIENT_ID: "tocsin",
  TOCSIN_OIDC_CLIENT_SECRET: "a secret",
  TOCSIN_WEBPUSH_HOSTS: "open, Push.Example.org, *.up.example.org",
  TOCSIN_WEBPUSH_ALLOW_ORIGINS: "http://127.0.0.1:8089",
  TOCSIN_CALLBACK_ALLOW_ORIGINS: "http://10.0.0.5:8089, https://Hooks.lan",
  TOCSIN_DIALECTS: "None",
  TOCSIN_NTFY_UPSTREAM: "https://ntfy.sh/",
  TOCSIN_NTFY_UPSTREAM_TOKEN: "tk_0",
  TOCSIN_SYNC_WAIT_MS: "0",
  TOCSIN_RATE_LIMIT_PER_S: "0",
  TOCSIN_RATE_LIMIT_BURST: "1",
  TOCSIN_RETENTION_DAYS: "3650",
  TOCSIN_METRICS_TOKEN: "token",
  TOCSIN_TRUST_PROXY: "10.0.0.0/8, ::1",
  TOCSIN_LOG_LEVEL: "debug",
  TOCSIN_LOG_FORMAT: "Text",
  TOCSIN_RELEASES_URL: "https://example.org/releases/latest?final=1",
  TOCSIN_DATABASE_URL: "postgres://tocsin:secret@db.example.org/tocsin",
  TOCSIN_ROLE: "worker",
};

test("settings other than push credentials and master keys are read", () => {
  assert.deepEqual(readConfig(GENERAL_SETTINGS), {
    dataDir: join(process.cwd(), "var/tocsin"),
    host: "0.0.0.0",
    port: 0,
    baseUrl: "https://push.example.org",
    signUp: "closed",
    mail: {
      smtpUrl: "smtps://user:password@mail.example.org:465",
      from: "Tocsin <tocsin@example.org>",
    },
    oidc: {
      issuer: "https://id.example.org/realms/a",
      clientId: "tocsin",
      clientSecret: "a secret",
      name: "id.example.org",
    },
    vapidSubject: "https://push.example.org",
    webPush: {
      mode: "open",
      extraHosts: ["push.example.org", "*.up.example.org"],
      allowOrigins: ["http://127.0.0.1:8089"],
    },
    callbackAllowOrigins: ["http://10.0.0.5:8089", "https://hooks.lan"],
    apns: null,
    fcm: null,
    dialects: [],
    ntfyUpstream: { url: "https://ntfy.sh", token: "tk_0" },
    syncWaitMs: 0,
    rateLimit: { perSecond: 0, burst: 1 },
    retentionDays: 3_650,
    fixed: { signUp: true, retentionDays: true },
    metricsToken: "token",
    trustProxy: "10.0.0.0/8, ::1",
    logLevel: "debug",
    logFormat: "text",
    releasesUrl: "https://example.org/releases/latest?final=1",
    database: { kind: "postgres", url: "postgres://tocsin:secret@db.example.org/tocsin" },
    role: "worker",
    masterKeys: { current: null, old: null, file: null },
  });
});

test("a retired setting is ignored", () => {
  assert.deepEqual(readConfig({ TOCSIN_HTTP2_CLIENT: "node" }), readConfig({}));
});

test("master keys are read from variables or files, and the file's path is kept", async (t) => {
  const file = join(await createTemporaryFolder(t), "key");
  await writeFile(file, `${MASTER_KEY}\n`);
  const oldKey = MASTER_KEY.toUpperCase().replaceAll("0", "1");
  const { masterKeys } = readConfig({
    TOCSIN_MASTER_KEY_FILE: file,
    TOCSIN_MASTER_KEY_OLD: oldKey,
  });
  assert.deepEqual(
    [masterKeys.current?.id, masterKeys.old?.id, masterKeys.file],
    [parseMasterKey(MASTER_KEY).id, parseMasterKey(oldKey).id, file],
  );
  const keysFromVariable = readConfig({
    TOCSIN_MASTER_KEY: oldKey,
    TOCSIN_MASTER_KEY_FILE: file,
  }).masterKeys;
  assert.deepEqual(
    [keysFromVariable.current?.id, keysFromVariable.file],
    [masterKeys.old?.id, null],
  );
});

test("a logged, printed or serialised configuration shows no secret", () => {
  const config = readConfig({
    TOCSIN_SMTP_URL: "smtps://user:zebra-1@mail.example.org",
    TOCSIN_MAIL_FROM: "tocsin@example.org",
    TOCSIN_OIDC_ISSUER: "https://id.example.org",
    TOCSIN_OIDC_CLIENT_ID: "tocsin",
    TOCSIN_OIDC_CLIENT_SECRET: "zebra-2",
    TOCSIN_METRICS_TOKEN: "zebra-3",
    TOCSIN_NTFY_UPSTREAM: "https://ntfy.sh",
    TOCSIN_NTFY_UPSTREAM_TOKEN: "zebra-5",
    TOCSIN_DATABASE_URL: "postgres://tocsin:zebra-4@db.example.org/tocsin",
    TOCSIN_MASTER_KEY: MASTER_KEY,
    TOCSIN_MASTER_KEY_OLD: MASTER_KEY.replaceAll("0", "1"),
    TOCSIN_APNS_KEY: generateProviderKey().privateKey,
    TOCSIN_APNS_KEY_ID: "2X9R4HXF34",
    TOCSIN_APNS_TEAM_ID: "AB12CD34EF",
    TOCSIN_APNS_TOPIC: "org.example.tocsin",
  });
  const lines: string[] = [];
  const options = { formatters: { log: getShownFields } };
  const log = pino(options, { write: (line: string) => lines.push(line) });
  const { database, mail, oidc, masterKeys, apns, ntfyUpstream } = config;
  const { metricsToken: _token, ...copy } = config;
  for (const part of [
    config,
    { config },
    copy,
    database,
    mail,
    oidc,
    masterKeys,
    apns,
    ntfyUpstream,
  ]) {
    log.info(part);
    log.info({ part });
    lines.push(JSON.stringify(part), inspect(part, { depth: null, showHidden: true }));
  }
  assert.ok(lines.some((line) => line.includes("tocsin@example.org")));
  const secrets = ["zebra", "PRIVATE KEY", MASTER_KEY, MASTER_KEY.replaceAll("0", "1")];
  for (const secret of secrets) {
    assert.deepEqual(
      lines.filter((line) => line.toLowerCase().includes(secret.toLowerCase())),
      [],
    );
  }
  assert.equal(mail?.smtpUrl, "smtps://user:zebra-1@mail.example.org");
});

test("all problems are listed by setting name, without the values", () => {
  assert.throws(
    () => readConfig(INVALID_SETTINGS),
    (error) => {
      assert.ok(error instanceof ConfigError);
      const reported = error.problems.map((problem) => String(problem.split(":")[0]));
      assert.deepEqual(reported.toSorted(), Object.keys(INVALID_SETTINGS).toSorted());
      assert.ok(!error.message.includes("postgres://localhost"));
      assert.doesNotMatch(error.message, /hunter2|zebra/);
      return true;
    },
  );
});

test("a secret may be in a file, and an unreadable file is a problem", async (t) => {
  const folder = await createTemporaryFolder(t);
  const file = join(folder, "token");
  await writeFile(file, "token\n");
  assert.equal(readConfig({ TOCSIN_METRICS_TOKEN_FILE: file }).metricsToken, "token");
  await writeFile(file, "smtp://mail.example.org");
  const mail = { TOCSIN_SMTP_URL_FILE: file, TOCSIN_MAIL_FROM: "a@example.org" };
  assert.equal(readConfig(mail).mail?.smtpUrl, "smtp://mail.example.org");
  const missingFileSetting = { TOCSIN_METRICS_TOKEN_FILE: join(folder, "missing") };
  assert.throws(
    () => readConfig(missingFileSetting),
    /TOCSIN_METRICS_TOKEN_FILE: the file cannot be read/,
  );
});

test("a process with an invalid configuration lists the problems and exits with 1", async (t) => {
  const folder = await createTemporaryFolder(t);
  const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
  const code = `import { serve } from ${JSON.stringify(main)}; process.exitCode = await serve();`;
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    ["--input-type=module", "--eval", code],
    {
      cwd: folder,
      env: { ...process.env, ...INVALID_SETTINGS },
      encoding: "utf8",
      timeout: 30_000,
    },
  );
  assert.equal(status, 1);
  for (const name of Object.keys(INVALID_SETTINGS))
    assert.match(stderr, new RegExp(`^- ${name}: `, "m"));
  assert.equal(stdout, "");
});

test("a .env file in the working folder is read", async (t) => {
  const folder = await createTemporaryFolder(t);
  await writeFile(join(folder, ".env"), "TOCSIN_PORT=loud\n");
  const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
  const code = `import { serve } from ${JSON.stringify(main)}; process.exitCode = await serve();`;
  const { stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", code], {
    cwd: folder,
    env: { PATH: process.env["PATH"] },
    encoding: "utf8",
    timeout: 120_000,
  });
  assert.match(stderr, /^- TOCSIN_PORT: /m);
});
