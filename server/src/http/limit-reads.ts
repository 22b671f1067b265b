import { Semaphore } from "#concurrency/semaphore.ts";
import { getApiNameOfPath } from "./error-response.ts";
import type { Server } from "./server.ts";

/**
 * The maximum number of concurrent reads. One page of a list has a few hundred kilobytes, and needs several times as
 * much memory while it is built.
 */
const CONCURRENT_READS_MAX = 16;

/** Limits the concurrent reads of the app API, so that a burst of them needs little memory. */
export function limitReads(server: Server): void {
  const reads = new Semaphore(CONCURRENT_READS_MAX);
  server.addHook("onRoute", (route) => {
    if (route.method !== "GET" || getApiNameOfPath(route.url) !== "app") return;
    const { handler } = route;
    route.handler = function limitedHandler(request, reply) {
      return reads.use(async () => handler.call(this, request, reply));
    };
  });
}
