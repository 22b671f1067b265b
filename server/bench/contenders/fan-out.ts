import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { HttpCaller, postOf } from "../peers/http-caller.ts";
import { SAMPLE } from "../peers/sample.ts";
import type { Round } from "../case.ts";
import { processorUsOf, residentMbOf } from "../processes.ts";

const LOOK_EVERY_MS = 200;

export interface FanOutInput {
  readonly url: string;
  readonly pid: number;
  /** Of somebody with one device, to warm up, and of the one with all the others. */
  readonly keys: readonly [string, string];
  readonly devices: number;
  /** The server's file, in which nothing is owed once all is sent. */
  readonly path: string;
}

/** Sends one notification to all devices of one account, and waits until every one has its outcome. */
export async function work({ url, pid, keys, devices, path }: FanOutInput): Promise<Round> {
  const caller = await HttpCaller.connect(url);
  const file = new DatabaseSync(path, { readOnly: true });
  const owed = file.prepare("select count(*) as count from send_job");
  for (let warming = 0; warming < 20; warming += 1) await sendTo(caller, { url, key: keys[0] });
  while (owed.get()?.["count"] !== 0) await wait(LOOK_EVERY_MS);
  const [beforeMb, beforeUs, since] = [residentMbOf(pid), processorUsOf(pid), performance.now()];
  await sendTo(caller, { url, key: keys[1] });
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

async function sendTo(
  caller: HttpCaller,
  { url, key }: { readonly url: string; readonly key: string },
): Promise<void> {
  const path = "/api/v1/notify-async";
  const request = postOf(url, { path, headers: { "x-api-key": key }, body: SAMPLE });
  const { status, body } = await caller.ask(request);
  if (status !== 200) throw new Error(`${status} ${body}`);
}
