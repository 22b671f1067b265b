import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createClient, type Client } from "@tocsin/sdk";
import { PushService } from "../doubles/push-service.ts";
import { addDevice, signUp } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import type { Scope } from "../support/scope.ts";
import { startServerProcess, type ServerProcess } from "../support/server-process.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { countCommits } from "./count-commits.ts";
import {
  ENTRIES_FILE_VARIABLE,
  findCommonPath,
  type FunctionStart,
  type CodePath,
} from "./common-path.ts";

/** The number of sends before the first measured one. They fill caches, create tokens and open connections. */
const WARM_UP_SENDS = 3;
/** The number of measured sends: odd, so that there is always a majority and a median. */
const MEASURED_SENDS = 7;
/** A server without send jobs that enters no function for this long has finished the notification. */
const QUIET_MS = 150;

/** The path of a notification from an API key to one browser, and its number of commits. */
export interface Trace extends CodePath {
  readonly commits: number;
}

interface Recording {
  readonly starts: readonly FunctionStart[];
  readonly commits: number;
}

/** Records the functions that a warm server on SQLite enters for a notification, in all threads. */
export async function traceNotification(scope: Scope): Promise<Trace> {
  const server = await startServerWithDevice(scope);
  const recordings: Recording[] = [];
  for (let sendCount = 0; sendCount < WARM_UP_SENDS + MEASURED_SENDS; sendCount += 1)
    recordings.push(await recordSend(server));
  const measuredRecordings = recordings.slice(WARM_UP_SENDS);
  const commits = measuredRecordings
    .map((recording) => recording.commits)
    .toSorted((a, b) => a - b);
  return {
    ...findCommonPath(measuredRecordings.map(({ starts }) => starts)),
    commits: commits[Math.floor(MEASURED_SENDS / 2)] ?? 0,
  };
}

interface TracedServer {
  readonly client: Client;
  readonly entriesPath: string;
  readonly databasePath: string;
}

async function startServerWithDevice(scope: Scope): Promise<TracedServer> {
  const folder = await createTemporaryFolder(scope);
  const push = await PushService.start();
  scope.after(() => push.close());
  const entriesPath = join(folder, "entries");
  const dataDir = join(folder, "data");
  const server = await startRecordingProcess(scope, { push, entriesPath, dataDir });
  const ann = await signUp(server, "Ann");
  await addDevice({ push }, ann);
  const client = createClient({ baseUrl: server.url, apiKey: ann.key });
  return { client, entriesPath, databasePath: join(dataDir, "tocsin.db") };
}

interface RecordingProcessOptions {
  readonly push: PushService;
  readonly entriesPath: string;
  readonly dataDir: string;
}

function startRecordingProcess(
  scope: Scope,
  { push, entriesPath, dataDir }: RecordingProcessOptions,
): Promise<ServerProcess> {
  const { endpoint } = push.subscribe({ applicationServerKey: "", deliver: () => {} });
  return startServerProcess(scope, {
    environment: {
      TOCSIN_DATA_DIR: dataDir,
      TOCSIN_WEBPUSH_ALLOW_ORIGINS: new URL(endpoint).origin,
      TOCSIN_VAPID_SUBJECT: "mailto:ops@example.org",
      TOCSIN_LOG_LEVEL: "error",
      [ENTRIES_FILE_VARIABLE]: entriesPath,
    },
    flags: [`--import=${new URL("./record-entries.ts", import.meta.url).href}`],
  });
}

/**
 * Sends a notification, and waits until it is delivered and the server is quiet. Returns the functions that the server
 * entered in the meantime, and the number of commits.
 */
async function recordSend({ client, entriesPath, databasePath }: TracedServer): Promise<Recording> {
  const walPath = `${databasePath}-wal`;
  const { size: startOffset } = await stat(entriesPath);
  const commitsBefore = await countCommits(walPath);
  const { message } = await client.notify({ title: "Deploy finished", body: "All is well." });
  if (message !== "Delivered to 1 of 1 device")
    throw new Error(`The notification was not delivered: ${message}`);
  await eventually(
    () => countJobs(databasePath),
    (jobs) => jobs === 0,
  );
  await waitUntilQuiet(entriesPath);
  const entries = (await readFile(entriesPath, "utf8")).slice(startOffset).trim();
  return { starts: entries.split("\n"), commits: (await countCommits(walPath)) - commitsBefore };
}

async function countJobs(path: string): Promise<number> {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const row = database.prepare("select count(*) as jobs from send_job").get();
    return Number(row?.["jobs"]);
  } finally {
    database.close();
  }
}

/** Resolves when a file has not changed its size for `QUIET_MS`. */
async function waitUntilQuiet(path: string): Promise<void> {
  let size = -1;
  let changedAt = performance.now();
  await eventually(
    async () => {
      const { size: currentSize } = await stat(path);
      if (currentSize !== size) {
        size = currentSize;
        changedAt = performance.now();
      }
      return performance.now() - changedAt;
    },
    (quietMs) => quietMs >= QUIET_MS,
  );
}
