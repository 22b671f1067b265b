import { setTimeout as wait } from "node:timers/promises";
import { quantile } from "../../test/campaigns/findings.ts";
import { Senders, type SendTarget } from "../peers/senders.ts";
import type { Round } from "../case.ts";
import { countDescriptors, readResidentMb } from "../processes.ts";
import { keepBusy } from "../work.ts";

const CONNECTIONS = 16;
const FULL_LOAD = { warmUpMs: 10_000, measuredMs: 10_000 };
const SOAK_MS = 10 * 60_000;
/** Number of parts; the first one, which fills caches, is ignored. */
const PARTS = 5;
const POLL_INTERVAL_MS = 1_000;

/** Sends at half of the server's capacity, and compares the second part of the time with the last. */
export async function work(target: SendTarget): Promise<Round> {
  const senders = await Senders.connect(target, {
    connections: CONNECTIONS,
    path: "/api/v1/notify",
  });
  const send = (connection: number) => senders.send(connection);
  const full = await keepBusy({ inFlight: CONNECTIONS, duration: FULL_LOAD }, send);
  const everyMs = (CONNECTIONS * 1_000 * 2) / full.perSecond;
  const soak = new Soak();
  const sending = Array.from({ length: CONNECTIONS }, (_, connection) => {
    const firstMs = (connection / CONNECTIONS) * everyMs;
    return keepSending(soak, { firstMs, everyMs, send: () => send(connection) });
  });
  await Promise.all([...sending, watch(soak, target.pid)]);
  senders.close();
  return createRound(soak.parts);
}

/** The measurements of one part. */
interface Part {
  readonly durationsMs: number[];
  readonly residentMb: number[];
  descriptorsMax: number;
}

/** The parts of the soak time, which starts at construction. */
class Soak {
  readonly startedAt = performance.now();
  readonly endsAt = this.startedAt + SOAK_MS;
  readonly parts: readonly Part[] = Array.from({ length: PARTS }, () => ({
    durationsMs: [],
    residentMb: [],
    descriptorsMax: 0,
  }));

  /** Returns the current part; undefined after the end. */
  currentPart(): Part | undefined {
    return this.parts[Math.floor(((performance.now() - this.startedAt) / SOAK_MS) * PARTS)];
  }
}

interface Pace {
  readonly firstMs: number;
  readonly everyMs: number;
  readonly send: () => Promise<void>;
}

async function keepSending(soak: Soak, { firstMs, everyMs, send }: Pace): Promise<void> {
  for (let due = soak.startedAt + firstMs; due < soak.endsAt; due += everyMs) {
    await wait(Math.max(0, due - performance.now()));
    await send();
    // Measured from the due time, so that a late start counts as waiting.
    soak.currentPart()?.durationsMs.push(performance.now() - due);
  }
}

async function watch(soak: Soak, pid: number): Promise<void> {
  for (let part = soak.currentPart(); part !== undefined; part = soak.currentPart()) {
    part.residentMb.push(readResidentMb(pid));
    part.descriptorsMax = Math.max(part.descriptorsMax, countDescriptors(pid));
    await wait(POLL_INTERVAL_MS);
  }
}

function createRound(parts: readonly Part[]): Round {
  const [early, late] = [summarizePart(parts[1]), summarizePart(parts.at(-1))];
  const sends = parts.reduce((sum, { durationsMs }) => sum + durationsMs.length, 0);
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

/** Summarises a part. Figures are NaN without measurements. */
function summarizePart(part: Part | undefined) {
  return {
    residentMb: quantile(part?.residentMb ?? [], 0.5) ?? Number.NaN,
    p99Ms: quantile(part?.durationsMs ?? [], 0.99) ?? Number.NaN,
    descriptors: part?.descriptorsMax ?? Number.NaN,
  };
}
