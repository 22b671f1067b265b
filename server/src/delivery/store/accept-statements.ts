import type { Context } from "#context.ts";
import {
  compareByKey,
  createKeyLookups,
  deleteUnusedKeyQueries,
  getKeyOutcome,
  readStoredKeys,
  storeKeyQueries,
} from "./idempotency-keys.ts";
import { planRequest, toResult, withLookupIfInDoubt } from "./accept-plan.ts";
import type { AcceptRequest, AcceptResult } from "./delivery-store.ts";
import { insertAcceptedQuery, toReadTargets } from "./insert-accepted.ts";

/**
 * Returns an `accept` that commits a batch as a list of statements, for PostgreSQL. The statements only insert rows,
 * and delete idempotency keys: expired keys, and the keys of requests that are not stored.
 */
export function createStatementAccept(context: Context, owner: string) {
  return async (batch: readonly AcceptRequest[]): Promise<readonly AcceptResult[]> => {
    if (batch.length === 0) return [];
    const planned = batch.map((request) => planRequest(context, request, owner));
    const ordered = planned.toSorted(compareByKey);
    const keyQueries = ordered.flatMap((item) => storeKeyQueries(context, item));
    const lookups = createKeyLookups(context, planned);
    const queries = [
      insertAcceptedQuery(context, planned),
      ...lookups.map(({ query }) => query),
      ...ordered.flatMap((item) => deleteUnusedKeyQueries(context, item)),
    ];
    const results = await withLookupIfInDoubt(context, planned, () =>
      context.database.atomically([...keyQueries, ...queries]),
    );
    const [inserted, ...found] = results.slice(keyQueries.length);
    const readTargets = toReadTargets(inserted);
    const storedKeys = readStoredKeys(lookups, found);
    return planned.map((item) => {
      const targets = readTargets.get(item.request.notification.id) ?? null;
      if (targets === "too_many") return { kind: "too_many" };
      return toResult(item, getKeyOutcome(item, storedKeys.get(item)), targets);
    });
  };
}
