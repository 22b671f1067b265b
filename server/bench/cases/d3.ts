import { join } from "node:path";
import type { BenchCase } from "../case.ts";
import { fillWithDevices } from "../peers/fill-database.ts";
import { generateApnsSender } from "../peers/sender.ts";
import { signUpMany, startTocsin, createTarget } from "../peers/tocsin.ts";
import { startPeer } from "../start-peer.ts";

const DEVICES = 1_000_000;
const OURS = "Tocsin";
const PROVIDER = "our APNs provider alone";

/** One bulk notification: accepted, split into chunks, pushed, and every outcome stored. */
export const d3: BenchCase = {
  name: "D3",
  what: `one notification to ${DEVICES.toLocaleString("en")} iPhones, until every outcome is stored`,
  figure: "perSecond",
  unit: "devices/s",
  contenders: [
    { name: OURS, kind: "ours", module: "fan-out" },
    { name: PROVIDER, kind: "ceiling", module: "apns-provider" },
  ],
  rounds: 1,
  async start(scope) {
    const { origin, ca } = await startPeer(scope, "answering-service", { args: ["plain"] });
    const { privateKey, keyId, teamId, topic } = generateApnsSender();
    const tocsin = await startTocsin(scope, {
      core: "any",
      environment: {
        TOCSIN_APNS_KEY: privateKey,
        TOCSIN_APNS_KEY_ID: keyId,
        TOCSIN_APNS_TEAM_ID: teamId,
        TOCSIN_APNS_TOPIC: topic,
        TOCSIN_APNS_URL: origin,
        TOCSIN_APNS_SANDBOX_URL: origin,
      },
    });
    const people = await signUpMany(tocsin, 2);
    const path = join(tocsin.dataDir, "tocsin.db");
    for (const [index, { email }] of people.entries()) {
      fillWithDevices(path, { email, devices: index === 0 ? 1 : DEVICES });
    }
    return { origin, ca, ...createTarget(tocsin, people), devices: DEVICES, path };
  },
  bars: [
    { what: "accepted", of: OURS, figure: "acceptMs", atMost: 50, unit: "ms" },
    { what: "growth of memory", of: OURS, figure: "growthMb", atMost: 150, unit: "MB" },
    { what: "rate, of the provider alone", of: OURS, to: PROVIDER, atLeast: 0.8 },
  ],
};
