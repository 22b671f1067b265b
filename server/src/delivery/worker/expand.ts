import { listPositionsInRange } from "#devices/audiences/store/audience-devices.ts";
import { CHUNK_MAX, type DeviceRange, type LeasedJob, type NewNotification } from "../delivery.ts";
import type { NextStep } from "../store/delivery-store.ts";
import type { HeldLease } from "./held-lease.ts";
import { LEASE_MS } from "../lease.ts";
import { settleDurably, type SettleDeps } from "./settle.ts";

/** Maximum number of chunks that one step commits together with the advanced cursor. */
const CHUNKS_PER_STEP = 4;

/** Runs one step of a job's work. Resolves with null if the step may not begin any more. */
export type RunStep = <T>(step: () => Promise<T>) => Promise<T | null>;

/** A job whose audience is split into chunks. */
export interface ExpandInput {
  readonly job: LeasedJob;
  readonly heldLease: HeldLease;
  readonly runStep: RunStep;
}

/** Expands a large audience into chunks. */
export async function expandAudience(
  deps: SettleDeps,
  { job, heldLease, runStep }: ExpandInput,
): Promise<void> {
  if (job.work.kind !== "expand") throw new Error("Only an expand job is expanded.");
  const { notification } = job;
  await splitIntoChunks(deps, {
    notification,
    heldLease,
    runStep,
    range: job.work.range,
    counted: 0,
  });
}

/**
 * Splits again a range that has gained devices since the audience was split. Otherwise the last devices of the range
 * would be left out. Returns the time at which the new chunks are due.
 */
export async function splitRangeAgain(
  deps: SettleDeps,
  { job: { notification, work }, heldLease, runStep }: ExpandInput,
): Promise<number> {
  if (work.kind === "devices") throw new Error("Only a range is split.");
  const { range } = work;
  await splitIntoChunks(deps, { notification, heldLease, runStep, range, counted: CHUNK_MAX });
  return deps.now();
}

interface ChunkSplitInput {
  readonly notification: NewNotification;
  readonly heldLease: HeldLease;
  readonly runStep: RunStep;
  readonly range: DeviceRange;
  /** Number of the range's devices that the notification's device count already includes. */
  readonly counted: number;
}

/**
 * Turns a job's range into chunks of at most 500 devices, and ends the job. Each step commits its chunks together with
 * the cursor, so that a crash neither loses nor repeats a chunk. Only one step's devices are in memory.
 */
async function splitIntoChunks(deps: SettleDeps, input: ChunkSplitInput): Promise<void> {
  const { heldLease, range, runStep } = input;
  let cursor: Cursor | null = { after: range.after, counted: input.counted };
  while (cursor !== null && heldLease.mayBeginRequest()) {
    const from: Cursor = cursor;
    cursor = await runStep(() => splitOffNextChunks(deps, input, from));
  }
}

interface Cursor {
  readonly after: string;
  /** Number of devices after the cursor that the notification's device count already includes. */
  readonly counted: number;
}

/** Commits the next chunks and returns the cursor after them; null if the job has ended or its lease is lost. */
async function splitOffNextChunks(
  deps: SettleDeps,
  { notification, heldLease, range }: ChunkSplitInput,
  { after, counted }: Cursor,
): Promise<Cursor | null> {
  const limit = CHUNKS_PER_STEP * CHUNK_MAX;
  const remaining = { after, upTo: range.upTo === "" ? null : range.upTo, limit };
  const positions = await listPositionsInRange(deps, notification.audience, remaining);
  const chunks = toRanges(positions, after);
  const until = deps.now() + LEASE_MS;
  const deviceCount = positions.length - counted;
  const cursor = chunks.at(-1)?.upTo ?? after;
  const next: NextStep =
    chunks.length === 0
      ? { kind: "done" }
      : { kind: "expand", from: after, cursor, chunks, deviceCount, until };
  const settlement = {
    id: deps.newId(),
    lease: heldLease.lease,
    notificationId: notification.id,
    results: [],
    deviceStateUpdate: null,
    next,
  };
  const { ack } = await settleDurably(deps, () => settlement, heldLease.signal);
  if (ack === "fenced" || next.kind === "done") return null;
  heldLease.extend(until);
  return { after: cursor, counted: 0 };
}

function toRanges(positions: readonly string[], start: string): readonly DeviceRange[] {
  const ranges: DeviceRange[] = [];
  let after = start;
  for (let index = 0; index < positions.length; index += CHUNK_MAX) {
    const upTo = positions[Math.min(index + CHUNK_MAX, positions.length) - 1] ?? after;
    ranges.push({ after, upTo });
    after = upTo;
  }
  return ranges;
}
