/** Timeout of a request. Browsers terminate a worker that takes much longer. */
const REQUEST_TIMEOUT_MS = 20_000;

/** Sends JSON to the server, with the session. Rejects unless the response is a success. */
export function postJson(path: string, body: object): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return fetchOrThrow(path, { method: "POST", headers, body: JSON.stringify(body) });
}

/** Sends a request to the server, with the session. Rejects unless the response is a success. */
export async function fetchOrThrow(path: string, init: RequestInit): Promise<Response> {
  const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  const response = await fetch(path, { ...init, signal });
  if (!response.ok) throw new Error(`The server returned ${response.status}.`);
  return response;
}
