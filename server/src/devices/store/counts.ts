import type { Context } from "#context.ts";

/** The live devices of one provider. */
export interface ProviderDevices {
  readonly count: number;
  /**
   * The latest acceptance among the devices whose last delivery was accepted, in milliseconds since the epoch; null for
   * none. An unchanged state is recorded only every ten seconds.
   */
  readonly lastAcceptedAt: number | null;
}

/**
 * Returns the number of live devices and their latest acceptance by provider, over all accounts, for administrators.
 */
export async function summarizeDevicesByProvider({
  database: { db },
}: Context): Promise<ReadonlyMap<string, ProviderDevices>> {
  const rows = await db
    .selectFrom("device")
    .select((eb) => [
      "provider",
      eb.fn.countAll().as("count"),
      eb.fn
        .max<number | null>(
          eb
            .case()
            .when("last_state", "=", "accepted")
            .then(eb.ref("last_state_at"))
            .else(null)
            .end(),
        )
        .as("lastAcceptedAt"),
    ])
    .where("retired_at", "is", null)
    .groupBy("provider")
    .execute();
  return new Map(
    rows.map(({ provider, count, lastAcceptedAt }) => [
      provider,
      { count: Number(count), lastAcceptedAt },
    ]),
  );
}

/** Returns the number of live devices of each account that has at least `minCount`, for administrators. */
export async function countDevicesByAccount(
  { database: { db } }: Context,
  minCount: number,
): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom("device")
    .select(({ fn }) => ["account_id", fn.countAll().as("count")])
    .where("retired_at", "is", null)
    .groupBy("account_id")
    .having(({ fn }) => fn.countAll(), ">=", minCount)
    .execute();
  return new Map(rows.map((row) => [row.account_id, Number(row.count)]));
}

/** Returns the number of device groups of each account that has at least `minCount`, for administrators. */
export async function countGroupsByAccount(
  { database: { db } }: Context,
  minCount: number,
): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom("device_group")
    .select(({ fn }) => ["account_id", fn.countAll().as("count")])
    .groupBy("account_id")
    .having(({ fn }) => fn.countAll(), ">=", minCount)
    .execute();
  return new Map(rows.map((row) => [row.account_id, Number(row.count)]));
}
