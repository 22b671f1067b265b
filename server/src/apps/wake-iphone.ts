import { createHash } from "node:crypto";
import { Semaphore } from "#concurrency/semaphore.ts";
import type { Wake, Waker, WakeResult } from "./waker.ts";

/** The server of ntfy that is asked. */
interface Upstream {
  /** An origin, without a trailing slash. */
  readonly url: string;
  /** An access token of an account there; null for requests without one. */
  readonly token: string | null;
}

/** The dependencies of the requests to wake iPhones. */
export interface IphoneWakerDeps {
  readonly upstream: Upstream;
  /** The address of this server as people type it into the app, without a trailing slash. */
  readonly baseUrl: string;
  /** Returns a signal that aborts after this time. */
  readonly createTimeout: (milliseconds: number) => AbortSignal;
}

/** The maximum time of a request, its wait for others included. */
const REQUEST_MAX_MS = 10_000;
/** The maximum number of simultaneous requests. */
const CONCURRENT_REQUESTS_MAX = 8;

/**
 * Returns the function that asks an upstream server of ntfy to wake iPhones. The app has no connection of its own: Apple
 * wakes it, on behalf of the upstream alone, and then it fetches the message here. (binwiederhier/ntfy: server/server.go,
 * forwardPollRequest)
 */
export function createIphoneWaker(deps: IphoneWakerDeps): Waker {
  const { host } = new URL(deps.upstream.url);
  const semaphore = new Semaphore(CONCURRENT_REQUESTS_MAX);
  return async (wake, jobSignal): Promise<WakeResult> => {
    const timeout = deps.createTimeout(REQUEST_MAX_MS);
    const signal = AbortSignal.any([jobSignal, timeout]);
    try {
      const release = await semaphore.acquire(signal);
      try {
        return { host, problem: describeStatus(await requestWake(deps, wake, signal)) };
      } finally {
        release();
      }
    } catch {
      return { host, problem: timeout.aborted ? "it did not answer" : "it cannot be reached" };
    }
  };
}

/** Returns the status of the response. The upstream learns a hash of the topic, and the id, but no text. */
async function requestWake(
  { upstream: { url, token }, baseUrl }: IphoneWakerDeps,
  { topic, notificationId }: Wake,
  signal: AbortSignal,
): Promise<number> {
  const hash = createHash("sha256").update(`${baseUrl}/${topic}`).digest("hex");
  const response = await fetch(`${url}/${hash}`, {
    method: "POST",
    headers: {
      "x-poll-id": notificationId,
      "user-agent": "tocsin",
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    },
    redirect: "manual",
    signal,
  });
  await response.body?.cancel();
  return response.status;
}

function describeStatus(status: number): string | null {
  if (status === 200) return null;
  if (status === 429) return "it takes no more requests today (429)";
  if (status === 401 || status === 403) return `it refuses TOCSIN_NTFY_UPSTREAM_TOKEN (${status})`;
  return `it answered with the status ${status}`;
}
