import { setTimeout as wait } from "node:timers/promises";
import { quantile } from "../../test/campaigns/findings.ts";
import { HttpCaller, postOf } from "../peers/http-caller.ts";
import { SAMPLE } from "../peers/sample.ts";
import type { Round } from "../case.ts";
import { descriptorsOf, residentMbOf } from "../processes.ts";
import { keepBusy } from "../work.ts";

const CONNECTIONS = 16;
const FULL_LOAD = { warmUpMs: 10_000, countedMs: 10_000 };
const SOAK_MS = 10 * 60_000;
/** The first part fills caches. */
const PARTS = 5;
const LOOK_EVERY_MS = 1_000;

export interface SoakInput {
  readonly url: string;
  readonly pid: number;
  readonly keys: readonly string[];
}

/** Sends at half of what the server takes, and compares the second part of the time with the last. */
export async function work({ url, pid, keys }: SoakInput): Promise<Round> {
  const callers = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => HttpCaller.connect(url)),
  );
  const requests = keys.map((key) =>
    postOf(url, { path: "/api/v1/notify", headers: { "x-api-key": key }, body: SAMPLE }),
  );
  let next = 0;
  const send = async (place: number): Promise<void> => {
    const [request, caller] = [requests[(next = (next + 1) % requests.length)], callers[place]];
    if (request === undefined || caller === undefined) throw new Error("Nobody is there to ask.");
    const { status, body } = await caller.ask(request);
    if (status !== 200) throw new Error(`${status} ${body}`);
  };
  const full = await keepBusy({ inFlight: CONNECTIONS, span: FULL_LOAD }, send);
  const everyMs = (CONNECTIONS * 1_000 * 2) / full.perSecond;
  const parts = Array.from({ length: PARTS }, () => ({
    tookMs: [] as number[],
    mb: [] as number[],
    open: 0,
  }));
  const begun = performance.now();
  const partNow = () => parts[Math.floor(((performance.now() - begun) / SOAK_MS) * PARTS)];
  const sending = callers.map(async (_caller, place) => {
    for (let due = begun + (place / CONNECTIONS) * everyMs; due < begun + SOAK_MS; due += everyMs) {
      await wait(Math.max(0, due - performance.now()));
      await send(place);
      // From when it should have been sent: whoever is late has waited.
      partNow()?.tookMs.push(performance.now() - due);
    }
  });
  const watching = (async () => {
    for (let part = partNow(); part !== undefined; part = partNow()) {
      part.mb.push(residentMbOf(pid));
      part.open = Math.max(part.open, descriptorsOf(pid));
      await wait(LOOK_EVERY_MS);
    }
  })();
  await Promise.all([...sending, watching]);
  for (const caller of callers) caller.close();
  const [early, late] = [parts[1], parts.at(-1)];
  const sends = parts.reduce((sum, { tookMs }) => sum + tookMs.length, 0);
  return {
    perSecond: (sends * 1_000) / SOAK_MS,
    earlyMb: quantile(early?.mb ?? [], 0.5) ?? 0,
    lateMb: quantile(late?.mb ?? [], 0.5) ?? 0,
    growthPart: (quantile(late?.mb ?? [], 0.5) ?? 0) / (quantile(early?.mb ?? [], 0.5) ?? 1),
    moreDescriptors: (late?.open ?? 0) - (early?.open ?? 0),
    earlyP99Ms: quantile(early?.tookMs ?? [], 0.99) ?? 0,
    lateP99Ms: quantile(late?.tookMs ?? [], 0.99) ?? 0,
    p99Part: (quantile(late?.tookMs ?? [], 0.99) ?? 0) / (quantile(early?.tookMs ?? [], 0.99) ?? 1),
  };
}
