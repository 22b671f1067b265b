import { createClient } from "@tocsin/sdk";

let tellUnauthenticated = () => {};

/** Has `listener` told whenever the server answers that it knows no session of who asked. */
export function onUnauthenticated(listener: () => void): void {
  tellUnauthenticated = listener;
}

/** Speaks to the server that this page came from; the browser keeps the session's cookie. */
export const client = createClient({ baseUrl: location.origin, fetch: ask });

/** Returns a client whose every request tells `onAsk` when it goes out and `onAnswer` when it succeeded. */
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
