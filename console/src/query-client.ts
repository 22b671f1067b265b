import { QueryClient } from "@tanstack/react-query";
import { isUnreachable } from "./errors.ts";

/** What the live stream keeps true need not be asked for again soon. */
const STALE_AFTER_MS = 60_000;
const RETRIES = 1;

/** Returns the place of all that the page knows of the server. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: STALE_AFTER_MS,
        // Without a network, a page says so instead of waiting.
        networkMode: "always",
        retry: (failures, error) => failures < RETRIES && navigator.onLine && isUnreachable(error),
      },
    },
  });
}
