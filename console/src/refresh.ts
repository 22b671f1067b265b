import type { QueryClient, QueryKey } from "@tanstack/react-query";

/**
 * Refetches what the page shows under a key, once for many changes at a time. An answer in progress may be older than
 * the change: then it is fetched once more afterwards.
 */
export async function refresh(queryClient: QueryClient, queryKey: QueryKey): Promise<void> {
  const isOnItsWay = queryClient.isFetching({ queryKey, type: "active" }) > 0;
  await queryClient.invalidateQueries({ queryKey }, SHARED);
  if (isOnItsWay) await queryClient.invalidateQueries({ queryKey }, SHARED);
}

const SHARED = { cancelRefetch: false };
