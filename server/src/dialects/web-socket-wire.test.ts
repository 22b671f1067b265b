import assert from "node:assert/strict";
import { ServerResponse } from "node:http";
import test from "node:test";
import { queryObjects } from "node:v8";
import { openWebSocket, startNtfyServer } from "../../test/support/ntfy-subscriber.ts";

const APP_COUNT = 20;
/** Node keeps the request and the response of a connection until its parser has another one. */
const KEPT_BY_NODE_MAX = 5;

test("a connected app keeps neither its request nor its response in memory", async (t) => {
  const { url } = await startNtfyServer(t);
  const countBefore = countResponses();
  for (let count = 0; count < APP_COUNT; count += 1) {
    const app = await openWebSocket(t, `${url}/backups/ws`);
    assert.match(await app.next(), /"event":"open"/);
  }
  // A response keeps its request.
  const keptCount = countResponses() - countBefore;
  assert.ok(keptCount <= KEPT_BY_NODE_MAX, `${keptCount} responses are in memory.`);
});

/** Collects garbage, and returns the number of responses that are left. */
function countResponses(): number {
  return queryObjects(ServerResponse, { format: "count" });
}
