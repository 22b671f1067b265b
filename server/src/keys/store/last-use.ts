import type { Context } from "#context.ts";

/** The last use of a key, in milliseconds since the epoch. */
export interface LastUse {
  readonly keyId: string;
  readonly usedAt: number;
}

/**
 * Writes last uses in one commit. An older use never replaces a newer one. Sorts the uses by key, so that two nodes
 * never deadlock.
 */
export async function writeLastUses(
  { database }: Context,
  uses: readonly LastUse[],
): Promise<void> {
  const sortedUses = uses.toSorted((a, b) => (a.keyId < b.keyId ? -1 : 1));
  const queries = sortedUses.map(({ keyId, usedAt }) =>
    database.db
      .updateTable("api_key")
      .set({ last_used_at: usedAt })
      .where("id", "=", keyId)
      .where("revoked_at", "is", null)
      .where((eb) => eb.or([eb("last_used_at", "is", null), eb("last_used_at", "<", usedAt)])),
  );
  await database.atomically(queries);
}
