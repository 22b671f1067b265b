import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { HttpCaller } from "../peers/http-caller.ts";
import { encodeSend, sendRequest, type SendTarget } from "../peers/senders.ts";
import type { Round } from "../case.ts";
import { readProcessorUs, readResidentMb } from "../processes.ts";

const POLL_INTERVAL_MS = 200;

export interface FanOutInput extends SendTarget {
  /** Keys of an account with one device, for the warm-up, and of the account with all other devices. */
  readonly keys: readonly [string, string];
  readonly devices: number;
  /** The server's database file, whose queue is empty when everything is sent. */
  readonly path: string;
}

/** Sends one notification to all devices of one account, and waits until every device has its outcome. */
export async function work({ url, pid, keys, devices, path }: FanOutInput): Promise<Round> {
  const caller = await HttpCaller.connect(url);
  const createRequest = (key: string) => encodeSend(url, { path: "/api/v1/notify-async", key });
  const file = new DatabaseSync(path, { readOnly: true });
  const countJobs = file.prepare("select count(*) as count from send_job");
  for (let warming = 0; warming < 20; warming += 1)
    await sendRequest(caller, createRequest(keys[0]));
  while (countJobs.get()?.["count"] !== 0) await wait(POLL_INTERVAL_MS);
  const [beforeMb, beforeUs, since] = [
    readResidentMb(pid),
    readProcessorUs(pid),
    performance.now(),
  ];
  await sendRequest(caller, createRequest(keys[1]));
  const acceptMs = performance.now() - since;
  let peakMb = beforeMb;
  while (countJobs.get()?.["count"] !== 0) {
    await wait(POLL_INTERVAL_MS);
    peakMb = Math.max(peakMb, readResidentMb(pid));
  }
  const seconds = (performance.now() - since) / 1_000;
  file.close();
  caller.close();
  const cpuUs = (readProcessorUs(pid) - beforeUs) / devices;
  return { perSecond: devices / seconds, cpuUs, acceptMs, growthMb: peakMb - beforeMb };
}
