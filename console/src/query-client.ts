import { QueryCache, QueryClient } from "@tanstack/react-query";
import { sessionKey } from "./accounts/session.ts";
import { isSignedOut, isUnreachable } from "./errors.ts";

/** What the live stream keeps true need not be asked for again soon. */
const STALE_AFTER_MS = 60_000;
const RETRIES = 1;

/** Returns the place of all that the page knows of the server; `onSignedOut` is told when a session ended. */
export function createQueryClient({ onSignedOut }: { readonly onSignedOut: () => void }) {
  const queryClient: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error) => {
        if (!isSignedOut(error) || queryClient.getQueryData(sessionKey) === null) return;
        queryClient.setQueryData(sessionKey, null);
        onSignedOut();
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: STALE_AFTER_MS,
        // Without a network, a page says so instead of waiting.
        networkMode: "always",
        retry: (failures, error) => failures < RETRIES && navigator.onLine && isUnreachable(error),
      },
    },
  });
  return queryClient;
}
