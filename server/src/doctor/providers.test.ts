import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { readConfig } from "#config/config.ts";
import { ApnsService } from "../../test/doubles/apns/apns-service.ts";
import { makeProviderKey } from "../../test/doubles/apns/provider-key.ts";
import { FcmService } from "../../test/doubles/fcm/fcm-service.ts";
import { generateServiceAccount } from "../../test/doubles/fcm/service-account.ts";
import { realNow, startSurroundings } from "../../test/support/surroundings.ts";
import { examine } from "./doctor.ts";

const TEAM = "AB12CD34EF";
const TOPIC = "org.example.tocsin";
const CLOSED = "https://127.0.0.1:1";

test("credentials that Apple and Google accept are ok, one line for each service", async (test) => {
  const { look, apns, fcm } = await stage(test);
  assert.deepEqual(await look({}), ["apns production: ok", "apns sandbox: ok", "fcm: ok"]);
  assert.deepEqual([...apns.production.delivered, ...apns.sandbox.delivered], []);
  assert.equal(fcm.judged.length, 1);
});

test("an unknown key fails, with its remedy and without the key", async (test) => {
  const { look } = await stage(test);
  const stranger = makeProviderKey();
  const account = generateServiceAccount("tocsin-double");
  const lines = await look(
    { TOCSIN_APNS_KEY: stranger.privateKey, TOCSIN_FCM_CREDENTIALS: account.credentials },
    ({ subject, status, mend }) => `${subject}: ${status}: ${mend}`,
  );
  assert.match(lines.join("\n"), /^apns production: fail: .*TOCSIN_APNS_KEY/m);
  assert.match(lines.join("\n"), /^apns sandbox: fail: .*TOCSIN_APNS_KEY/m);
  assert.match(lines.join("\n"), /^fcm: fail: Make a new key/m);
});

test("a wrong topic and a wrong project fail by name", async (test) => {
  const { look, fcm } = await stage(test);
  const credentials = JSON.stringify({ ...JSON.parse(fcm.credentials), project_id: "other-one" });
  const lines = await look(
    { TOCSIN_APNS_TOPIC: "org.example.other", TOCSIN_FCM_CREDENTIALS: credentials },
    ({ subject, status, mend }) => `${subject}: ${status}: ${mend}`,
  );
  assert.match(lines.join("\n"), /^apns production: fail: .*TOCSIN_APNS_TOPIC/m);
  assert.match(lines.join("\n"), /^fcm: fail: .*other-one/m);
});

test("unreachable services fail with the port to open", async (test) => {
  const { look } = await stage(test);
  const lines = await look(
    {
      TOCSIN_APNS_URL: CLOSED,
      TOCSIN_APNS_SANDBOX_URL: CLOSED,
      TOCSIN_FCM_TOKEN_URL: `${CLOSED}/token`,
    },
    ({ subject, status, mend }) => `${subject}: ${status}: ${mend}`,
  );
  assert.match(lines.join("\n"), /^apns production: fail: Allow outbound TCP 1 to 127\.0\.0\.1/m);
  assert.match(lines.join("\n"), /^fcm: fail: Allow this server to open connections/m);
});

type Finding = ReturnType<typeof examine> extends AsyncIterable<infer T> ? T : never;

async function stage(test: TestContext) {
  const { environment, seams } = await startSurroundings(test);
  const key = makeProviderKey();
  const apns = {
    production: await startApns(test, { key, environment: "production" }),
    sandbox: await startApns(test, { key, environment: "sandbox" }),
  };
  const fcm = await FcmService.start({ audience: "own" });
  test.after(() => fcm.close());
  const settings = {
    ...environment,
    TOCSIN_APNS_KEY: key.privateKey,
    TOCSIN_APNS_KEY_ID: key.keyId,
    TOCSIN_APNS_TEAM_ID: TEAM,
    TOCSIN_APNS_TOPIC: TOPIC,
    TOCSIN_APNS_URL: apns.production.origin,
    TOCSIN_APNS_SANDBOX_URL: apns.sandbox.origin,
    TOCSIN_FCM_CREDENTIALS: fcm.credentials,
    TOCSIN_FCM_URL: fcm.origin,
    TOCSIN_FCM_TOKEN_URL: fcm.tokenUrl,
  };
  const ca = { ca: `${apns.production.ca}\n${apns.sandbox.ca}` };
  const look = async (
    change: Readonly<Record<string, string>>,
    tell = ({ subject, status }: Finding) => `${subject}: ${status}`,
  ) => {
    const loadConfig = () => readConfig({ ...settings, ...change });
    const world = { ...seams, apns: ca, fcm: { ca: fcm.ca } };
    const all = await Array.fromAsync(
      examine({
        loadConfig,
        now: realNow,
        elapsed: () => performance.now(),
        random: Math.random,
        ...world,
      }),
    );
    assert.doesNotMatch(JSON.stringify(all), /PRIVATE KEY/);
    return all.filter(({ subject }) => /^(apns|fcm)/.test(subject)).map(tell);
  };
  return { look, apns, fcm };
}

async function startApns(
  test: TestContext,
  {
    key,
    environment,
  }: { key: ReturnType<typeof makeProviderKey>; environment: "production" | "sandbox" },
): Promise<ApnsService> {
  const service = await ApnsService.start({
    environment,
    teamId: TEAM,
    keys: [key],
    topics: [TOPIC],
  });
  test.after(() => service.close());
  return service;
}
