import { sql } from "kysely";
import type { DatabaseContext } from "#context.ts";
import {
  createPendingDevices,
  type DeliveryResult,
  type NewNotification,
} from "#delivery/delivery.ts";
import { decodePending, decodeResults } from "#delivery/store/tuples.ts";
import { createPendingPattern, createResultPatterns } from "#delivery/store/column-patterns.ts";

import type { EndedOrUnfinishedDelivery } from "../deliveries/store.ts";

interface OwnDeliveriesInput {
  readonly notification: NewNotification;
  readonly accountId: string;
}

/** A device that had not left when the notification was sent. */
interface DeviceAtSend {
  readonly id: string;
  /** Whether an expansion of the audience still includes it. */
  readonly isRecipient: boolean;
}

/** The number of pages per query. Each page has up to 500 results. */
const PAGES_PER_QUERY = 40;
/** The maximum number of devices: an account has at most 100 at a time, and some may have left since. */
const DEVICES_MAX = 500;

/** Returns the deliveries of a notification to the devices of one account, sorted by the devices' ids. */
export async function listOwnDeliveries(
  context: DatabaseContext,
  input: OwnDeliveriesInput,
): Promise<readonly EndedOrUnfinishedDelivery[]> {
  const devices = await findDevicesAtSend(context, input);
  const ids = devices.map(({ id }) => id);
  // In this order, a delivery that ends between the two reads is in both results, never in neither.
  const { unfinished, hasUnexpandedRange } = await findPending(context, input.notification.id, ids);
  const endedResults = await findEnded(context, input.notification.id, ids);
  return devices.flatMap(({ id, isRecipient }): EndedOrUnfinishedDelivery[] => {
    const result = endedResults.get(id);
    if (result !== undefined) return [{ kind: "ended", result }];
    const pending =
      unfinished.get(id) ??
      (hasUnexpandedRange && isRecipient ? createPendingDevices([id], 0)[0] : undefined);
    return pending === undefined ? [] : [{ kind: "unfinished", pending }];
  });
}

/** Returns the account's devices without those that had left when the notification was sent. */
async function findDevicesAtSend(
  { database: { db } }: DatabaseContext,
  { notification: { createdAt }, accountId }: OwnDeliveriesInput,
): Promise<readonly DeviceAtSend[]> {
  const rows = await db
    .selectFrom("device")
    .select(["id", "retired_at", "created_at"])
    .where("account_id", "=", accountId)
    .where((eb) => eb.or([eb("retired_at", "is", null), eb("retired_at", ">=", createdAt)]))
    .orderBy("id")
    .limit(DEVICES_MAX)
    .execute();
  return rows.map(({ id, retired_at: retiredAt, created_at: addedAt }) => {
    return { id, isRecipient: retiredAt === null && addedAt <= createdAt };
  });
}

async function findPending(
  { database: { db } }: DatabaseContext,
  notificationId: string,
  ids: readonly string[],
) {
  const jobs = await db
    .selectFrom("send_job")
    .select("pending")
    .where("notification_id", "=", notificationId)
    .where((eb) =>
      eb.or([
        eb("pending", "is", null),
        ...ids.map((id) => eb("pending", "like", createPendingPattern(id))),
      ]),
    )
    .execute();
  const pendingDevices = jobs.flatMap(({ pending }) =>
    pending === null ? [] : decodePending(pending),
  );
  const ownIds = new Set(ids);
  const ownPendingDevices = pendingDevices.filter(({ deviceId }) => ownIds.has(deviceId));
  return {
    unfinished: new Map(ownPendingDevices.map((pending) => [pending.deviceId, pending])),
    hasUnexpandedRange: jobs.some(({ pending }) => pending === null),
  };
}

async function findEnded(
  { database: { db } }: DatabaseContext,
  notificationId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, DeliveryResult>> {
  const resultsByDevice = new Map<string, DeliveryResult>();
  const ownIds = new Set(ids);
  const patterns = ids
    .flatMap((id) => createResultPatterns(id, null))
    .map((pattern) => sql`results like ${pattern}`);
  // Terminates, because every query reads later pages than the one before.
  for (let after = ""; resultsByDevice.size < ownIds.size;) {
    const pages = await db
      .selectFrom("delivery_page")
      .select([
        "id",
        sql<string | null>`case when ${sql.join(patterns, sql` or `)} then results end`.as(
          "results",
        ),
      ])
      .where("notification_id", "=", notificationId)
      .where("id", ">", after)
      .orderBy("id")
      .limit(PAGES_PER_QUERY)
      .execute();
    const results = pages.flatMap((page) =>
      page.results === null ? [] : decodeResults(page.results),
    );
    for (const result of results)
      if (ownIds.has(result.deviceId)) resultsByDevice.set(result.deviceId, result);
    const last = pages.at(-1);
    if (last === undefined || pages.length < PAGES_PER_QUERY) break;
    after = last.id;
  }
  return resultsByDevice;
}
