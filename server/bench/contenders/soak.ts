import { setTimeout as wait } from "node:timers/promises";
import { computeQuantile } from "../../test/campaigns/findings.ts";
import { Senders, type SendTarget } from "../support/senders.ts";
import type { Round } from "../case.ts";
import { countDescriptors, readResidentMb } from "../process-figures.ts";
import { measureThroughput } from "../measure-throughput.ts";

const CONNECTION_COUNT = 16;
const FULL_LOAD = { warmUpMs: 10_000, measuredMs: 10_000 };
const SOAK_MS = 10 * 60_000;
/** The number of parts of the run. The first one fills caches, and the comparison ignores it. */
const PART_COUNT = 5;
const POLL_INTERVAL_MS = 1_000;

/** Sends at half of the server's capacity, and compares the second part of the run with the last. */
export async function measureRound(target: SendTarget): Promise<Round> {
  const senders = await Senders.connect(target, {
    connections: CONNECTION_COUNT,
    path: "/api/v1/notify",
  });
  const send = (connection: number) => senders.send(connection);
  const fullLoadFigures = await measureThroughput(
    { concurrency: CONNECTION_COUNT, durations: FULL_LOAD },
    send,
  );
  // At full load, each connection sends once in half of this interval.
  const intervalMs = (CONNECTION_COUNT * 1_000 * 2) / fullLoadFigures.perSecond;
  const soak = new Soak();
  const sending = Array.from({ length: CONNECTION_COUNT }, (_, connection) => {
    const firstDelayMs = (connection / CONNECTION_COUNT) * intervalMs;
    return keepSending(soak, {
      firstDelayMs,
      intervalMs,
      send: () => send(connection),
    });
  });
  await Promise.all([...sending, sampleProcess(soak, target.pid)]);
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
  readonly parts: readonly Part[] = Array.from({ length: PART_COUNT }, () => ({
    durationsMs: [],
    residentMb: [],
    descriptorsMax: 0,
  }));

  /** Returns the current part; undefined after the end. */
  getCurrentPart(): Part | undefined {
    return this.parts[Math.floor(((performance.now() - this.startedAt) / SOAK_MS) * PART_COUNT)];
  }
}

interface Pace {
  readonly firstDelayMs: number;
  readonly intervalMs: number;
  readonly send: () => Promise<void>;
}

async function keepSending(soak: Soak, { firstDelayMs, intervalMs, send }: Pace): Promise<void> {
  for (let dueAt = soak.startedAt + firstDelayMs; dueAt < soak.endsAt; dueAt += intervalMs) {
    await wait(Math.max(0, dueAt - performance.now()));
    await send();
    // Measured from the due time, so that a late start counts as waiting.
    soak.getCurrentPart()?.durationsMs.push(performance.now() - dueAt);
  }
}

async function sampleProcess(soak: Soak, pid: number): Promise<void> {
  for (let part = soak.getCurrentPart(); part !== undefined; part = soak.getCurrentPart()) {
    part.residentMb.push(readResidentMb(pid));
    part.descriptorsMax = Math.max(part.descriptorsMax, countDescriptors(pid));
    await wait(POLL_INTERVAL_MS);
  }
}

function createRound(parts: readonly Part[]): Round {
  const early = summarisePart(parts[1]);
  const late = summarisePart(parts.at(-1));
  const sends = parts.reduce((sum, { durationsMs }) => sum + durationsMs.length, 0);
  return {
    perSecond: (sends * 1_000) / SOAK_MS,
    earlyMb: early.residentMb,
    lateMb: late.residentMb,
    memoryRatio: late.residentMb / early.residentMb,
    moreDescriptors: late.descriptors - early.descriptors,
    earlyP99Ms: early.p99Ms,
    lateP99Ms: late.p99Ms,
    p99Ratio: late.p99Ms / early.p99Ms,
  };
}

/** Summarises a part. Figures are NaN without measurements. */
function summarisePart(part: Part | undefined) {
  return {
    residentMb: computeQuantile(part?.residentMb ?? [], 0.5) ?? Number.NaN,
    p99Ms: computeQuantile(part?.durationsMs ?? [], 0.99) ?? Number.NaN,
    descriptors: part?.descriptorsMax ?? Number.NaN,
  };
}
