import { Semaphore } from "#concurrency/semaphore.ts";
import { surfaceOfPath } from "./answer.ts";
import type { Server } from "./server.ts";

/**
 * The maximum number of concurrent reads. One list page needs a few hundred kilobytes, and several times that while
 * it is built.
 */
const CONCURRENT_READS_MAX = 16;

/** Limits concurrent reads of the app API, so that a burst needs the memory of only a few. */
export function limitReads(server: Server): void {
  const reads = new Semaphore(CONCURRENT_READS_MAX);
  server.addHook("onRoute", (route) => {
    if (route.method !== "GET" || surfaceOfPath(route.url) !== "app") return;
    const { handler } = route;
    route.handler = function limitedHandler(request, reply) {
      return reads.use(async () => handler.call(this, request, reply));
    };
  });
}
