import type { QueryClient, QueryKey } from "@tanstack/react-query";

/**
 * Refetches the active queries under a key. Concurrent changes share one fetch. A fetch in progress may return data
 * that is older than the change, so another fetch follows.
 */
export async function refetchActiveQueries(
  queryClient: QueryClient,
  queryKey: QueryKey,
): Promise<void> {
  const wasFetching = queryClient.isFetching({ queryKey, type: "active" }) > 0;
  await queryClient.invalidateQueries({ queryKey }, REUSE_RUNNING_FETCH);
  if (wasFetching) await queryClient.invalidateQueries({ queryKey }, REUSE_RUNNING_FETCH);
}

const REUSE_RUNNING_FETCH = { cancelRefetch: false };
