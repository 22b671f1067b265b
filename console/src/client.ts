import { createClient } from "@tocsin/sdk";

let tellUnauthenticated = () => {};

/** Sets the listener that is called whenever the server answers that the caller has no session. */
export function onUnauthenticated(listener: () => void): void {
  tellUnauthenticated = listener;
}

/** Client of the server that this page came from; the browser keeps the session cookie. */
export const client = createClient({ baseUrl: location.origin, fetch: ask });

/** Returns a client that calls `onAsk` before each request and `onAnswer` after each success. */
export function createWatchedClient(watch: {
  readonly onAsk: () => void;
  readonly onAnswer: () => void;
}) {
  return createClient({
    baseUrl: location.origin,
    fetch: async (url, init) => {
      watch.onAsk();
      const response = await ask(url, init);
      if (response.ok) watch.onAnswer();
      return response;
    },
  });
}

async function ask(...request: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...request);
  if (response.status === 401) tellUnauthenticated();
  return response;
}
