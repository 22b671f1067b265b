import { join } from "node:path";
import type { Scope } from "../../test/support/scope.ts";
import type { BenchCase } from "../case.ts";
import { fillWithNotifications } from "../support/fill-with-notifications.ts";
import { createTarget, signUpMany, startTocsin } from "../support/tocsin.ts";

const STORED_COUNT = 1_000_000;
const SENDER_COUNT = 10;
const CONNECTION_COUNT = 64;
const NONE_STORED = "none stored";
const MANY_STORED = `${STORED_COUNT.toLocaleString("en")} stored`;

/** Measures how fast asynchronous sends are accepted, with no notifications and with a million notifications stored. */
export const storedNotifications: BenchCase = {
  name: "G2",
  title: `asynchronous sends over ${CONNECTION_COUNT} connections, by number of stored notifications`,
  figure: "perSecond",
  unit: "sends/s",
  contenders: [NONE_STORED, MANY_STORED].map((name) => ({
    name,
    kind: "ours",
    module: "send",
    input: { target: name, connections: CONNECTION_COUNT },
  })),
  async start(scope) {
    const noneStored = await startTarget(scope, 0);
    const manyStored = await startTarget(scope, STORED_COUNT);
    return { targets: { [NONE_STORED]: noneStored, [MANY_STORED]: manyStored } };
  },
  bars: [
    {
      label: "rate, compared with none stored",
      contender: MANY_STORED,
      baseline: NONE_STORED,
      atLeast: 0.95,
    },
  ],
};

/** Starts a server whose senders together have already sent the given number of notifications. */
async function startTarget(scope: Scope, storedCount: number) {
  const tocsin = await startTocsin(scope);
  const people = await signUpMany(tocsin, SENDER_COUNT);
  const accountIds = people.map(({ accountId }) => accountId);
  await fillWithNotifications(join(tocsin.dataDir, "tocsin.db"), {
    accountIds,
    count: storedCount,
  });
  return createTarget(tocsin, people);
}
