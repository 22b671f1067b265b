import type { Audience } from "#devices/audiences/audience.ts";
import { audienceRange, audienceTargets } from "#devices/audiences/store.ts";
import type { Target } from "#devices/device.ts";
import {
  CHUNK_MAX,
  untried,
  type DeviceRange,
  type LeasedJob,
  type PendingDevice,
} from "../delivery.ts";
import type { RunDeps } from "../deps.ts";

/** Devices of a range that one query reads: other queries wait no longer than for these. */
const READ_AT_ONCE = 100;

/** The devices of a job before its attempts. */
export interface Loaded {
  readonly pending: readonly PendingDevice[];
  readonly targets: readonly Target[];
  /** When they were read, by the monotonic clock. */
  readonly readAt: number;
  /** True where a range has more devices than a chunk may hold. */
  readonly isOverfull: boolean;
}

export interface LoadInput {
  readonly job: LeasedJob;
  /** The job's devices, where the caller has just read them. */
  readonly targets: readonly Target[] | null;
}

/** Reads a job's devices, unless the caller has just read them. */
export async function load(deps: RunDeps, { job, targets }: LoadInput): Promise<Loaded> {
  const { work, notification } = job;
  if (work.kind === "devices") {
    const deviceIds = work.pending.map(({ deviceId }) => deviceId);
    const current = targets ?? (await audienceTargets(deps, notification.audience, { deviceIds }));
    deps.breakers.inheritWaits(work.pending);
    const readAt = deps.elapsed();
    return { pending: work.pending, targets: current, readAt, isOverfull: false };
  }
  const read = await readRange(deps, notification.audience, work.range);
  const readAt = deps.elapsed();
  const pending = untried(
    read.map(({ deviceId }) => deviceId),
    deps.now(),
  );
  return { pending, targets: read, readAt, isOverfull: read.length > CHUNK_MAX };
}

/** Returns the devices of a range, or so many that it is too large for one chunk. */
async function readRange(
  deps: RunDeps,
  audience: Audience,
  { after, upTo }: DeviceRange,
): Promise<readonly Target[]> {
  const read: Target[] = [];
  const rest = { after, upTo: upTo === "" ? null : upTo, limit: READ_AT_ONCE };
  for (let isMore = true; isMore && read.length <= CHUNK_MAX;) {
    const page = await audienceRange(deps, audience, rest);
    read.push(...page);
    rest.after = read.at(-1)?.position ?? after;
    isMore = page.length === READ_AT_ONCE;
  }
  return read;
}
