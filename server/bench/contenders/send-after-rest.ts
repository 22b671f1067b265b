import { setTimeout as wait } from "node:timers/promises";
import type { Round } from "../case.ts";
import { HttpCaller } from "../support/http-caller.ts";
import { encodeSend, sendRequest, type SendTarget } from "../support/senders.ts";
import { computeMedian } from "../report/evaluate.ts";

/** The pause, after which the server has returned memory to the system. */
const REST_MS = 17_000;
const PAUSE_MS = 20;
const SEND_COUNT = 20;
const WARM_UP_SENDS = 2_000;

/** Sends a few notifications one after another, to a server that was busy and then idle. */
export async function measureRound({ url, keys: [key = ""] }: SendTarget): Promise<Round> {
  const caller = await HttpCaller.connect(url);
  const request = encodeSend(url, { path: "/api/v1/notify-async", key });
  for (let count = 0; count < WARM_UP_SENDS; count += 1) await sendRequest(caller, request);
  await wait(REST_MS);
  const durationsMs: number[] = [];
  for (let count = 0; count < SEND_COUNT; count += 1) {
    const startedAt = performance.now();
    await sendRequest(caller, request);
    durationsMs.push(performance.now() - startedAt);
    await wait(PAUSE_MS);
  }
  caller.close();
  return { medianMs: computeMedian(durationsMs), firstMs: durationsMs[0] ?? 0 };
}
