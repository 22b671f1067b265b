import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { startPushPeer } from "../../../test/support/push-peer.ts";
import { createHttp1Client } from "./http1-client.ts";

function clientFor(t: TestContext, origin: string, connectionsMax = 1) {
  const client = createHttp1Client({ origin, connectionsMax });
  t.after(async () => client.close());
  const ask = async (path: string, signal = AbortSignal.timeout(4_000)) => {
    const headers = { authorization: "Bearer x" };
    const body = Buffer.from("body");
    return client.request({ path, headers, neverIndexed: ["authorization"], body, signal });
  };
  return { client, ask };
}

test("a request goes to the origin with its path and headers", async (t) => {
  const { origin, requests } = await startPushPeer(t, (response) =>
    response.writeHead(404).end("no"),
  );
  const { ask } = clientFor(t, origin);
  const exchange = await ask("/v1/projects/a%3Ab/messages:send");
  assert.ok(exchange.kind === "answered");
  assert.deepEqual([exchange.answer.status, exchange.answer.body], [404, "no"]);
  exchange.connection.retire();
  const [hit] = requests;
  assert.equal(hit?.path, "/v1/projects/a%3Ab/messages:send");
  assert.equal(hit.headers.authorization, "Bearer x");
  assert.equal(hit.body.toString(), "body");
});

test("no connection is unreachable, and a signal that fired first is given up", async (t) => {
  const { origin, server } = await startPushPeer(t, () => {});
  server.close();
  const { ask } = clientFor(t, origin);
  const refused = await ask("/");
  assert.ok(refused.kind === "unsent" && refused.cause === "unreachable");
  const late = await ask("/", AbortSignal.abort());
  assert.ok(late.kind === "unsent" && late.cause === "given up");
});

test("a connection that breaks after the request loses it", async (t) => {
  const { origin } = await startPushPeer(t, (response) => response.socket?.resetAndDestroy());
  const { ask } = clientFor(t, origin);
  assert.equal((await ask("/")).kind, "lost");
});

test("closing ends what is under way as lost and what waits as unsent", async (t) => {
  const { promise: arrived, resolve } = Promise.withResolvers<null>();
  const { origin } = await startPushPeer(t, () => resolve(null));
  const { client, ask } = clientFor(t, origin);
  const sent = ask("/");
  await arrived;
  const waiting = ask("/");
  await client.close();
  assert.equal((await sent).kind, "lost");
  assert.equal((await waiting).kind, "unsent");
});
