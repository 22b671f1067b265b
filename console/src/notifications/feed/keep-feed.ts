import { hashKey, type QueryClient } from "@tanstack/react-query";
import { feedQuery } from "./feed-queries.ts";
import { writeFeed } from "./kept-feed.ts";

/** Delay before writing, so that many changes make one write. */
const WRITE_AFTER_MS = 1_000;

/** Stores the account's newest notifications in this browser on every change, until the returned function is called. */
export function keepFeed(queryClient: QueryClient, accountId: string): () => void {
  if (!("caches" in globalThis)) return () => {};
  const { queryKey } = feedQuery({});
  const queryHash = hashKey(queryKey);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = queryClient.getQueryCache().subscribe(({ type, query }) => {
    if (type !== "updated" || query.queryHash !== queryHash) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      const feed = queryClient.getQueryData(queryKey);
      // A feed that cannot be stored, as on a full disk, is not available without the server.
      if (feed !== undefined) writeFeed(accountId, feed).catch(() => {});
    }, WRITE_AFTER_MS);
  });
  return () => {
    clearTimeout(timer);
    end();
  };
}
