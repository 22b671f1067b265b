import type { QueryClient, QueryKey } from "@tanstack/react-query";

/**
 * Asks anew for what the page shows under a key, once for many changes at a time.
 * An answer that was on its way may be older than the change: then it is asked once more, after it.
 */
export async function refresh(queryClient: QueryClient, queryKey: QueryKey): Promise<void> {
  const isOnItsWay = queryClient.isFetching({ queryKey, type: "active" }) > 0;
  await queryClient.invalidateQueries({ queryKey }, SHARED);
  if (isOnItsWay) await queryClient.invalidateQueries({ queryKey }, SHARED);
}

const SHARED = { cancelRefetch: false };
