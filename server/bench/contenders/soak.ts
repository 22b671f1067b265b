import { setTimeout as wait } from "node:timers/promises";
import { quantile } from "../../test/campaigns/findings.ts";
import { Senders, type SendTarget } from "../peers/senders.ts";
import type { Round } from "../case.ts";
import { descriptorsOf, residentMbOf } from "../processes.ts";
import { keepBusy } from "../work.ts";

const CONNECTIONS = 16;
const FULL_LOAD = { warmUpMs: 10_000, countedMs: 10_000 };
const SOAK_MS = 10 * 60_000;
/** The first part, which fills caches, is ignored. */
const PARTS = 5;
const LOOK_EVERY_MS = 1_000;

/** Sends at half of the server's capacity, and compares the second part of the time with the last. */
export async function work(target: SendTarget): Promise<Round> {
  const senders = await Senders.connect(target, {
    connections: CONNECTIONS,
    path: "/api/v1/notify",
  });
  const send = (place: number) => senders.send(place);
  const full = await keepBusy({ inFlight: CONNECTIONS, span: FULL_LOAD }, send);
  const everyMs = (CONNECTIONS * 1_000 * 2) / full.perSecond;
  const soak = new Soak();
  const sending = Array.from({ length: CONNECTIONS }, (_, place) => {
    const firstMs = (place / CONNECTIONS) * everyMs;
    return keepSending(soak, { firstMs, everyMs, send: () => send(place) });
  });
  await Promise.all([...sending, watch(soak, target.pid)]);
  senders.close();
  return roundOf(soak.parts);
}

/** The measurements of one part. */
interface Part {
  readonly tookMs: number[];
  readonly residentMb: number[];
  descriptorsMost: number;
}

/** The soak time, in parts; it starts at construction. */
class Soak {
  readonly beganAt = performance.now();
  readonly endsAt = this.beganAt + SOAK_MS;
  readonly parts: readonly Part[] = Array.from({ length: PARTS }, () => ({
    tookMs: [],
    residentMb: [],
    descriptorsMost: 0,
  }));

  /** Returns the current part, until all are over. */
  partNow(): Part | undefined {
    return this.parts[Math.floor(((performance.now() - this.beganAt) / SOAK_MS) * PARTS)];
  }
}

interface Pace {
  readonly firstMs: number;
  readonly everyMs: number;
  readonly send: () => Promise<void>;
}

async function keepSending(soak: Soak, { firstMs, everyMs, send }: Pace): Promise<void> {
  for (let due = soak.beganAt + firstMs; due < soak.endsAt; due += everyMs) {
    await wait(Math.max(0, due - performance.now()));
    await send();
    // Counted from when it was due, because a late request has waited.
    soak.partNow()?.tookMs.push(performance.now() - due);
  }
}

async function watch(soak: Soak, pid: number): Promise<void> {
  for (let part = soak.partNow(); part !== undefined; part = soak.partNow()) {
    part.residentMb.push(residentMbOf(pid));
    part.descriptorsMost = Math.max(part.descriptorsMost, descriptorsOf(pid));
    await wait(LOOK_EVERY_MS);
  }
}

function roundOf(parts: readonly Part[]): Round {
  const [early, late] = [summaryOf(parts[1]), summaryOf(parts.at(-1))];
  const sends = parts.reduce((sum, { tookMs }) => sum + tookMs.length, 0);
  return {
    perSecond: (sends * 1_000) / SOAK_MS,
    earlyMb: early.residentMb,
    lateMb: late.residentMb,
    growthPart: late.residentMb / early.residentMb,
    moreDescriptors: late.descriptors - early.descriptors,
    earlyP99Ms: early.p99Ms,
    lateP99Ms: late.p99Ms,
    p99Part: late.p99Ms / early.p99Ms,
  };
}

/** Figures are NaN without measurements. */
function summaryOf(part: Part | undefined) {
  return {
    residentMb: quantile(part?.residentMb ?? [], 0.5) ?? Number.NaN,
    p99Ms: quantile(part?.tookMs ?? [], 0.99) ?? Number.NaN,
    descriptors: part?.descriptorsMost ?? Number.NaN,
  };
}
