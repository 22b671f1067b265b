import { startCluster } from "../../test/support/postgres-cluster.ts";
import type { Scope } from "../../test/support/scope.ts";
import type { Bar, BenchCase } from "../case.ts";
import { signUpMany, startTocsin, createTarget } from "../peers/tocsin.ts";
import { startPeer } from "../start-peer.ts";

const CONNECTIONS = 64;
const SENDERS = 10;
const OURS = "Tocsin";
const CEILING = "bare Fastify";

/** Asynchronously accepted notifications, each stored durably before its response. */
export const a1 = acceptCase({
  name: "A1",
  what: `asynchronous sends over ${CONNECTIONS} connections, durable on SQLite, one core`,
  environment: async () => ({}),
  bars: [
    { what: "accepting, of bare Fastify's rate", of: OURS, to: CEILING, atLeast: 0.6 },
    { what: "accepting, p99", of: OURS, figure: "p99Ms", atMost: 20, unit: "ms" },
  ],
});

export const a2 = acceptCase({
  name: "A2",
  what: `asynchronous sends over ${CONNECTIONS} connections, durable on PostgreSQL, one core beside the database`,
  environment: async (scope) => {
    const cluster = await startCluster([]);
    scope.after(() => cluster.stop());
    return { TOCSIN_DATABASE_URL: `${cluster.url}/postgres` };
  },
  bars: [{ what: "accepting, of bare Fastify's rate", of: OURS, to: CEILING, atLeast: 0.45 }],
});

interface AcceptCase {
  readonly name: string;
  readonly what: string;
  readonly environment: (scope: Scope) => Promise<Readonly<Record<string, string>>>;
  readonly bars: readonly Bar[];
}

function acceptCase({ name, what, environment, bars }: AcceptCase): BenchCase {
  return {
    name,
    what,
    figure: "perSecond",
    unit: "sends/s",
    contenders: [
      {
        name: OURS,
        kind: "ours",
        module: "send",
        input: { target: "tocsin", connections: CONNECTIONS },
      },
      {
        name: CEILING,
        kind: "ceiling",
        module: "send",
        input: { target: "bare", connections: CONNECTIONS },
      },
    ],
    async start(scope) {
      const { origin, pid } = await startPeer(scope, "bare-fastify");
      const bare = { url: origin, pid, keys: ["any"] };
      const tocsin = await startTocsin(scope, { environment: await environment(scope) });
      const people = await signUpMany(tocsin, SENDERS);
      return { targets: { bare, tocsin: createTarget(tocsin, people) } };
    },
    bars,
  };
}
