import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { HttpCaller } from "../support/http-caller.ts";
import { encodeSend, sendRequest, type SendTarget } from "../support/senders.ts";
import type { Round } from "../case.ts";
import { readCpuUs, readResidentMb } from "../process-figures.ts";

const POLL_INTERVAL_MS = 200;
const WARM_UP_SENDS = 20;

/** The server, keys and number of devices of a bulk notification. */
export interface FanOutInput extends SendTarget {
  /** The keys of an account with one device, for the warm-up, and of the account with `devices` devices. */
  readonly keys: readonly [warmUp: string, measured: string];
  readonly devices: number;
  /** The server's database file, whose queue is empty when everything is sent. */
  readonly databasePath: string;
}

/** Sends one notification to all devices of one account, and waits until every device has its outcome. */
export async function measureRound({
  url,
  pid,
  keys,
  devices,
  databasePath,
}: FanOutInput): Promise<Round> {
  const caller = await HttpCaller.connect(url);
  const [warmUpKey, measuredKey] = keys;
  const createRequest = (key: string) => encodeSend(url, { path: "/api/v1/notify-async", key });
  const database = new DatabaseSync(databasePath, { readOnly: true });
  const countJobs = database.prepare("select count(*) as count from send_job");
  for (let count = 0; count < WARM_UP_SENDS; count += 1)
    await sendRequest(caller, createRequest(warmUpKey));
  while (countJobs.get()?.["count"] !== 0) await wait(POLL_INTERVAL_MS);
  const residentMbBefore = readResidentMb(pid);
  const cpuUsBefore = readCpuUs(pid);
  const startedAt = performance.now();
  await sendRequest(caller, createRequest(measuredKey));
  const acceptMs = performance.now() - startedAt;
  let peakMb = residentMbBefore;
  while (countJobs.get()?.["count"] !== 0) {
    await wait(POLL_INTERVAL_MS);
    peakMb = Math.max(peakMb, readResidentMb(pid));
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  database.close();
  caller.close();
  const cpuUs = (readCpuUs(pid) - cpuUsBefore) / devices;
  return { perSecond: devices / seconds, cpuUs, acceptMs, growthMb: peakMb - residentMbBefore };
}
