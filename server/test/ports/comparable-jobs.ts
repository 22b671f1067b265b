import type { DeliveryResult, LeasedJob } from "#delivery/delivery.ts";
import type { DeliveryStore } from "#delivery/store/delivery-store.ts";

/** Orders results by device, then by time. */
export function compareByDevice(one: DeliveryResult, other: DeliveryResult): number {
  return `${one.deviceId} ${one.at}` < `${other.deviceId} ${other.at}` ? -1 : 1;
}

/** Orders jobs by notification, work and epoch, which a store and its model have in common. */
export function compareByWork(one: LeasedJob, other: LeasedJob): number {
  return formatWork(one) < formatWork(other) ? -1 : 1;
}

function formatWork({ notification, work, lease }: LeasedJob): string {
  return JSON.stringify([notification.id, work, lease.epoch]);
}

/** Returns a job with only the fields of its lease that a store and its model have in common. */
export function toComparableJob({ lease, ...job }: LeasedJob) {
  return { ...job, epoch: lease.epoch, until: lease.until };
}

/** Returns the result of an `accept`, with its job in comparable form. */
export function toComparableResult(result: Awaited<ReturnType<DeliveryStore["accept"]>>[number]) {
  if (result.kind !== "accepted") return result;
  return { kind: "accepted", job: result.job === null ? null : toComparableJob(result.job) };
}
