import assert from "node:assert/strict";
import { createServer, type AddressInfo, type Server } from "node:net";
import { after, type TestContext } from "node:test";
import { Agent, setGlobalDispatcher } from "undici";
import type { App } from "../../src/app.ts";

/** Set, every app of a test is that many on one database, behind a balancer. */
export const NODES = Number(process.env["TOCSIN_TEST_NODES"] ?? "1");

/** Fewer requests than this say nothing about shares. */
const REQUESTS_MIN = 30;
const asked = Array.from({ length: NODES }, () => 0);

if (NODES > 1) {
  // A kept connection would stay with one node.
  setGlobalDispatcher(new Agent({ pipelining: 0 }));
  after(() => {
    const all = asked.reduce((sum, count) => sum + count, 0);
    const isFair = asked.every((count) => count > all / NODES / 2);
    assert.ok(all < REQUESTS_MIN || isFair, `Requests at each node: ${asked.join(", ")}`);
  });
}

/** Starts nodes behind a balancer, and returns them as one app: the first one, but what ends it ends all. */
export async function startTogether(
  test: TestContext,
  nodes: readonly [App, ...App[]],
): Promise<{ readonly app: App; readonly url: string }> {
  const [first] = nodes;
  if (nodes.length === 1) return { app: first, url: await first.start() };
  for (const [index, { server }] of nodes.entries()) {
    server.server.on("request", () => {
      asked[index] = (asked[index] ?? 0) + 1;
    });
  }
  await Promise.all(nodes.map((node) => node.start()));
  const balancer = await startBalancer(nodes);
  test.after(() => balancer.close());
  const stop = async () => {
    balancer.close();
    await Promise.all(nodes.map((node) => node.stop()));
  };
  const drain = () => {
    for (const node of nodes) node.drain();
  };
  // A server that listens on a port has this address.
  const { port } = balancer.address() as AddressInfo;
  return { app: { ...first, drain, stop }, url: `http://127.0.0.1:${port}` };
}

/** Each new connection is given to the next node as it is, so that no byte and no address is another than without it. */
async function startBalancer(nodes: readonly App[]): Promise<Server> {
  let made = 0;
  const balancer = createServer({ allowHalfOpen: true, noDelay: true }, (connection) => {
    nodes[made % nodes.length]?.server.server.emit("connection", connection);
    made += 1;
  });
  await new Promise<void>((resolve) => {
    balancer.listen(0, resolve);
  });
  return balancer;
}
