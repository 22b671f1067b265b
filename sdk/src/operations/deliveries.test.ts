import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "../client.ts";
import { createJsonReply, startServer } from "../test-server.fixture.ts";

test("deliveries, team devices and left devices have the contract's paths and page parameters", async (t) => {
  const { baseUrl, requests } = await startServer(
    t,
    createJsonReply(200, { items: [], nextCursor: null }),
  );
  const client = createClient({ baseUrl, accessToken: "tok" });
  await client.feed.deliveries("n/1", { limit: 9 });
  await client.teams.devices("t", { cursor: "c" });
  await client.devices.left();
  assert.deepEqual(
    requests.map(({ method, url }) => `${method} ${url}`),
    [
      "GET /api/app/v1/feed/n%2F1/deliveries?limit=9",
      "GET /api/app/v1/teams/t/devices?cursor=c",
      "GET /api/app/v1/devices/left",
    ],
  );
});
