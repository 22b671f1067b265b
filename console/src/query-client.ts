import { QueryClient } from "@tanstack/react-query";
import { isUnreachable } from "./errors.ts";

/** Age at which data is refetched. Younger data is kept current by the live stream. */
const STALE_AFTER_MS = 60_000;
const RETRIES_MAX = 1;

/** Returns the cache for everything that the page reads from the server. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: STALE_AFTER_MS,
        // Without a network, a page reports the error instead of waiting.
        networkMode: "always",
        retry: (failures, error) =>
          failures < RETRIES_MAX && navigator.onLine && isUnreachable(error),
      },
    },
  });
}
