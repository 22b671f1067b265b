import type { Context } from "#context.ts";

/** Records that an app named itself one for iPhones. Idempotent. */
export async function recordIphone(
  { database: { db }, now }: Context,
  deviceId: string,
): Promise<void> {
  await db
    .updateTable("connected_app")
    .set({ iphone_since: now() })
    .where("device_id", "=", deviceId)
    .where("iphone_since", "is", null)
    .execute();
}
