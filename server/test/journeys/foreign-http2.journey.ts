import assert from "node:assert/strict";
import { clientOf, kindsOf, requestTo } from "../support/http2-peer.ts";
import { startNghttpd, startNginx } from "../support/foreign-http2.ts";
import type { ForeignServer } from "../support/foreign-http2.ts";
import { MAX_ANSWER_BYTES } from "#providers/post.ts";
import type { Http2Client, Http2Exchange } from "#providers/http2/http2.ts";
import { test } from "node:test";
import type { TestContext } from "node:test";

/** Nothing, a push, more than a frame holds, and more than any window. */
const SIZES = [0, 1, 400, 4_096, 20_000, 100_000] as const;

function connectTo(t: TestContext, { origin, ca }: ForeignServer, connectionsMax = 1): Http2Client {
  return clientOf(t, origin, {
    ca,
    connectionsMax,
    requestTimeoutMs: 30_000,
    elapsed: () => performance.now(),
  });
}

/** Makes so many requests at once, whose bodies and headers differ, and returns how they ended. */
async function askMany(client: Http2Client, count: number) {
  const asked = Array.from({ length: count }, (_, index) => ({
    body: Buffer.alloc(SIZES[index % SIZES.length] ?? 0, String(index % 10)),
    path: `/3/device/${"0".repeat(60)}${index}`,
  }));
  const ends = await Promise.all(
    asked.map(async ({ path, body }, index) => {
      const headers = {
        "apns-topic": "org.example",
        "apns-id": `id ${index}`,
        filler: "x".repeat(index % 300),
      };
      return client.request(requestTo(path, { headers, body, neverIndexed: [":path", "apns-id"] }));
    }),
  );
  return { asked, ends };
}

function assertEchoed({ asked, ends }: Awaited<ReturnType<typeof askMany>>): void {
  for (const [index, end] of ends.entries()) {
    assert.equal(end.kind, "answered");
    const answer = answerOf(end);
    assert.equal(answer.status, 200);
    const { body } = asked[index] ?? assert.fail("Nobody asked.");
    assert.equal(answer.body, body.subarray(0, MAX_ANSWER_BYTES).toString());
  }
}

function answerOf(end: Http2Exchange) {
  return end.kind === "answered" ? end.answer : assert.fail(end.kind);
}

for (const [what, options] of [
  ["as it is", []],
  [
    "with padding, trailers and no table",
    ["--padding=200", "--trailer=a: b", "--header-table-size=0", "--encoder-header-table-size=0"],
  ],
  [
    "with small windows and few streams",
    ["--window-bits=8", "--connection-window-bits=10", "--max-concurrent-streams=3"],
  ],
] as const) {
  test(`nghttpd ${what} sends back what it gets`, async (t) => {
    const client = connectTo(t, await startNghttpd(t, options));
    assertEchoed(await askMany(client, 600));
    // Later frames meet the present state of the tables.
    assertEchoed(await askMany(client, 300));
  });
}

for (const [what, directives] of [
  ["as it is", []],
  ["that allows four streams", ["http2_max_concurrent_streams 4"]],
  ["that closes its connections every 200 requests", ["keepalive_requests 200"]],
] as const) {
  test(`nginx ${what} answers every request`, async (t) => {
    const client = connectTo(t, await startNginx(t, directives), 2);
    const { ends } = await askMany(client, 600);
    assert.deepEqual(kindsOf(ends), { answered: 600 });
    assert.ok(ends.every((end) => answerOf(end).status === 200 && answerOf(end).body === "ok"));
  });
}
