import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { startPushPeer } from "../../../test/support/push-peer.ts";
import { createHttp1Client } from "./http1-client.ts";

function openClient(t: TestContext, origin: string, connectionsMax = 1) {
  const client = createHttp1Client({ origin, connectionsMax });
  t.after(async () => client.close());
  const request = async (path: string, signal = AbortSignal.timeout(4_000)) => {
    const headers = { authorization: "Bearer x" };
    const body = Buffer.from("body");
    return client.request({ path, headers, neverIndexed: ["authorization"], body, signal });
  };
  return { client, request };
}

test("a request goes to the origin with its path and headers", async (t) => {
  const { origin, requests } = await startPushPeer(t, (response) =>
    response.writeHead(404).end("no"),
  );
  const { request } = openClient(t, origin);
  const exchange = await request("/v1/projects/a%3Ab/messages:send");
  assert.ok(exchange.kind === "answered");
  assert.deepEqual([exchange.response.status, exchange.response.body], [404, "no"]);
  exchange.connection.retire();
  const [received] = requests;
  assert.equal(received?.path, "/v1/projects/a%3Ab/messages:send");
  assert.equal(received.headers.authorization, "Bearer x");
  assert.equal(received.body.toString(), "body");
});

test("a refused connection is reported as unreachable, and an aborted request as aborted", async (t) => {
  const { origin, server } = await startPushPeer(t, () => {});
  server.close();
  const { request } = openClient(t, origin);
  const refusedExchange = await request("/");
  assert.ok(refusedExchange.kind === "unprocessed" && refusedExchange.cause === "unreachable");
  const abortedExchange = await request("/", AbortSignal.abort());
  assert.ok(abortedExchange.kind === "unprocessed" && abortedExchange.cause === "aborted");
});

test("a request is lost if its connection breaks", async (t) => {
  const { origin } = await startPushPeer(t, (response) => response.socket?.resetAndDestroy());
  const { request } = openClient(t, origin);
  assert.equal((await request("/")).kind, "lost");
});

test("closing ends sent requests as lost and queued ones as unprocessed", async (t) => {
  const { promise: arrived, resolve } = Promise.withResolvers<null>();
  const { origin } = await startPushPeer(t, () => resolve(null));
  const { client, request } = openClient(t, origin);
  const sentExchange = request("/");
  await arrived;
  const queuedExchange = request("/");
  await client.close();
  assert.equal((await sentExchange).kind, "lost");
  assert.equal((await queuedExchange).kind, "unprocessed");
});
