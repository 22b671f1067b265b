import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import type { Round } from "../case.ts";
import { Senders, type SendTarget } from "../support/senders.ts";

/** So many that the last, partly filled page of each table and index does not matter. */
const SEND_COUNT = 20_000;
const WARM_UP_SENDS = 500;
const POLL_INTERVAL_MS = 100;

/** The server, the number of connections, and the database that grows. */
export interface SendAndMeasureBytesInput extends SendTarget {
  readonly connections: number;
  /** The server's database file. */
  readonly databasePath: string;
}

/** Sends many notifications, and measures the growth of the database file by each of them. */
export async function measureRound(input: SendAndMeasureBytesInput): Promise<Round> {
  const { connections, databasePath } = input;
  const senders = await Senders.connect(input, { connections, path: "/api/v1/notify" });
  const database = new DatabaseSync(databasePath);
  const sendMany = async (count: number) => {
    let started = 0;
    const repeatSend = async (index: number) => {
      while ((started += 1) <= count) await senders.send(index);
    };
    await Promise.all(Array.from({ length: connections }, (_, index) => repeatSend(index)));
    await waitUntilRecorded(database);
  };
  await sendMany(WARM_UP_SENDS);
  const bytesBefore = await readUsedBytes(database);
  await sendMany(SEND_COUNT);
  const bytesEach = ((await readUsedBytes(database)) - bytesBefore) / SEND_COUNT;
  database.close();
  senders.close();
  return { bytesEach };
}

/** Waits until no job runs, and until the results are added to the daily counts. */
async function waitUntilRecorded(database: DatabaseSync): Promise<void> {
  const countUnrecorded = database.prepare(
    "select (select count(*) from send_job) + (select count(*) from activity_tally) as count",
  );
  while (countUnrecorded.get()?.["count"] !== 0) await wait(POLL_INTERVAL_MS);
}

/** Returns the size of the database file without its free pages, once it contains everything. */
async function readUsedBytes(database: DatabaseSync): Promise<number> {
  const readPragma = (name: string) => Number(database.prepare(`pragma ${name}`).get()?.[name]);
  // The checkpoint reports that it is busy while the server still reads an older page.
  while (database.prepare("pragma wal_checkpoint(truncate)").get()?.["busy"] !== 0)
    await wait(POLL_INTERVAL_MS);
  return (readPragma("page_count") - readPragma("freelist_count")) * readPragma("page_size");
}
