import { Semaphore } from "#concurrency/semaphore.ts";
import { surfaceOfPath } from "./answer.ts";
import type { Server } from "./server.ts";

/** Reads handled concurrently: a page of a list takes up to some hundred kilobytes, several times over while it is made. */
const READS_MAX = 16;

/** Limits concurrent reads of the app API, so that many of them need the memory of a few. */
export function limitReads(server: Server): void {
  const reads = new Semaphore(READS_MAX);
  server.addHook("onRoute", (route) => {
    if (route.method !== "GET" || surfaceOfPath(route.url) !== "app") return;
    const { handler } = route;
    route.handler = function readOnce(request, reply) {
      return reads.use(async () => handler.call(this, request, reply));
    };
  });
}
