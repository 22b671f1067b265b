import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createClient, type Client } from "@tocsin/sdk";
import { PushService } from "../doubles/push-service.ts";
import { addDevice, signUp } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import type { Scope } from "../support/scope.ts";
import { startServerProcess, type ServerProcess } from "../support/server-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { commitsIn } from "./commits.ts";
import { ENTRIES_VARIABLE, wayOf, type Place, type Way } from "./entries.ts";

/** Sends before the first that counts: caches are filled, tokens made and connections open. */
const WARM_UP = 3;
/** An odd number, so that a majority and a median are always there. */
const RECORDED = 7;
/** After its last commit a server that enters nothing for so long is done with a notification. */
const QUIET_MS = 150;

/** The way of one notification by key to one browser, and the commits it takes. */
export interface Trace extends Way {
  readonly commits: number;
}

interface Recording {
  readonly places: readonly Place[];
  readonly commits: number;
}

/** Records what a warm server on SQLite enters for one notification, in all of its threads. */
export async function traceNotification(scope: Scope): Promise<Trace> {
  const stage = await start(scope);
  const recordings: Recording[] = [];
  for (let sent = 0; sent < WARM_UP + RECORDED; sent += 1) recordings.push(await record(stage));
  const counted = recordings.slice(WARM_UP);
  const commits = counted.map((recording) => recording.commits).toSorted((a, b) => a - b);
  return {
    ...wayOf(counted.map(({ places }) => places)),
    commits: commits[Math.floor(RECORDED / 2)] ?? 0,
  };
}

interface Stage {
  readonly client: Client;
  /** The file of entries. */
  readonly entries: string;
  /** SQLite's file. */
  readonly database: string;
}

async function start(scope: Scope): Promise<Stage> {
  const folder = await temporaryFolder(scope);
  const push = await PushService.start();
  scope.after(() => push.close());
  const entries = join(folder, "entries");
  const dataDir = join(folder, "data");
  const server = await startRecorded(scope, { push, entries, dataDir });
  const ann = await signUp(server, "Ann");
  await addDevice({ push }, ann);
  const client = createClient({ baseUrl: server.url, apiKey: ann.key });
  return { client, entries, database: join(dataDir, "tocsin.db") };
}

interface Surroundings {
  readonly push: PushService;
  readonly entries: string;
  readonly dataDir: string;
}

function startRecorded(
  scope: Scope,
  { push, entries, dataDir }: Surroundings,
): Promise<ServerProcess> {
  const { endpoint } = push.subscribe({ applicationServerKey: "", deliver: () => {} });
  return startServerProcess(scope, {
    environment: {
      TOCSIN_DATA_DIR: dataDir,
      TOCSIN_WEBPUSH_ALLOW_ORIGINS: new URL(endpoint).origin,
      TOCSIN_VAPID_SUBJECT: "mailto:ops@example.org",
      TOCSIN_LOG_LEVEL: "error",
      [ENTRIES_VARIABLE]: entries,
    },
    flags: [`--import=${new URL("./record-entries.ts", import.meta.url).href}`],
  });
}

/** Sends one notification and returns what became of it in the server, until all of it is stored. */
async function record({ client, entries, database }: Stage): Promise<Recording> {
  const log = `${database}-wal`;
  const [{ size: from }, before] = [await stat(entries), await commitsIn(log)];
  const { message } = await client.notify({ title: "Deploy finished", body: "All is well." });
  if (message !== "Delivered to 1 of 1 device")
    throw new Error(`The push service said: ${message}`);
  await eventually(
    () => jobsIn(database),
    (jobs) => jobs === 0,
  );
  await untilQuiet(entries);
  const lines = (await readFile(entries, "utf8")).slice(from).trim();
  return { places: lines.split("\n"), commits: (await commitsIn(log)) - before };
}

async function jobsIn(path: string): Promise<number> {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const row = database.prepare("select count(*) as jobs from send_job").get();
    return Number(row?.["jobs"]);
  } finally {
    database.close();
  }
}

/** Resolves when nothing was appended to a file for a while. */
async function untilQuiet(path: string): Promise<void> {
  let [size, since] = [-1, performance.now()];
  await eventually(
    async () => {
      const { size: now } = await stat(path);
      if (now !== size) [size, since] = [now, performance.now()];
      return performance.now() - since;
    },
    (quietMs) => quietMs >= QUIET_MS,
  );
}
