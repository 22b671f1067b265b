import { createClient } from "@tocsin/sdk";

/** Speaks to the server that this page came from; the browser keeps the session's cookie. */
export const client = createClient({ baseUrl: location.origin });

/** Returns a client whose every request tells `onAsk` when it goes out and `onAnswer` when it succeeded. */
export function createWatchedClient(watch: {
  readonly onAsk: () => void;
  readonly onAnswer: () => void;
}) {
  return createClient({
    baseUrl: location.origin,
    fetch: async (url, init) => {
      watch.onAsk();
      const response = await fetch(url, init);
      if (response.ok) watch.onAnswer();
      return response;
    },
  });
}
