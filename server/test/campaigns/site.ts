import type { DatabasePlace } from "#database/open.ts";
import { freePort } from "../support/free-port.ts";
import { startCluster, type PostgresCluster } from "../support/postgres-cluster.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import type { Order } from "./campaign.ts";
import { withDefect } from "./defect.ts";
import { Load } from "./load.ts";
import { gatherPeople, type People } from "./people.ts";
import { SiteNode } from "./site-node.ts";
import { Receiver } from "./receiver.ts";

/** Beside others on a busy machine, what waits must come from the fault. */
const SHORT_SLOWER = 4;

export interface SiteOptions {
  /** On SQLite there is one node. */
  readonly nodes: number;
  readonly database: "sqlite" | "postgres";
  /** Where SQLite's file or PostgreSQL's cluster lies; a temporary folder by itself. */
  readonly folder?: string;
  /** Notifications; a quarter in the short form. */
  readonly perSecond: number;
  /** It is the rate that brings the fault about: the short form has all of it. */
  readonly keepsRate?: boolean;
  /** How many devices the groups have that are sent to in turn. */
  readonly groupSizes?: readonly number[];
  /** Of PostgreSQL's server. */
  readonly flags?: readonly string[];
  /** Returns the port by which node number `index` reaches PostgreSQL. */
  readonly portOf?: (port: number, index: number) => Promise<number>;
  /** Of every node. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Of node number `index`, counted from 0. */
  readonly environmentOf?: (index: number) => Readonly<Record<string, string>>;
  /** Of PostgreSQL's processes. */
  readonly clusterEnvironment?: Readonly<Record<string, string>>;
  /** Statuses other than 200 and 500 that the fault brings about. */
  readonly statuses?: readonly number[];
  /** Refusals by a push service that the fault causes. */
  readonly refusals?: RegExp;
}

/** Servers with people, devices, a push service and somebody who sends. */
export interface Site {
  readonly nodes: readonly [SiteNode, ...SiteNode[]];
  readonly people: People;
  readonly receiver: Receiver;
  readonly load: Load;
  /** Notifications that the load sends. */
  readonly perSecond: number;
  readonly place: DatabasePlace;
  /** Null on SQLite. */
  readonly cluster: PostgresCluster | null;
  /** Starts one more server, on a data folder of its own. */
  readonly startOn: (folder: string) => Promise<SiteNode>;
}

/** Starts everything but the load; it ends with the campaign. */
export async function startSite(order: Order, options: SiteOptions): Promise<Site> {
  const { scope, say } = order;
  const isSlower = order.isShort && options.keepsRate !== true;
  const perSecond = options.perSecond / (isSlower ? SHORT_SLOWER : 1);
  const folder = options.folder ?? (await temporaryFolder(scope));
  const cluster = await clusterFor(options);
  if (cluster !== null) scope.after(() => cluster.stop());
  let vapidKey = "";
  const receiver = await Receiver.start(scope, {
    applicationServerKey: () => vapidKey,
    ...(options.refusals === undefined ? {} : { refusals: options.refusals }),
  });
  const made = { options, folder, cluster, receiver };
  const first = await createNode(order, { ...made, index: 0 });
  const others: SiteNode[] = [];
  for (let index = 1; index < options.nodes; index += 1) {
    others.push(await createNode(order, { ...made, index }));
  }
  const nodes = [first, ...others] as const;
  await first.start();
  const { groupSizes } = options;
  const people = await gatherPeople(first.url, {
    receiver,
    ...(groupSizes === undefined ? {} : { groupSizes }),
  });
  ({ vapidKey } = people);
  await Promise.all(others.map((node) => node.start()));
  const load = new Load({
    perSecond,
    key: people.ann.key,
    groups: people.groups,
    target: roundRobin(nodes),
    statuses: options.statuses ?? [],
  });
  scope.after(() => load.end());
  say(`${nodes.length} node(s) on ${options.database}, ${perSecond} notifications a second`);
  const place = cluster === null ? fileIn(folder) : postgresAt(cluster);
  const startOn = async (other: string) => {
    const node = await createNode(order, { ...made, index: nodes.length, folder: other });
    await node.start();
    return node;
  };
  return { nodes, people, receiver, load, perSecond, place, cluster, startOn };
}

async function clusterFor(options: SiteOptions): Promise<PostgresCluster | null> {
  if (options.database === "sqlite") return null;
  const { flags = [], folder, clusterEnvironment = {} } = options;
  const parent = folder === undefined ? {} : { parent: folder };
  return startCluster(flags, { ...parent, environment: clusterEnvironment });
}

async function createNode(
  { scope, defect }: Order,
  made: {
    readonly options: SiteOptions;
    readonly index: number;
    readonly folder: string;
    readonly cluster: PostgresCluster | null;
    readonly receiver: Receiver;
  },
): Promise<SiteNode> {
  const { options, index, folder, cluster, receiver } = made;
  const port = await freePort();
  const database = cluster === null ? null : new URL(postgresAt(cluster).url);
  if (database !== null && cluster !== null && options.portOf !== undefined) {
    database.port = String(await options.portOf(cluster.port, index));
  }
  const { flags, environment } = withDefect(defect);
  return new SiteNode(scope, {
    port,
    flags,
    environment: {
      TOCSIN_PORT: String(port),
      TOCSIN_DATA_DIR: database === null ? folder : await temporaryFolder(scope),
      ...(database === null ? {} : { TOCSIN_DATABASE_URL: database.href }),
      TOCSIN_WEBPUSH_ALLOW_ORIGINS: receiver.origin,
      TOCSIN_VAPID_SUBJECT: "mailto:ops@example.org",
      TOCSIN_RATE_LIMIT_PER_S: "0",
      // Nobody waits for results.
      TOCSIN_SYNC_WAIT_MS: "0",
      TOCSIN_LOG_LEVEL: "fatal",
      ...environment,
      ...options.environment,
      ...options.environmentOf?.(index),
    },
  });
}

function fileIn(folder: string) {
  return { kind: "sqlite", path: `${folder}/tocsin.db` } as const;
}

function postgresAt({ url }: PostgresCluster) {
  return { kind: "postgres", url: `${url}/postgres` } as const;
}

/** As a load balancer does, it passes by who is not there. */
function roundRobin(nodes: readonly SiteNode[]): () => string | null {
  let next = 0;
  return () => {
    for (let tries = 0; tries < nodes.length; tries += 1) {
      const node = nodes[(next += 1) % nodes.length];
      if (node?.isServing === true) return node.url;
    }
    return null;
  };
}
