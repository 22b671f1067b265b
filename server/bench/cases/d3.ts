import { join } from "node:path";
import { makeProviderKey } from "../../test/doubles/apns/provider-key.ts";
import type { BenchCase } from "../case.ts";
import { fillWithDevices } from "../peers/crowd.ts";
import { signUpMany, startTocsin } from "../peers/tocsin.ts";
import { startPeer } from "../start-peer.ts";

const DEVICES = 1_000_000;
const OURS = "Tocsin";
const PROVIDER = "our APNs provider alone";

function moduleOf(name: string): string {
  return join(import.meta.dirname, `../contenders/${name}.ts`);
}

/** One notification to a crowd: accepted, cut into chunks, pushed, and every outcome stored. */
export const d3: BenchCase = {
  name: "D3",
  what: `one notification to ${DEVICES.toLocaleString("en")} iPhones, until every outcome is stored`,
  figure: "perSecond",
  unit: "devices/s",
  contenders: [
    { name: OURS, kind: "ours", module: moduleOf("fan-out"), input: {} },
    {
      name: PROVIDER,
      kind: "ceiling",
      module: moduleOf("apns-provider"),
      input: { speaker: "own" },
    },
  ],
  rounds: 1,
  async start(scope) {
    const { origin, ca } = await startPeer(
      scope,
      join(import.meta.dirname, "../peers/answering-service.ts"),
      {
        args: ["plain"],
      },
    );
    const { privateKey, keyId } = makeProviderKey();
    const { url, child, dataDir } = await startTocsin(scope, {
      core: "any",
      environment: {
        TOCSIN_APNS_KEY: privateKey,
        TOCSIN_APNS_KEY_ID: keyId,
        TOCSIN_APNS_TEAM_ID: "ABCDE12345",
        TOCSIN_APNS_TOPIC: "org.example.tocsin",
        TOCSIN_APNS_URL: String(origin),
        TOCSIN_APNS_SANDBOX_URL: String(origin),
      },
    });
    const people = await signUpMany({ url }, 2);
    const path = join(dataDir, "tocsin.db");
    for (const [index, { email }] of people.entries()) {
      fillWithDevices(path, { email, devices: index === 0 ? 1 : DEVICES });
    }
    const keys = people.map(({ key }) => key);
    return { origin, ca, url, pid: child.pid, keys, devices: DEVICES, path };
  },
  bars: [
    { what: "accepted", of: OURS, figure: "acceptMs", atMost: 50, unit: "ms" },
    { what: "growth of memory", of: OURS, figure: "growthMb", atMost: 150, unit: "MB" },
    { what: "rate, of the provider alone", of: OURS, to: PROVIDER, atLeast: 0.8 },
  ],
};
