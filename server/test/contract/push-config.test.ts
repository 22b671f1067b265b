import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import test from "node:test";
import { readConfig } from "#config/config.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const PKCS8 = { type: "pkcs8", format: "pem" } as const;
const P8 = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export(PKCS8);
const RSA = generateKeyPairSync("rsa", { modulusLength: 2_048 }).privateKey.export(PKCS8);
const ACCOUNT = JSON.stringify({
  type: "service_account",
  project_id: "example-project",
  private_key_id: "0123456789abcdef",
  private_key: RSA,
  client_email: "tocsin@example-project.iam.gserviceaccount.com",
  token_uri: "https://attacker.example.org/token",
});
const APNS = {
  TOCSIN_APNS_KEY: P8,
  TOCSIN_APNS_KEY_ID: "2X9R4HXF34",
  TOCSIN_APNS_TEAM_ID: "AB12CD34EF",
  TOCSIN_APNS_TOPIC: "org.example.tocsin",
};

test("APNs and FCM credentials are read, with the vendors' URLs by default", () => {
  const { apns, fcm } = readConfig({ ...APNS, TOCSIN_FCM_CREDENTIALS: ACCOUNT });
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
  const { fcm } = readConfig({ TOCSIN_FCM_CREDENTIALS: ACCOUNT });
  assert.equal(fcm?.tokenUrl, "https://oauth2.googleapis.com/token");
  const customUrl = "https://oauth2.example.org/token";
  const customised = readConfig({
    TOCSIN_FCM_CREDENTIALS: ACCOUNT,
    TOCSIN_FCM_TOKEN_URL: customUrl,
  });
  assert.equal(customised.fcm?.tokenUrl, customUrl);
});

test("both secrets may be in files, and the APNs key on one line", async (t) => {
  const folder = await temporaryFolder(t);
  const [key, account] = [join(folder, "key.p8"), join(folder, "account.json")];
  await writeFile(key, P8);
  await writeFile(account, ACCOUNT);
  const { TOCSIN_APNS_KEY: _key, ...rest } = APNS;
  const files = { TOCSIN_APNS_KEY_FILE: key, TOCSIN_FCM_CREDENTIALS_FILE: account };
  const config = readConfig({ ...rest, ...files });
  assert.notEqual(config.apns, null);
  assert.notEqual(config.fcm, null);
  const oneLine = P8.replaceAll("\n", String.raw`\n`);
  assert.notEqual(readConfig({ ...APNS, TOCSIN_APNS_KEY: oneLine }).apns, null);
});

test("incomplete APNs credentials are refused with the missing setting's name", () => {
  for (const missing of Object.keys(APNS)) {
    const environment = { ...APNS, [missing]: "" };
    assert.throws(() => readConfig(environment), new RegExp(`- ${missing}: `), missing);
  }
});

test("an invalid key is reported without its value", () => {
  const secret = P8.split("\n")[1] ?? "";
  const damaged = P8.replace(secret, `${secret.slice(0, 20)}!`);
  assert.throws(
    () => readConfig({ ...APNS, TOCSIN_APNS_KEY: damaged }),
    (error) => error instanceof Error && !error.message.includes(secret.slice(0, 20)),
  );
  const wrongKind = ACCOUNT.replace("service_account", "authorized_user");
  assert.throws(
    () => readConfig({ TOCSIN_FCM_CREDENTIALS: wrongKind }),
    /- TOCSIN_FCM_CREDENTIALS: .*service account/,
  );
});

test("plain HTTP is allowed only for services on this machine", () => {
  const local = "http://127.0.0.1:9443";
  const config = readConfig({ ...APNS, TOCSIN_APNS_URL: local, TOCSIN_APNS_SANDBOX_URL: local });
  assert.equal(config.apns?.url, local);
  for (const url of [
    "http://192.168.0.1",
    "http://127.0.0.1.example.org",
    "https://api.push.apple.com/3",
    "ftp://127.0.0.1",
  ]) {
    assert.throws(() => readConfig({ ...APNS, TOCSIN_APNS_URL: url }), /- TOCSIN_APNS_URL: /, url);
  }
});
