import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { readConfig } from "#config/config.ts";
import { ApnsService } from "../../test/doubles/apns/apns-service.ts";
import { generateProviderKey } from "../../test/doubles/apns/provider-key.ts";
import { FcmService } from "../../test/doubles/fcm/fcm-service.ts";
import { generateServiceAccount } from "../../test/doubles/fcm/service-account.ts";
import { realNow, startLocalDeployment } from "../../test/support/local-deployment.ts";
import { examine } from "./doctor.ts";
import type { Finding } from "./finding.ts";

const TEAM_ID = "AB12CD34EF";
const TOPIC = "org.example.tocsin";
const CLOSED_ORIGIN = "https://127.0.0.1:1";

test("valid credentials are ok, with one line per service", async (t) => {
  const { check, apns, fcm } = await setUp(t);
  assert.deepEqual(await check({}), ["apns production: ok", "apns sandbox: ok", "fcm: ok"]);
  assert.deepEqual([...apns.production.delivered, ...apns.sandbox.delivered], []);
  assert.equal(fcm.requests.length, 1);
});

test("the check of an unknown key fails with a remedy, and prints no key", async (t) => {
  const { check } = await setUp(t);
  const unknownKey = generateProviderKey();
  const serviceAccount = generateServiceAccount("tocsin-double");
  const lines = await check(
    { TOCSIN_APNS_KEY: unknownKey.privateKey, TOCSIN_FCM_CREDENTIALS: serviceAccount.credentials },
    ({ subject, status, mend: remedy }) => `${subject}: ${status}: ${remedy}`,
  );
  assert.match(lines.join("\n"), /^apns production: fail: .*TOCSIN_APNS_KEY/m);
  assert.match(lines.join("\n"), /^apns sandbox: fail: .*TOCSIN_APNS_KEY/m);
  assert.match(lines.join("\n"), /^fcm: fail: Create a new key/m);
});

test("the check of a wrong topic or project fails with a remedy", async (t) => {
  const { check, fcm } = await setUp(t);
  const credentials = JSON.stringify({ ...JSON.parse(fcm.credentials), project_id: "other-one" });
  const lines = await check(
    { TOCSIN_APNS_TOPIC: "org.example.other", TOCSIN_FCM_CREDENTIALS: credentials },
    ({ subject, status, mend: remedy }) => `${subject}: ${status}: ${remedy}`,
  );
  assert.match(lines.join("\n"), /^apns production: fail: .*TOCSIN_APNS_TOPIC/m);
  assert.match(lines.join("\n"), /^fcm: fail: .*other-one/m);
});

test("the check of an unreachable service fails, and its remedy names the connection to allow", async (t) => {
  const { check } = await setUp(t);
  const lines = await check(
    {
      TOCSIN_APNS_URL: CLOSED_ORIGIN,
      TOCSIN_APNS_SANDBOX_URL: CLOSED_ORIGIN,
      TOCSIN_FCM_TOKEN_URL: `${CLOSED_ORIGIN}/token`,
    },
    ({ subject, status, mend: remedy }) => `${subject}: ${status}: ${remedy}`,
  );
  assert.match(lines.join("\n"), /^apns production: fail: Allow outbound TCP 1 to 127\.0\.0\.1/m);
  assert.match(lines.join("\n"), /^fcm: fail: Allow this server to open connections/m);
});

async function setUp(t: TestContext) {
  const { environment, networkOverrides } = await startLocalDeployment(t);
  const key = generateProviderKey();
  const apns = {
    production: await startApns(t, { key, environment: "production" }),
    sandbox: await startApns(t, { key, environment: "sandbox" }),
  };
  const fcm = await FcmService.start({ audience: "own" });
  t.after(() => fcm.close());
  const settings = {
    ...environment,
    TOCSIN_APNS_KEY: key.privateKey,
    TOCSIN_APNS_KEY_ID: key.keyId,
    TOCSIN_APNS_TEAM_ID: TEAM_ID,
    TOCSIN_APNS_TOPIC: TOPIC,
    TOCSIN_APNS_URL: apns.production.origin,
    TOCSIN_APNS_SANDBOX_URL: apns.sandbox.origin,
    TOCSIN_FCM_CREDENTIALS: fcm.credentials,
    TOCSIN_FCM_URL: fcm.origin,
    TOCSIN_FCM_TOKEN_URL: fcm.tokenUrl,
  };
  const apnsOverrides = { ca: `${apns.production.ca}\n${apns.sandbox.ca}` };
  const check = async (
    overrides: Readonly<Record<string, string>>,
    format = ({ subject, status }: Finding) => `${subject}: ${status}`,
  ) => {
    const loadConfig = () => readConfig({ ...settings, ...overrides });
    const allOverrides = { ...networkOverrides, apns: apnsOverrides, fcm: { ca: fcm.ca } };
    const findings = await Array.fromAsync(
      examine({
        loadConfig,
        now: realNow,
        elapsed: () => performance.now(),
        random: Math.random,
        ...allOverrides,
      }),
    );
    assert.doesNotMatch(JSON.stringify(findings), /PRIVATE KEY/);
    return findings.filter(({ subject }) => /^(apns|fcm)/.test(subject)).map(format);
  };
  return { check, apns, fcm };
}

async function startApns(
  t: TestContext,
  {
    key,
    environment,
  }: { key: ReturnType<typeof generateProviderKey>; environment: "production" | "sandbox" },
): Promise<ApnsService> {
  const service = await ApnsService.start({
    environment,
    teamId: TEAM_ID,
    keys: [key],
    topics: [TOPIC],
  });
  t.after(() => service.close());
  return service;
}
