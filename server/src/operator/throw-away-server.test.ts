import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "@tocsin/sdk";
import { ApnsService } from "../../test/doubles/apns/apns-service.ts";
import { generateProviderKey } from "../../test/doubles/apns/provider-key.ts";
import { SimulatedIphone } from "../../test/doubles/apns/simulated-iphone.ts";
import { FcmService } from "../../test/doubles/fcm/fcm-service.ts";
import { createTemporaryFolder } from "../../test/support/temporary-folder.ts";
import { startThrowAwayServer } from "./throw-away-server.ts";

const TEAM_ID = "DEF123GHIJ";
const TOPIC = "org.example.tocsin";
/** The fixed time of the test. */
const NOW_MS = Math.round(performance.timeOrigin);

test("a throw-away server sends to sandbox devices with the simulated APNs", async (t) => {
  const now = () => NOW_MS;
  const key = generateProviderKey();
  const apns = await ApnsService.start({
    environment: "production",
    teamId: TEAM_ID,
    keys: [key],
    topics: [TOPIC],
    now,
  });
  t.after(() => apns.close());
  const fcm = await FcmService.start({ audience: "own", now });
  t.after(() => fcm.close());
  const { keyId, privateKey } = key;
  const { origin, ca } = apns;
  const server = await startThrowAwayServer({
    dataDir: await createTemporaryFolder(t),
    services: {
      apns: { origin, ca, key: privateKey, keyId, teamId: TEAM_ID, topic: TOPIC },
      fcm,
      webPush: { origin: "http://127.0.0.1:9" },
    },
    now,
    elapsed: () => performance.now(),
    random: Math.random,
  });
  t.after(() => server.stop());
  const client = createClient({ baseUrl: server.url });
  await client.signUp({ email: "ann@example.org", name: "Ann", password: "correct horse 1" });
  const { token } = new SimulatedIphone(apns);
  const push = { provider: "apns", token, environment: "sandbox" } as const;
  const { id } = await client.devices.create({ name: "iPhone", platform: "ios", push });
  const result = await client.devices.test(id);
  assert.equal(result.success, true);
  assert.equal(apns.delivered.length, 1);
});
