import { startPostgres } from "../../test/support/postgres-cluster.ts";
import type { Scope } from "../../test/support/scope.ts";
import type { Bar, BenchCase } from "../case.ts";
import { signUpMany, startTocsin, createTarget } from "../support/tocsin.ts";
import type { RunningProgram } from "../programs/program.ts";
import { createNtfyTarget } from "../programs/ntfy.ts";
import { createGotifyTarget } from "../programs/gotify.ts";
import { createPeerContenders, startTargets } from "../programs/start-found.ts";
import { createCostBar, createReference, REFERENCE, startReference, TOCSIN } from "./reference.ts";

const SENDER_COUNT = 10;
/** The servers of other projects that store each notification before they respond. */
const PEERS = {
  ntfy: (server: RunningProgram) => createNtfyTarget(server, SENDER_COUNT),
  Gotify: (server: RunningProgram) => createGotifyTarget(server, SENDER_COUNT),
} as const;

/** Measures asynchronous sends on SQLite, with each notification stored durably before its response. */
export const acceptOnSqlite = createAcceptCase({
  name: "A1",
  title: "asynchronous sends over 64 connections, durable on SQLite, one core",
  connections: 64,
  peers: PEERS,
  environment: async () => ({}),
  bars: [
    createRateBar(0.4),
    createCostBar(2.5),
    { label: "accepting, p99", contender: TOCSIN, figure: "p99Ms", atMost: 20, unit: "ms" },
  ],
});

/** Measures the same sends over one connection, so that no two notifications share a commit. */
export const acceptAlone = createAcceptCase({
  name: "A1-LONE",
  title: "asynchronous sends over one connection, durable on SQLite, one core",
  connections: 1,
  peers: PEERS,
  environment: async () => ({}),
  bars: [
    createCostBar(16),
    { label: "median", contender: TOCSIN, figure: "medianMs", atMost: 0.8, unit: "ms" },
  ],
});

/** Measures the same sends on PostgreSQL, with the database on other cores. */
export const acceptOnPostgres = createAcceptCase({
  name: "A2",
  title:
    "asynchronous sends over 64 connections, durable on PostgreSQL, one core beside the database",
  connections: 64,
  peers: {},
  environment: async (scope) => {
    const cluster = await startPostgres([]);
    scope.after(() => cluster.stop());
    return { TOCSIN_DATABASE_URL: `${cluster.url}/postgres` };
  },
  bars: [createRateBar(0.22)],
});

interface AcceptCase {
  readonly name: string;
  readonly title: string;
  readonly connections: number;
  readonly peers: Partial<typeof PEERS>;
  readonly environment: (scope: Scope) => Promise<Readonly<Record<string, string>>>;
  readonly bars: readonly Bar[];
}

function createAcceptCase(options: AcceptCase): BenchCase {
  const { name, title, connections, peers, environment, bars } = options;
  return {
    name,
    title,
    figure: "perSecond",
    unit: "sends/s",
    contenders: [
      {
        name: TOCSIN,
        kind: "ours",
        module: "send",
        input: { target: "tocsin", connections },
      },
      createReference(connections),
      ...createPeerContenders(peers, { module: "send", input: { connections } }),
    ],
    async start(scope, programs) {
      const reference = await startReference(scope);
      const tocsin = await startTocsin(scope, { environment: await environment(scope) });
      const people = await signUpMany(tocsin, SENDER_COUNT);
      const peerTargets = await startTargets(scope, peers, { programs });
      return { targets: { ...reference, tocsin: createTarget(tocsin, people), ...peerTargets } };
    },
    bars,
  };
}

function createRateBar(atLeast: number): Bar {
  const label = "accepting, compared with bare Fastify";
  return { label, contender: TOCSIN, baseline: REFERENCE, atLeast };
}
