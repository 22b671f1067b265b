import { hashKey, type QueryClient } from "@tanstack/react-query";
import { feedQuery } from "./feed-queries.ts";
import { writeFeed } from "./kept-feed.ts";

/** Many changes of one moment are one writing. */
const WRITE_AFTER_MS = 1_000;

/** Keeps the newest notifications of the account in this browser whenever they change, until the end is called. */
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
      // What cannot be kept, as where the disk is full, is not there without the server.
      if (feed !== undefined) writeFeed(accountId, feed).catch(() => {});
    }, WRITE_AFTER_MS);
  });
  return () => {
    clearTimeout(timer);
    end();
  };
}
