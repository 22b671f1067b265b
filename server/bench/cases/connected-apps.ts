import { join } from "node:path";
import type { DatabaseLocation } from "#database/open.ts";
import { startPostgres } from "../../test/support/postgres-cluster.ts";
import type { Scope } from "../../test/support/scope.ts";
import type { BenchCase } from "../case.ts";
import type { AppServer } from "../contenders/connected-apps.ts";
import { startProcess } from "../start-process.ts";
import { fillWithApps } from "../support/fill-with-apps.ts";
import { signUpMany, startTocsin, type Tocsin } from "../support/tocsin.ts";
import { TOCSIN } from "./reference.ts";

const ACCOUNT_COUNT = 500;
/** The limit of connected apps per account. */
const APPS_PER_ACCOUNT = 20;
const APP_COUNT = ACCOUNT_COUNT * APPS_PER_ACCOUNT;
const ON_POSTGRES = "Tocsin on PostgreSQL";

/** Measures the memory and the processor time of connected apps, and one notification to all of them. */
export const connectedApps: BenchCase = {
  name: "APPS",
  title: `one notification to ${APP_COUNT.toLocaleString("en")} connected apps, until the last answer is stored`,
  figure: "answeredMs",
  unit: "ms",
  contenders: [
    ...[TOCSIN, ON_POSTGRES].map((name) => ({
      name,
      kind: "ours" as const,
      module: "connected-apps",
      input: { target: name },
    })),
    { name: "bare WebSockets", kind: "reference", module: "bare-web-sockets" },
  ],
  rounds: 1,
  async start(scope) {
    const { origin: url, pid } = await startProcess(scope, "bare-web-sockets");
    const servers = {
      [TOCSIN]: await startOnSqlite(scope),
      [ON_POSTGRES]: await startOnPostgres(scope),
    };
    return { servers, bare: { url, pid }, appCount: APP_COUNT };
  },
  bars: [
    { label: "memory of all apps", contender: TOCSIN, figure: "growthMb", atMost: 150, unit: "MB" },
  ],
};

async function startOnSqlite(scope: Scope): Promise<AppServer> {
  const server = await startTocsin(scope, { code: "bundle" });
  return addApps(server, { kind: "sqlite", path: join(server.dataDir, "tocsin.db") });
}

async function startOnPostgres(scope: Scope): Promise<AppServer> {
  const cluster = await startPostgres([]);
  scope.after(() => cluster.stop());
  const url = `${cluster.url}/postgres`;
  const server = await startTocsin(scope, {
    code: "bundle",
    environment: { TOCSIN_DATABASE_URL: url },
  });
  return addApps(server, { kind: "postgres", url });
}

/** Adds a team whose members have all apps. */
async function addApps(server: Tocsin, location: DatabaseLocation): Promise<AppServer> {
  const { url, child } = server;
  if (child.pid === undefined) throw new Error("The server is not running.");
  const [owner] = await signUpMany(server, 1);
  if (owner === undefined) throw new Error("Nobody signed up.");
  const { id: teamId, key } = await owner.client.teams.create({ name: "Readers" });
  const options = { teamId, accountCount: ACCOUNT_COUNT, appsPerAccount: APPS_PER_ACCOUNT };
  return { url, pid: child.pid, location, key, apps: await fillWithApps(location, options) };
}
