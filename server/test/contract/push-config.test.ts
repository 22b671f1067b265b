import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import test from "node:test";
import { readConfig } from "#config/config.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const PKCS8_FORMAT = { type: "pkcs8", format: "pem" } as const;
const APNS_KEY = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export(PKCS8_FORMAT);
const RSA_KEY = generateKeyPairSync("rsa", { modulusLength: 2_048 }).privateKey.export(
  PKCS8_FORMAT,
);
const SERVICE_ACCOUNT = JSON.stringify({
  type: "service_account",
  project_id: "example-project",
  private_key_id: "0123456789abcdef",
  private_key: RSA_KEY,
  client_email: "tocsin@example-project.iam.gserviceaccount.com",
  token_uri: "https://attacker.example.org/token",
});
const APNS_ENVIRONMENT = {
  TOCSIN_APNS_KEY: APNS_KEY,
  TOCSIN_APNS_KEY_ID: "2X9R4HXF34",
  TOCSIN_APNS_TEAM_ID: "AB12CD34EF",
  TOCSIN_APNS_TOPIC: "org.example.tocsin",
};

test("APNs and FCM credentials are read, with the vendors' URLs by default", () => {
  const { apns, fcm } = readConfig({
    ...APNS_ENVIRONMENT,
    TOCSIN_FCM_CREDENTIALS: SERVICE_ACCOUNT,
  });
  assert.equal(apns?.url, "https://api.push.apple.com");
  assert.equal(apns.sandboxUrl, "https://api.sandbox.push.apple.com");
  assert.deepEqual(
    [apns.keyId, apns.teamId, apns.topic],
    ["2X9R4HXF34", "AB12CD34EF", "org.example.tocsin"],
  );
  assert.equal(fcm?.url, "https://fcm.googleapis.com");
  assert.equal(fcm.credentials.projectId, "example-project");
});

test("access tokens come from Google, whatever URL the key file contains", () => {
  const { fcm } = readConfig({ TOCSIN_FCM_CREDENTIALS: SERVICE_ACCOUNT });
  assert.equal(fcm?.tokenUrl, "https://oauth2.googleapis.com/token");
  const customUrl = "https://oauth2.example.org/token";
  const customConfig = readConfig({
    TOCSIN_FCM_CREDENTIALS: SERVICE_ACCOUNT,
    TOCSIN_FCM_TOKEN_URL: customUrl,
  });
  assert.equal(customConfig.fcm?.tokenUrl, customUrl);
});

test("both secrets may be in files, and the APNs key on one line", async (t) => {
  const folder = await createTemporaryFolder(t);
  const key = join(folder, "key.p8");
  const account = join(folder, "account.json");
  await writeFile(key, APNS_KEY);
  await writeFile(account, SERVICE_ACCOUNT);
  const { TOCSIN_APNS_KEY: _key, ...rest } = APNS_ENVIRONMENT;
  const files = { TOCSIN_APNS_KEY_FILE: key, TOCSIN_FCM_CREDENTIALS_FILE: account };
  const config = readConfig({ ...rest, ...files });
  assert.notEqual(config.apns, null);
  assert.notEqual(config.fcm, null);
  const oneLine = APNS_KEY.replaceAll("\n", String.raw`\n`);
  assert.notEqual(readConfig({ ...APNS_ENVIRONMENT, TOCSIN_APNS_KEY: oneLine }).apns, null);
});

test("incomplete APNs credentials are refused with the missing setting's name", () => {
  for (const missing of Object.keys(APNS_ENVIRONMENT)) {
    const environment = { ...APNS_ENVIRONMENT, [missing]: "" };
    assert.throws(() => readConfig(environment), new RegExp(`- ${missing}: `), missing);
  }
});

test("an invalid key is reported without its value", () => {
  const secret = APNS_KEY.split("\n")[1] ?? "";
  const damagedKey = APNS_KEY.replace(secret, `${secret.slice(0, 20)}!`);
  assert.throws(
    () => readConfig({ ...APNS_ENVIRONMENT, TOCSIN_APNS_KEY: damagedKey }),
    (error) => error instanceof Error && !error.message.includes(secret.slice(0, 20)),
  );
  const wrongKind = SERVICE_ACCOUNT.replace("service_account", "authorized_user");
  assert.throws(
    () => readConfig({ TOCSIN_FCM_CREDENTIALS: wrongKind }),
    /- TOCSIN_FCM_CREDENTIALS: .*service account/,
  );
});

test("plain HTTP is allowed only for services on this machine", () => {
  const localUrl = "http://127.0.0.1:9443";
  const config = readConfig({
    ...APNS_ENVIRONMENT,
    TOCSIN_APNS_URL: localUrl,
    TOCSIN_APNS_SANDBOX_URL: localUrl,
  });
  assert.equal(config.apns?.url, localUrl);
  for (const url of [
    "http://192.168.0.1",
    "http://127.0.0.1.example.org",
    "https://api.push.apple.com/3",
    "ftp://127.0.0.1",
  ]) {
    assert.throws(
      () => readConfig({ ...APNS_ENVIRONMENT, TOCSIN_APNS_URL: url }),
      /- TOCSIN_APNS_URL: /,
      url,
    );
  }
});
