import { Semaphore } from "#concurrency/semaphore.ts";
import { surfaceOfPath } from "./answer.ts";
import type { Server } from "./server.ts";

/** A page of a list is up to some hundred kilobytes, in several forms while it is made; so many are made at once. */
const READS_MAX = 16;

/** Makes reads of the app API wait in line, so that many at once need the memory of a few. */
export function readInTurn(server: Server): void {
  const reads = new Semaphore(READS_MAX);
  server.addHook("onRoute", (route) => {
    if (route.method !== "GET" || surfaceOfPath(route.url) !== "app") return;
    const { handler } = route;
    route.handler = function readOnce(request, reply) {
      return reads.use(async () => handler.call(this, request, reply));
    };
  });
}
