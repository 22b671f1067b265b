import type { Context } from "#context.ts";

/** The live devices of one provider. */
export interface ProviderDevices {
  readonly count: number;
  /** When a push service last took a message for one of them, in milliseconds since the epoch. */
  readonly lastAcceptedAt: number | null;
}

/** Returns how many devices each provider has, of all accounts: for administrators. */
export async function countByProvider({
  database: { db },
}: Context): Promise<ReadonlyMap<string, ProviderDevices>> {
  const rows = await db
    .selectFrom("device")
    .select((of) => [
      "provider",
      of.fn.countAll().as("count"),
      of.fn
        .max<number | null>(
          of
            .case()
            .when("last_state", "=", "accepted")
            .then(of.ref("last_state_at"))
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
