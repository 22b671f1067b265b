import assert from "node:assert/strict";
import test from "node:test";
import { deserialize, serialize } from "node:v8";
import { SimulatedIphone } from "../../test/doubles/apns/simulated-iphone.ts";
import { SimulatedAndroid } from "../../test/doubles/fcm/simulated-android.ts";
import { startNativeServices } from "../../test/support/native.ts";
import { messageWith } from "../../test/support/push-message.ts";
import { TestClock } from "../../test/support/room.ts";
import { readConfig } from "#config/config.ts";
import type { Address } from "#providers/provider.ts";
import { generateVapidKeys } from "#providers/webpush/vapid-keys.ts";
import { createPackedProviders, packSettings, type SoloSettings } from "./solo-settings.ts";

const { now, elapsed } = new TestClock();

const MESSAGE = messageWith({ createdAt: now(), expiresAt: now() + 60_000 });

test("providers made of settings that went over a pipe have the credentials, addresses and certificates of the server", async (t) => {
  const { apns, fcm, environment, seams } = await startNativeServices(t, { now });
  const options = { config: readConfig(environment), now, elapsed, random: Math.random, ...seams };
  const packed = await packSettings(options, {
    vapid: generateVapidKeys(),
    contact: async () => null,
  });
  // As `child_process` does with the serialization "advanced".
  const arrived = deserialize(serialize(packed)) as SoloSettings;
  const providers = createPackedProviders(arrived, { now, elapsed, random: Math.random });
  t.after(() => Promise.all(providers.map((provider) => provider.close())));
  assert.deepEqual(
    providers.map(({ name }) => name),
    ["webpush", "apns", "fcm"],
  );
  const addresses: readonly Address[] = [
    { provider: "apns", token: new SimulatedIphone(apns).token, environment: "production" },
    { provider: "fcm", kind: "token", token: new SimulatedAndroid(fcm).token },
  ];
  for (const address of addresses) {
    const provider = providers.find(({ name }) => name === address.provider);
    const outcome = await provider?.send(MESSAGE, address, new AbortController().signal);
    assert.equal(outcome?.kind, "accepted", address.provider);
  }
});
