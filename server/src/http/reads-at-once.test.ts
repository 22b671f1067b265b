import assert from "node:assert/strict";
import test from "node:test";
import { pino } from "pino";
import { createServer } from "./server.ts";

/** Returns the highest number of these requests handled concurrently. */
async function mostAtOnce(method: "GET" | "POST", path: string): Promise<number> {
  const log = pino({ level: "silent" });
  const server = createServer({ log, newId: () => "id", trustProxy: false });
  let [running, most] = [0, 0];
  server.route({
    method,
    url: path,
    handler: async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return { success: true };
    },
  });
  const asking = Array.from({ length: 100 }, () => server.inject({ method, url: path }));
  for (const { statusCode } of await Promise.all(asking)) assert.equal(statusCode, 200);
  return most;
}

test("a few reads of the app API run at a time, and all of them run", async () => {
  assert.equal(await mostAtOnce("GET", "/api/app/v1/things"), 16);
});

test("writes and sends wait for no read", async () => {
  assert.equal(await mostAtOnce("POST", "/api/app/v1/things"), 100);
  assert.equal(await mostAtOnce("GET", "/api/v1/notify/key"), 100);
});
