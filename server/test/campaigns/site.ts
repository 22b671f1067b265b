import type { DatabaseLocation } from "#database/open.ts";
import { findFreePort } from "../support/free-port.ts";
import { startPostgres, type PostgresCluster } from "../support/postgres-cluster.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import type { RunOptions } from "./campaign.ts";
import { toProcessOptions } from "./defect.ts";
import { Load } from "./load.ts";
import { createPeople, type People } from "./people.ts";
import { SiteNode } from "./site-node.ts";
import { CampaignPushService } from "./campaign-push-service.ts";

/** Divides the load in the short form, so that waits on a busy machine come only from the fault. */
const SHORT_DIVISOR = 4;

/** Options of a site. */
export interface SiteOptions {
  /** Number of nodes; one on SQLite. */
  readonly nodes: number;
  readonly database: "sqlite" | "postgres";
  /** Folder of the SQLite file or PostgreSQL cluster; a temporary one by default. */
  readonly folder?: string;
  /** Notifications per second; a quarter in the short form. */
  readonly perSecond: number;
  /** If true, the short form keeps the full rate, as the fault depends on it. */
  readonly keepsRate?: boolean;
  /** Sizes of the groups that get notifications in turn. */
  readonly groupSizes?: readonly number[];
  /** Flags of the PostgreSQL server. */
  readonly flags?: readonly string[];
  /** Returns the port on which node number `index` reaches PostgreSQL. */
  readonly getDatabasePort?: (port: number, index: number) => Promise<number>;
  /** Flags of Node.js for every node. */
  readonly nodeFlags?: readonly string[];
  /** Environment of every node. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Returns the environment of node number `index`, from 0. */
  readonly getNodeEnvironment?: (index: number) => Readonly<Record<string, string>>;
  /** Environment of PostgreSQL's processes. */
  readonly clusterEnvironment?: Readonly<Record<string, string>>;
  /** Statuses other than 200 and 500 that the fault causes. */
  readonly expectedStatuses?: readonly number[];
  /** Refusals by a push service that the fault causes. */
  readonly expectedRefusals?: RegExp;
}

/** The system under test: servers with people, devices, a push service and a load. */
export interface Site {
  readonly nodes: readonly [SiteNode, ...SiteNode[]];
  readonly people: People;
  readonly pushService: CampaignPushService;
  readonly load: Load;
  /** Notifications that the load sends per second. */
  readonly perSecond: number;
  readonly location: DatabaseLocation;
  /** Null on SQLite. */
  readonly cluster: PostgresCluster | null;
  /** Starts one more server on another data folder. On PostgreSQL, `dataFolder` has no effect: each server has its own. */
  readonly startNodeOn: (dataFolder: string) => Promise<SiteNode>;
}

/** Starts everything except the load; all of it stops with the campaign. */
export async function startSite(run: RunOptions, options: SiteOptions): Promise<Site> {
  const { scope, reportProgress } = run;
  const isReduced = run.isShort && options.keepsRate !== true;
  const perSecond = options.perSecond / (isReduced ? SHORT_DIVISOR : 1);
  const folder = options.folder ?? (await createTemporaryFolder(scope));
  const cluster = await startClusterIfNeeded(options);
  if (cluster !== null) scope.after(() => cluster.stop());
  let vapidKey = "";
  const pushService = await CampaignPushService.start(scope, {
    getApplicationServerKey: () => vapidKey,
    ...(options.expectedRefusals === undefined
      ? {}
      : { expectedRefusals: options.expectedRefusals }),
  });
  const nodeDeps = { options, folder, cluster, pushService };
  const firstNode = await createNode(run, { ...nodeDeps, index: 0 });
  const otherNodes: SiteNode[] = [];
  for (let index = 1; index < options.nodes; index += 1) {
    otherNodes.push(await createNode(run, { ...nodeDeps, index }));
  }
  const nodes = [firstNode, ...otherNodes] as const;
  await firstNode.start();
  const { groupSizes } = options;
  const people = await createPeople(firstNode.url, {
    pushService,
    ...(groupSizes === undefined ? {} : { groupSizes }),
  });
  ({ vapidKey } = people);
  await Promise.all(otherNodes.map((node) => node.start()));
  const load = new Load({
    perSecond,
    key: people.ann.key,
    groupIds: people.groupIds,
    nextUrl: createUrlPicker(nodes),
    expectedStatuses: options.expectedStatuses ?? [],
  });
  scope.after(() => load.end());
  reportProgress(
    `${nodes.length} node(s) on ${options.database}, ${perSecond} notifications a second`,
  );
  const location = cluster === null ? toSqliteLocation(folder) : toPostgresLocation(cluster);
  const startNodeOn = async (dataFolder: string) => {
    const node = await createNode(run, { ...nodeDeps, index: nodes.length, folder: dataFolder });
    await node.start();
    return node;
  };
  return {
    nodes,
    people,
    pushService,
    load,
    perSecond,
    location,
    cluster,
    startNodeOn,
  };
}

async function startClusterIfNeeded(options: SiteOptions): Promise<PostgresCluster | null> {
  if (options.database === "sqlite") return null;
  const { flags = [], folder, clusterEnvironment = {} } = options;
  return startPostgres(flags, {
    ...(folder === undefined ? {} : { parent: folder }),
    environment: clusterEnvironment,
  });
}

async function createNode(
  { scope, defect }: RunOptions,
  nodeDeps: {
    readonly options: SiteOptions;
    readonly index: number;
    readonly folder: string;
    readonly cluster: PostgresCluster | null;
    readonly pushService: CampaignPushService;
  },
): Promise<SiteNode> {
  const { options, index, folder, cluster, pushService } = nodeDeps;
  const port = await findFreePort();
  const database = cluster === null ? null : new URL(toPostgresLocation(cluster).url);
  if (database !== null && cluster !== null && options.getDatabasePort !== undefined) {
    database.port = String(await options.getDatabasePort(cluster.port, index));
  }
  const { flags, environment } = toProcessOptions(defect);
  return new SiteNode(scope, {
    port,
    flags: [...flags, ...(options.nodeFlags ?? [])],
    environment: {
      TOCSIN_PORT: String(port),
      TOCSIN_DATA_DIR: database === null ? folder : await createTemporaryFolder(scope),
      ...(database === null ? {} : { TOCSIN_DATABASE_URL: database.href }),
      TOCSIN_WEBPUSH_ALLOW_ORIGINS: pushService.origin,
      TOCSIN_VAPID_SUBJECT: "mailto:ops@example.org",
      TOCSIN_RATE_LIMIT_PER_S: "0",
      // Sends do not wait for results.
      TOCSIN_SYNC_WAIT_MS: "0",
      TOCSIN_LOG_LEVEL: "fatal",
      ...environment,
      ...options.environment,
      ...options.getNodeEnvironment?.(index),
    },
  });
}

function toSqliteLocation(folder: string) {
  return { kind: "sqlite", path: `${folder}/tocsin.db` } as const;
}

function toPostgresLocation({ url }: PostgresCluster) {
  return { kind: "postgres", url: `${url}/postgres` } as const;
}

/** Returns a function that returns the URL of the next serving node, like a load balancer; null if none is up. */
export function createUrlPicker(nodes: readonly SiteNode[]): () => string | null {
  let nextIndex = 0;
  return () => {
    for (let attempt = 0; attempt < nodes.length; attempt += 1) {
      const node = nodes[(nextIndex += 1) % nodes.length];
      if (node?.isServing === true) return node.url;
    }
    return null;
  };
}
