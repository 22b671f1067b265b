import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import type { Round } from "../case.ts";
import { Senders, type SendTarget } from "../support/senders.ts";
import { readCpuUs } from "../process-figures.ts";
import type { MeasurementDurations } from "../measure-throughput.ts";

/** The largest number of jobs that wait. More would measure how fast sends are accepted, not recorded. */
const BACKLOG_MAX = 64;
const CHECK_INTERVAL_MS = 5;

/** The server and its database, which shows how much is not recorded yet. */
export interface SendAndRecordInput extends SendTarget {
  readonly connections: number;
  /** The server's database file. */
  readonly databasePath: string;
}

/** Sends asynchronously as fast as outcomes are recorded, and waits for the last one. */
export async function measureRound(
  input: SendAndRecordInput,
  { warmUpMs, measuredMs }: MeasurementDurations,
): Promise<Round> {
  const { pid, connections, databasePath } = input;
  const senders = await Senders.connect(input, { connections, path: "/api/v1/notify-async" });
  const database = new DatabaseSync(databasePath, { readOnly: true });
  const countJobs = database.prepare("select count(*) as count from send_job");
  const readBacklog = () => Number(countJobs.get()?.["count"]);
  const sendFor = async (durationMs: number): Promise<number> => {
    const endsAt = performance.now() + durationMs;
    const state = { backlog: 0, sends: 0, isFinished: false };
    const repeatSend = async (index: number) => {
      while (!state.isFinished) {
        if (state.backlog > BACKLOG_MAX) await wait(CHECK_INTERVAL_MS);
        else {
          await senders.send(index);
          state.sends += 1;
        }
      }
    };
    const sending = Promise.all(
      Array.from({ length: connections }, (_, index) => repeatSend(index)),
    );
    while (performance.now() < endsAt) {
      state.backlog = readBacklog();
      await Promise.race([sending, wait(CHECK_INTERVAL_MS)]);
    }
    state.isFinished = true;
    await sending;
    while (readBacklog() > 0) await wait(CHECK_INTERVAL_MS);
    return state.sends;
  };
  await sendFor(warmUpMs);
  const cpuUsBefore = readCpuUs(pid);
  const startedAt = performance.now();
  const sends = await sendFor(measuredMs);
  const seconds = (performance.now() - startedAt) / 1_000;
  const cpuUs = (readCpuUs(pid) - cpuUsBefore) / sends;
  database.close();
  senders.close();
  return { perSecond: sends / seconds, cpuUs };
}
