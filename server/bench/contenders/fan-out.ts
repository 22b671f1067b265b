import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { HttpCaller } from "../peers/http-caller.ts";
import { sendOf, sendOver, type SendTarget } from "../peers/senders.ts";
import type { Round } from "../case.ts";
import { processorUsOf, residentMbOf } from "../processes.ts";

const LOOK_EVERY_MS = 200;

export interface FanOutInput extends SendTarget {
  /** Of an account with one device, for the warm-up, and of the one with all the others. */
  readonly keys: readonly [string, string];
  readonly devices: number;
  /** The server's file, whose queue is empty once everything is sent. */
  readonly path: string;
}

/** Sends one notification to all devices of one account, and waits until every device has its outcome. */
export async function work({ url, pid, keys, devices, path }: FanOutInput): Promise<Round> {
  const caller = await HttpCaller.connect(url);
  const requestOf = (key: string) => sendOf(url, { path: "/api/v1/notify-async", key });
  const file = new DatabaseSync(path, { readOnly: true });
  const owed = file.prepare("select count(*) as count from send_job");
  for (let warming = 0; warming < 20; warming += 1) await sendOver(caller, requestOf(keys[0]));
  while (owed.get()?.["count"] !== 0) await wait(LOOK_EVERY_MS);
  const [beforeMb, beforeUs, since] = [residentMbOf(pid), processorUsOf(pid), performance.now()];
  await sendOver(caller, requestOf(keys[1]));
  const acceptMs = performance.now() - since;
  let mostMb = beforeMb;
  while (owed.get()?.["count"] !== 0) {
    await wait(LOOK_EVERY_MS);
    mostMb = Math.max(mostMb, residentMbOf(pid));
  }
  const seconds = (performance.now() - since) / 1_000;
  file.close();
  caller.close();
  const cpuUs = (processorUsOf(pid) - beforeUs) / devices;
  return { perSecond: devices / seconds, cpuUs, acceptMs, growthMb: mostMb - beforeMb };
}
