import { audienceRange } from "#devices/audiences/store.ts";
import { CHUNK_MAX, type DeviceRange, type LeasedJob } from "./delivery.ts";
import type { HeldLease } from "./held-lease.ts";
import { LEASE_MS } from "./lease.ts";
import type { DeliveryParts } from "./parts.ts";
import { settleDurably } from "./settle.ts";

/** How many chunks one step commits together with the moved cursor. */
const CHUNKS_PER_STEP = 10;

/**
 * Cuts a large audience into chunks of at most 500 devices. Each step commits its chunks together with the
 * cursor, so that a crash neither loses nor repeats one; memory stays that of one step.
 */
export async function expand(
  parts: DeliveryParts,
  { job, held }: { job: LeasedJob; held: HeldLease },
): Promise<void> {
  if (job.work.kind !== "expand") throw new Error("Only an expand job is expanded.");
  const { upTo } = job.work.range;
  let { after } = job.work.range;
  const { id: notificationId, audience } = job.notification;
  await parts.file(job.notification);
  while (held.mayBegin(parts.now())) {
    const limit = CHUNKS_PER_STEP * CHUNK_MAX;
    const range = { after, upTo: upTo === "" ? null : upTo, limit };
    const positions = (await audienceRange(parts, audience, range)).map(({ position }) => position);
    const chunks = cut(positions, after);
    const until = parts.now() + LEASE_MS;
    after = chunks.at(-1)?.upTo ?? after;
    const next =
      chunks.length === 0
        ? ({ kind: "done" } as const)
        : ({
            kind: "expand",
            cursor: after,
            chunks,
            deviceCount: positions.length,
            until,
          } as const);
    const settlement = { lease: held.lease, notificationId, results: [], news: null, next };
    const ack = await settleDurably(parts, settlement, held.signal);
    if (ack === "fenced" || next.kind === "done") return;
    held.prolong(until);
  }
}

function cut(positions: readonly string[], start: string): readonly DeviceRange[] {
  const ranges: DeviceRange[] = [];
  let after = start;
  for (let index = 0; index < positions.length; index += CHUNK_MAX) {
    const upTo = positions[Math.min(index + CHUNK_MAX, positions.length) - 1] ?? after;
    ranges.push({ after, upTo });
    after = upTo;
  }
  return ranges;
}
