import { formatPosition, type Audience } from "#devices/audiences/audience.ts";
import {
  listDevicesInRange,
  findDevicesInAudience,
} from "#devices/audiences/store/audience-devices.ts";
import type { Target } from "#devices/device.ts";
import {
  CHUNK_MAX,
  createPendingDevices,
  isKept,
  type DeviceRange,
  type LeasedJob,
  type PendingDevice,
} from "../delivery.ts";
import type { RunDeps } from "../deps.ts";
import { isActedOn } from "./is-acted-on.ts";
import { findFetched, NOTHING_FETCHED, type FetchedByDevice } from "./fetched.ts";

/** Maximum number of devices that one query reads, so that other queries do not wait long. */
const PAGE_MAX = 100;

/** The devices of a job before its attempts. */
export interface LoadedDevices {
  readonly pending: readonly PendingDevice[];
  readonly targets: readonly Target[];
  /** The devices that have fetched the message since it was put into their mailboxes. */
  readonly fetched: FetchedByDevice;
  /** True if an act ends the waits of devices for the message. */
  readonly hasAct: boolean;
  /** When the devices were read, on the monotonic clock. */
  readonly readAt: number;
  /** True if a range has more devices than a chunk may hold. */
  readonly isOversized: boolean;
}

/** A job whose devices are loaded. */
export interface LoadInput {
  readonly job: LeasedJob;
  /** The job's devices if the caller has just read them; otherwise null. */
  readonly targets: readonly Target[] | null;
}

/**
 * Reads a job's devices, unless the caller has just read them. Hands the services that a device list waits for to the
 * breakers.
 */
export async function loadDevices(
  deps: RunDeps,
  { job, targets }: LoadInput,
): Promise<LoadedDevices> {
  const { work, notification } = job;
  if (work.kind === "devices") {
    const current = targets ?? (await findTargets(deps, notification.audience, work.pending));
    deps.breakers.inheritWaits(work.pending);
    const readAt = deps.elapsed();
    const loaded = { pending: work.pending, targets: current, readAt, isOversized: false };
    if (targets !== null) return { ...loaded, fetched: NOTHING_FETCHED, hasAct: false };
    const deviceIds = listAppsAndKept(work.pending, current);
    const fetched = await findFetched(deps, notification.id, deviceIds);
    return { ...loaded, fetched, hasAct: await isActedOn(deps, notification, work.pending) };
  }
  const devices = await readRange(deps, notification.audience, work.range);
  const readAt = deps.elapsed();
  const pending = createPendingDevices(
    devices.map(({ deviceId }) => deviceId),
    deps.now(),
  );
  const isOversized = devices.length > CHUNK_MAX;
  // A range that is too large is split, and its parts ask.
  const fetched = isOversized
    ? NOTHING_FETCHED
    : await findFetched(deps, notification.id, listAppsAndKept(pending, devices));
  return { pending, targets: devices, fetched, hasAct: false, readAt, isOversized };
}

function findTargets(
  deps: RunDeps,
  audience: Audience,
  pending: readonly PendingDevice[],
): Promise<readonly Target[]> {
  const deviceIds = pending.map(({ deviceId }) => deviceId);
  return findDevicesInAudience(deps, audience, { deviceIds });
}

/** Includes apps that do not wait yet: a process that died may have recorded the answer of an app, and no outcome. */
function listAppsAndKept(
  pending: readonly PendingDevice[],
  targets: readonly Target[],
): readonly string[] {
  const apps = targets.filter(({ provider }) => provider === "stream");
  const appIds = new Set(apps.map(({ deviceId }) => deviceId));
  return pending
    .filter((device) => isKept(device) || appIds.has(device.deviceId))
    .map(({ deviceId }) => deviceId);
}

/** Returns the devices of a range. Stops when one chunk cannot hold them. */
async function readRange(
  deps: RunDeps,
  audience: Audience,
  { after, upTo }: DeviceRange,
): Promise<readonly Target[]> {
  const devices: Target[] = [];
  const pageQuery = { after, upTo: upTo === "" ? null : upTo, limit: PAGE_MAX };
  for (let hasMore = true; hasMore && devices.length <= CHUNK_MAX;) {
    const page = await listDevicesInRange(deps, audience, pageQuery);
    devices.push(...page);
    const last = devices.at(-1);
    if (last !== undefined) pageQuery.after = formatPosition(last);
    hasMore = page.length === PAGE_MAX;
  }
  return devices;
}
