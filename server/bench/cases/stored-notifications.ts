import { join } from "node:path";
import type { Scope } from "../../test/support/scope.ts";
import type { BenchCase } from "../case.ts";
import { fillWithNotifications } from "../peers/fill-with-notifications.ts";
import { createTarget, signUpMany, startTocsin } from "../peers/tocsin.ts";

const STORED_COUNT = 1_000_000;
const SENDER_COUNT = 10;
const CONNECTION_COUNT = 64;
const EMPTY = "none stored";
const FULL = `${STORED_COUNT.toLocaleString("en")} stored`;

/** Measures asynchronously accepted notifications with none and with a million notifications stored. */
export const sendsByStoredCount: BenchCase = {
  name: "G2",
  what: `asynchronous sends over ${CONNECTION_COUNT} connections, with so many notifications stored`,
  figure: "perSecond",
  unit: "sends/s",
  contenders: [EMPTY, FULL].map((name) => ({
    name,
    kind: "ours",
    module: "send",
    input: { target: name, connections: CONNECTION_COUNT },
  })),
  async start(scope) {
    const [empty, full] = [await startTarget(scope, 0), await startTarget(scope, STORED_COUNT)];
    return { targets: { [EMPTY]: empty, [FULL]: full } };
  },
  bars: [
    {
      what: "rate, compared with none stored",
      contender: FULL,
      baseline: EMPTY,
      atLeast: 0.95,
    },
  ],
};

/** Starts a server whose senders have already sent so many notifications together. */
async function startTarget(scope: Scope, count: number) {
  const tocsin = await startTocsin(scope);
  const people = await signUpMany(tocsin, SENDER_COUNT);
  const accountIds = people.map(({ accountId }) => accountId);
  await fillWithNotifications(join(tocsin.dataDir, "tocsin.db"), { accountIds, count });
  return createTarget(tocsin, people);
}
