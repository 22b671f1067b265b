import { createClient } from "@tocsin/sdk";

let notifyUnauthenticated = () => {};

/** Sets the listener that is called after each response with the status 401. */
export function setUnauthenticatedListener(listener: () => void): void {
  notifyUnauthenticated = listener;
}

/** Client for the server that served this page. The browser sends the session cookie. */
export const client = createClient({ baseUrl: location.origin, fetch: request });

/** Returns a client that calls `onRequest` before each request and `onResponse` after each successful one. */
export function createClientWithListeners(listeners: {
  readonly onRequest: () => void;
  readonly onResponse: () => void;
}) {
  return createClient({
    baseUrl: location.origin,
    fetch: async (url, init) => {
      listeners.onRequest();
      const response = await request(url, init);
      if (response.ok) listeners.onResponse();
      return response;
    },
  });
}

async function request(...args: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...args);
  if (response.status === 401) notifyUnauthenticated();
  return response;
}
