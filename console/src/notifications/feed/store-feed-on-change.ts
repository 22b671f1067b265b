import { hashKey, type QueryClient } from "@tanstack/react-query";
import { createFeedQuery } from "./feed-queries.ts";
import { storeFeed } from "./stored-feed.ts";

/** Delay before a write, so that several changes cause one write. */
const WRITE_DELAY_MS = 1_000;

/**
 * Stores the account's newest notifications in this browser after each change, until the returned function is called.
 */
export function storeFeedOnChange(queryClient: QueryClient, accountId: string): () => void {
  if (!("caches" in globalThis)) return () => {};
  const { queryKey } = createFeedQuery({});
  const queryHash = hashKey(queryKey);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const unsubscribe = queryClient.getQueryCache().subscribe(({ type, query }) => {
    if (type !== "updated" || query.queryHash !== queryHash) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      const feed = queryClient.getQueryData(queryKey);
      // A failure, for example a full disk, is ignored: the feed is then not available offline.
      if (feed !== undefined) storeFeed(accountId, feed).catch(() => {});
    }, WRITE_DELAY_MS);
  });
  return () => {
    clearTimeout(timer);
    unsubscribe();
  };
}
