import type { TestContext } from "node:test";
import { createClient, type Client, type Device, type DeviceCredential } from "@tocsin/sdk";
import { pino } from "pino";
import { createApp, type App } from "../../src/app.ts";
import { readConfig, type Config } from "../../src/config/config.ts";
import type { AppOptions } from "../../src/composition/rooms.ts";
import { IS_BEHIND_NGINX, PROXY_SETTING, startNginxInFrontOf } from "./behind-nginx.ts";
import { createDatabase, prepareDataFolder, type TestDatabase } from "./database.ts";
import { validateResponses } from "./documented-responses.ts";
import { PushService } from "../doubles/push-service.ts";
import { SimulatedDevice } from "../doubles/simulated-device.ts";
import { createMonotonicClock } from "./test-clock.ts";
import { NODE_COUNT, startBehindBalancer } from "./nodes-behind-balancer.ts";
import { createDataFolder, createTemporaryFolder } from "./temporary-folder.ts";

/** How a test starts its server. */
export interface TestAppOptions extends Partial<
  Pick<AppOptions, "random" | "webPush" | "apns" | "fcm" | "elapsed">
> {
  /** The clock of the whole server, on either database. Only with this clock, `elapsed` has an effect. */
  readonly now?: () => number;
  /** The machine's clock, which a shared database's clock overrides. */
  readonly machineNow?: () => number;
  /** `TOCSIN_…` variables in addition to the defaults of every test. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The data folder of an earlier run. */
  readonly dataDir?: string;
  readonly push?: PushService;
  /** Another app. This one shares its database and push service, but has its own data folder. */
  readonly peerApp?: TestApp;
  /** Whether the test examines the state of a single process. If so, the app never runs as several nodes behind a balancer. */
  readonly isSingleProcess?: boolean;
  /** The port on which this app reaches PostgreSQL, if it is not the server's port. */
  readonly databasePort?: number;
  readonly log?: AppOptions["log"];
}

/** A complete server on free ports, with a push service that validates its messages. */
export interface TestApp {
  readonly app: App;
  readonly url: string;
  /** The server's own URL, even if `url` leads through a proxy: for monitoring and for tests of its HTTP parser. */
  readonly ownUrl: string;
  readonly dataDir: string;
  readonly database: Config["database"];
  readonly push: PushService;
  /** A client without a key or session. */
  readonly anonymous: Client;
}

/** Starts the real server on a real database in its own folder. Everything stops with the test. */
export async function startApp(test: TestContext, options: TestAppOptions = {}): Promise<TestApp> {
  const push = options.push ?? options.peerApp?.push ?? (await startPushService(test));
  const dataDir = options.dataDir ?? (await createPreparedFolder(test));
  const database = await ensureDatabase(test, options.peerApp?.dataDir ?? dataDir);
  databasesByFolder.set(dataDir, database);
  const config = createConfig(options, { push, database, dataDir });
  const firstNode = await createNode(test, options, { config, database });
  const otherNodes: App[] = [];
  // A test that starts further nodes decides the number of nodes itself.
  const nodeCount =
    options.peerApp === undefined && options.isSingleProcess !== true ? NODE_COUNT : 1;
  while (otherNodes.length < nodeCount - 1) {
    const nodeConfig = { ...config, dataDir: await createTemporaryFolder(test) };
    otherNodes.push(await createNode(test, options, { config: nodeConfig, database }));
  }
  const { app, url: ownUrl } = await startBehindBalancer(test, [firstNode, ...otherNodes]);
  const url = IS_BEHIND_NGINX ? await startNginxInFrontOf(test, ownUrl) : ownUrl;
  const anonymous = createClient({ baseUrl: url });
  return { app, url, ownUrl, dataDir, database: config.database, push, anonymous };
}

/** Creates a data folder, on SQLite with a migrated database file. */
async function createPreparedFolder(test: TestContext): Promise<string> {
  const folder = await createDataFolder(test);
  await prepareDataFolder(folder);
  return folder;
}

interface Resources {
  readonly push: PushService;
  readonly database: TestDatabase;
  readonly dataDir: string;
}

function createConfig(options: TestAppOptions, { push, database, dataDir }: Resources): Config {
  return readConfig({
    TOCSIN_PORT: "0",
    TOCSIN_DATA_DIR: dataDir,
    TOCSIN_SIGN_UP: "open",
    TOCSIN_WEBPUSH_ALLOW_ORIGINS: new URL(push.subscribe(UNUSED_SUBSCRIPTION).endpoint).origin,
    TOCSIN_VAPID_SUBJECT: "mailto:ops@example.org",
    ...createDatabaseSetting(database, options.databasePort),
    ...PROXY_SETTING,
    ...options.environment,
  });
}

async function createNode(
  test: TestContext,
  options: TestAppOptions,
  { config, database }: { readonly config: Config; readonly database: TestDatabase },
): Promise<App> {
  const { now, random = Math.random, log = pino({ level: "silent" }) } = options;
  const { machineNow = Date.now, webPush, apns, fcm } = options;
  database.acquire();
  const app = await createApp({
    config,
    log,
    now: now ?? machineNow,
    random,
    elapsed: () => performance.now(),
    ...(now === undefined
      ? {}
      : { time: { now, elapsed: options.elapsed ?? createMonotonicClock(now) } }),
    ...(webPush === undefined ? {} : { webPush }),
    ...(apns === undefined ? {} : { apns }),
    ...(fcm === undefined ? {} : { fcm }),
  });
  if (config.role !== "worker") validateResponses(test, app.server);
  test.after(async () => {
    await app.stop();
    await database.release();
  });
  return app;
}

const databasesByFolder = new Map<string, TestDatabase>();

/** Returns the database of a data folder, and creates it on first use. */
async function ensureDatabase(test: TestContext, dataDir: string): Promise<TestDatabase> {
  const database =
    databasesByFolder.get(dataDir) ?? (await createDatabase(test, { hasDayPartitions: true }));
  databasesByFolder.set(dataDir, database);
  return database;
}

/** Returns the variables with which a command finds the database of a data folder. The database is kept until the test ends. */
export async function createDatabaseEnvironment(
  test: TestContext,
  dataDir: string,
): Promise<Readonly<Record<string, string>>> {
  const database = await ensureDatabase(test, dataDir);
  database.acquire();
  test.after(() => database.release());
  return createDatabaseSetting(database, undefined);
}

/** Returns the setting that names the database: none for SQLite, whose file is in the data folder. */
function createDatabaseSetting(
  { location }: TestDatabase,
  port: number | undefined,
): Readonly<Record<string, string>> {
  if (location.kind === "sqlite") return {};
  const url = new URL(location.url);
  if (port !== undefined) url.port = String(port);
  return { TOCSIN_DATABASE_URL: url.href };
}

/** Starts a push service over plain HTTP that stops with the test. */
export async function startPushService(test: TestContext): Promise<PushService> {
  const push = await PushService.start();
  test.after(() => push.close());
  return push;
}

const UNUSED_SUBSCRIPTION = { applicationServerKey: "", deliver: () => {} };

/** A signed-in person with an account key. */
export interface TestPerson {
  readonly email: string;
  /** Has the person's access token and account key. */
  readonly client: Client;
  readonly accountId: string;
  readonly key: string;
  /** Returns a client with another key. */
  withKey(key: string): Client;
}

/** Signs up a person and creates an account key. */
export async function signUp(
  { url }: Pick<TestApp, "url">,
  name: string,
  token?: string,
): Promise<TestPerson> {
  const email = `${name.toLowerCase()}@example.org`;
  const person = createClient({ baseUrl: url });
  const password = `password of ${name}`;
  await person.signUp({ email, name, password, ...(token === undefined ? {} : { token }) });
  const { token: accessToken } = await person.accessTokens.create({ label: "tests" });
  const { key } = await person.keys.create({ kind: "account" });
  const withKey = (apiKey: string) => createClient({ baseUrl: url, apiKey, accessToken });
  const client = withKey(key);
  const { id: accountId } = await client.me();
  return { email, client, accountId, key, withKey };
}

/** A simulated device that decrypts its messages, and the server's record of it. */
export interface TestDevice {
  readonly phone: SimulatedDevice;
  readonly device: Device;
  /** The id and the action key of the device. */
  readonly credential: DeviceCredential;
}

/** Adds a simulated device to the person's account. */
export async function addDevice(
  { push }: Pick<TestApp, "push">,
  { client }: Pick<TestPerson, "client">,
  name = "Phone",
): Promise<TestDevice> {
  const { publicKey } = await client.webPushKey();
  const phone = new SimulatedDevice(push, publicKey);
  const { endpoint, keys } = phone.subscription;
  const webPush = { provider: "webpush", endpoint, keys } as const;
  const registration = { name, platform: "web", push: webPush } as const;
  const { actionKey = "", ...device } = await client.devices.create(registration);
  return { phone, device, credential: { deviceId: device.id, actionKey } };
}
