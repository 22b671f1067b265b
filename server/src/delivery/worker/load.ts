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

/** Maximum of devices that one query reads, so that other queries do not wait long. */
const PAGE_MAX = 100;

/** The devices of a job before its attempts. */
export interface Loaded {
  readonly pending: readonly PendingDevice[];
  readonly targets: readonly Target[];
  /** Time at which they were read, on the monotonic clock. */
  readonly readAt: number;
  /** True if a range has more devices than a chunk may hold. */
  readonly isOverfull: boolean;
}

export interface LoadInput {
  readonly job: LeasedJob;
  /** The job's devices if the caller has just read them; otherwise null. */
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

/** Returns the devices of a range. Stops once they are too many for one chunk. */
async function readRange(
  deps: RunDeps,
  audience: Audience,
  { after, upTo }: DeviceRange,
): Promise<readonly Target[]> {
  const read: Target[] = [];
  const rest = { after, upTo: upTo === "" ? null : upTo, limit: PAGE_MAX };
  for (let isMore = true; isMore && read.length <= CHUNK_MAX;) {
    const page = await audienceRange(deps, audience, rest);
    read.push(...page);
    rest.after = read.at(-1)?.position ?? after;
    isMore = page.length === PAGE_MAX;
  }
  return read;
}
