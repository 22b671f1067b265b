import { audiencePositions } from "#devices/audiences/store.ts";
import { CHUNK_MAX, type DeviceRange, type LeasedJob, type NewNotification } from "../delivery.ts";
import type { NextStep } from "../store/delivery-store.ts";
import type { HeldLease } from "./held-lease.ts";
import { LEASE_MS } from "../lease.ts";
import { settleDurably, type SettleDeps } from "./settle.ts";

/** Maximum of chunks that one step commits together with the advanced cursor. */
const CHUNKS_PER_STEP = 4;

/** Runs one step of a job's work. Resolves with null if the step may not begin any more. */
export type InStep = <T>(step: () => Promise<T>) => Promise<T | null>;

export interface ExpandInput {
  readonly job: LeasedJob;
  readonly held: HeldLease;
  readonly inStep: InStep;
}

/** Expands a large audience into chunks. */
export async function expand(deps: SettleDeps, { job, held, inStep }: ExpandInput): Promise<void> {
  if (job.work.kind !== "expand") throw new Error("Only an expand job is expanded.");
  const { notification } = job;
  await cutIntoChunks(deps, { notification, held, inStep, range: job.work.range, counted: 0 });
}

/** Cuts a range again that has gained devices since it was cut. Otherwise its last devices would be left out. */
export async function cutAgain(
  deps: SettleDeps,
  { job: { notification, work }, held, inStep }: ExpandInput,
): Promise<number> {
  if (work.kind === "devices") throw new Error("Only a range is cut.");
  const { range } = work;
  await cutIntoChunks(deps, { notification, held, inStep, range, counted: CHUNK_MAX });
  return deps.now();
}

interface CutInput {
  readonly notification: NewNotification;
  readonly held: HeldLease;
  readonly inStep: InStep;
  readonly range: DeviceRange;
  /** Number of the range's devices that the notification's device count already includes. */
  readonly counted: number;
}

/**
 * Turns a job's range into chunks of at most 500 devices, and ends the job. Each step commits its chunks together with the cursor,
 * so that a crash neither loses nor repeats a chunk. Only one step's devices are in memory.
 */
async function cutIntoChunks(deps: SettleDeps, input: CutInput): Promise<void> {
  const { held, range, inStep } = input;
  let cursor: Cursor | null = { after: range.after, counted: input.counted };
  while (cursor !== null && held.mayBegin()) {
    const from: Cursor = cursor;
    cursor = await inStep(() => cutNext(deps, input, from));
  }
}

interface Cursor {
  readonly after: string;
  /** Number of devices after the cursor that the notification's device count already includes. */
  readonly counted: number;
}

/** Commits the next chunks and returns the cursor after them; null if the job has ended or its lease is lost. */
async function cutNext(
  deps: SettleDeps,
  { notification, held, range }: CutInput,
  { after, counted }: Cursor,
): Promise<Cursor | null> {
  const limit = CHUNKS_PER_STEP * CHUNK_MAX;
  const rest = { after, upTo: range.upTo === "" ? null : range.upTo, limit };
  const positions = await audiencePositions(deps, notification.audience, rest);
  const chunks = cutPositions(positions, after);
  const until = deps.now() + LEASE_MS;
  const deviceCount = positions.length - counted;
  const cursor = chunks.at(-1)?.upTo ?? after;
  const next: NextStep =
    chunks.length === 0
      ? { kind: "done" }
      : { kind: "expand", from: after, cursor, chunks, deviceCount, until };
  const base = { id: deps.newId(), lease: held.lease, notificationId: notification.id };
  const settlement = { ...base, results: [], news: null, next };
  const { ack } = await settleDurably(deps, () => settlement, held.signal);
  if (ack === "fenced" || next.kind === "done") return null;
  held.prolong(until);
  return { after: cursor, counted: 0 };
}

function cutPositions(positions: readonly string[], start: string): readonly DeviceRange[] {
  const ranges: DeviceRange[] = [];
  let after = start;
  for (let index = 0; index < positions.length; index += CHUNK_MAX) {
    const upTo = positions[Math.min(index + CHUNK_MAX, positions.length) - 1] ?? after;
    ranges.push({ after, upTo });
    after = upTo;
  }
  return ranges;
}
