import assert from "node:assert/strict";
import { createTestClient, countResults, createHttp2Request } from "../support/http2-peer.ts";
import {
  startNghttpd,
  startNginxHttp2Server,
  type IndependentHttp2Server,
} from "../support/independent-http2.ts";
import { RESPONSE_MAX_BYTES } from "#providers/post.ts";
import type { Http2Client, Http2Exchange } from "#providers/http2/http2.ts";
import { test, type TestContext } from "node:test";

/** Body sizes: empty, those of pushes, more than one frame, and more than any window. */
const BODY_SIZES_BYTES = [0, 1, 400, 4_096, 20_000, 100_000] as const;

function createClient(
  t: TestContext,
  { origin, ca }: IndependentHttp2Server,
  connectionsMax = 1,
): Http2Client {
  return createTestClient(t, origin, {
    ca,
    connectionsMax,
    requestTimeoutMs: 30_000,
    elapsed: () => performance.now(),
  });
}

/** Makes concurrent requests with different bodies and headers, and returns how they ended. */
async function requestMany(client: Http2Client, count: number) {
  const requests = Array.from({ length: count }, (_, index) => ({
    body: Buffer.alloc(BODY_SIZES_BYTES[index % BODY_SIZES_BYTES.length] ?? 0, String(index % 10)),
    path: `/3/device/${"0".repeat(60)}${index}`,
  }));
  const ends = await Promise.all(
    requests.map(async ({ path, body }, index) => {
      const headers = {
        "apns-topic": "org.example",
        "apns-id": `id ${index}`,
        filler: "x".repeat(index % 300),
      };
      return client.request(
        createHttp2Request(path, { headers, body, neverIndexed: [":path", "apns-id"] }),
      );
    }),
  );
  return { requests, ends };
}

function assertEchoed({ requests, ends }: Awaited<ReturnType<typeof requestMany>>): void {
  for (const [index, end] of ends.entries()) {
    assert.equal(end.kind, "answered");
    const response = requireResponse(end);
    assert.equal(response.status, 200);
    const { body } = requests[index] ?? assert.fail("There is no such request.");
    assert.equal(response.body, body.subarray(0, RESPONSE_MAX_BYTES).toString());
  }
}

function requireResponse(exchange: Http2Exchange) {
  return exchange.kind === "answered" ? exchange.response : assert.fail(exchange.kind);
}

for (const [mode, options] of [
  ["with defaults", []],
  [
    "with padding, trailers and no header table",
    ["--padding=200", "--trailer=a: b", "--header-table-size=0", "--encoder-header-table-size=0"],
  ],
  [
    "with small windows and few streams",
    ["--window-bits=8", "--connection-window-bits=10", "--max-concurrent-streams=3"],
  ],
] as const) {
  test(`nghttpd ${mode} echoes every request body`, async (t) => {
    const client = createClient(t, await startNghttpd(t, options));
    assertEchoed(await requestMany(client, 600));
    // Later requests use the header tables that the first ones have filled.
    assertEchoed(await requestMany(client, 300));
  });
}

for (const [mode, directives] of [
  ["with defaults", []],
  ["that allows four streams", ["http2_max_concurrent_streams 4"]],
  ["that closes its connections every 200 requests", ["keepalive_requests 200"]],
] as const) {
  test(`nginx ${mode} answers every request`, async (t) => {
    const client = createClient(t, await startNginxHttp2Server(t, directives), 2);
    const { ends } = await requestMany(client, 600);
    assert.deepEqual(countResults(ends), { answered: 600 });
    assert.ok(
      ends.every(
        (end) => requireResponse(end).status === 200 && requireResponse(end).body === "ok",
      ),
    );
  });
}
