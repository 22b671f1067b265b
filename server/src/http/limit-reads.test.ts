import assert from "node:assert/strict";
import test from "node:test";
import { pino } from "pino";
import { createServer } from "./server.ts";

/** Returns the maximum number of requests that the server handles concurrently. */
async function measureConcurrency(method: "GET" | "POST", path: string): Promise<number> {
  const log = pino({ level: "silent" });
  const server = createServer({ log, newId: () => "id", trustProxy: false });
  let runningCount = 0;
  let maximum = 0;
  server.route({
    method,
    url: path,
    handler: async () => {
      runningCount += 1;
      maximum = Math.max(maximum, runningCount);
      await new Promise((resolve) => setImmediate(resolve));
      runningCount -= 1;
      return { success: true };
    },
  });
  const responses = Array.from({ length: 100 }, () => server.inject({ method, url: path }));
  for (const { statusCode } of await Promise.all(responses)) assert.equal(statusCode, 200);
  return maximum;
}

test("reads of the app API run concurrently, up to 16 of them, and all complete", async () => {
  assert.equal(await measureConcurrency("GET", "/api/app/v1/things"), 16);
});

test("writes and sends are not limited", async () => {
  assert.equal(await measureConcurrency("POST", "/api/app/v1/things"), 100);
  assert.equal(await measureConcurrency("GET", "/api/v1/notify/key"), 100);
});
