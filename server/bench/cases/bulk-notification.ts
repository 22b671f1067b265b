import { join } from "node:path";
import type { BenchCase } from "../case.ts";
import { addDevicesToAccount } from "../support/fill-database.ts";
import { createApnsEnvironment } from "../support/sender-credentials.ts";
import { signUpMany, startTocsin, createTarget } from "../support/tocsin.ts";
import { startProcess } from "../start-process.ts";
import { createCostBar, createReference, startReference, TOCSIN } from "./reference.ts";

const DEVICE_COUNT = 1_000_000;
/** The connections to bare Fastify, as in the cases that compare a send with its request. */
const REFERENCE_CONNECTIONS = 64;
const PROVIDER = "our APNs provider alone";

/** Measures one bulk notification: accepted, split into chunks, pushed, and every outcome stored. */
export const bulkNotification: BenchCase = {
  name: "D3",
  title: `one notification to ${DEVICE_COUNT.toLocaleString("en")} iPhones, until every outcome is stored`,
  figure: "cpuUs",
  unit: "µs of processor time per device",
  contenders: [
    { name: TOCSIN, kind: "ours", module: "fan-out" },
    { name: PROVIDER, kind: "reference", module: "apns-provider" },
    createReference(REFERENCE_CONNECTIONS),
  ],
  rounds: 1,
  async start(scope) {
    const { origin, ca } = await startProcess(scope, "answering-service", { args: ["plain"] });
    const environment = createApnsEnvironment(origin);
    const tocsin = await startTocsin(scope, { core: "any", environment });
    const people = await signUpMany(tocsin, 2);
    const databasePath = join(tocsin.dataDir, "tocsin.db");
    // The device of the first account gets the sends of the warm-up.
    for (const [index, { email }] of people.entries()) {
      addDevicesToAccount(databasePath, { email, devices: index === 0 ? 1 : DEVICE_COUNT });
    }
    const targets = await startReference(scope);
    return {
      origin,
      ca,
      ...createTarget(tocsin, people),
      devices: DEVICE_COUNT,
      databasePath,
      targets,
    };
  },
  bars: [
    { label: "accepted", contender: TOCSIN, figure: "acceptMs", atMost: 50, unit: "ms" },
    { label: "growth of memory", contender: TOCSIN, figure: "growthMb", atMost: 150, unit: "MB" },
    {
      label: "rate, compared with the provider alone",
      contender: TOCSIN,
      baseline: PROVIDER,
      figure: "perSecond",
      atLeast: 0.5,
    },
    createCostBar(0.9),
  ],
};
