import { QueryClient } from "@tanstack/react-query";
import { isUnreachable } from "./errors.ts";

/** Age from which data is fetched again: the live stream keeps it current meanwhile. */
const STALE_AFTER_MS = 60_000;
const RETRIES = 1;

/** Returns the cache of all that the page knows of the server. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: STALE_AFTER_MS,
        // Without a network, a page reports that instead of waiting.
        networkMode: "always",
        retry: (failures, error) => failures < RETRIES && navigator.onLine && isUnreachable(error),
      },
    },
  });
}
