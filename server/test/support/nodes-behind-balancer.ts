import assert from "node:assert/strict";
import { createServer, type AddressInfo, type Server } from "node:net";
import { after, type TestContext } from "node:test";
import { Agent, setGlobalDispatcher } from "undici";
import type { App } from "../../src/app.ts";

/** Number of nodes of every app in a test, which share a database behind a balancer. */
export const NODE_COUNT = Number(process.env["TOCSIN_TEST_NODES"] ?? "1");

/** With fewer requests the shares of the nodes are not meaningful. */
const REQUESTS_MIN = 30;
const requestCounts = Array.from({ length: NODE_COUNT }, () => 0);

if (NODE_COUNT > 1) {
  // A reused connection would stay with one node.
  setGlobalDispatcher(new Agent({ pipelining: 0 }));
  after(() => {
    const totalCount = requestCounts.reduce((sum, count) => sum + count, 0);
    const isFair = requestCounts.every((count) => count > totalCount / NODE_COUNT / 2);
    assert.ok(
      totalCount < REQUESTS_MIN || isFair,
      `Requests at each node: ${requestCounts.join(", ")}`,
    );
  });
}

/** Starts nodes behind a balancer and returns them as one app: the first node, whose `drain` and `stop` apply to all. */
export async function startBehindBalancer(
  test: TestContext,
  nodes: readonly [App, ...App[]],
): Promise<{ readonly app: App; readonly url: string }> {
  const [firstNode] = nodes;
  if (nodes.length === 1) return { app: firstNode, url: await firstNode.start() };
  for (const [index, { server }] of nodes.entries()) {
    server.server.on("request", () => {
      requestCounts[index] = (requestCounts[index] ?? 0) + 1;
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
  // A server that listens on a port has an address of this type.
  const { port } = balancer.address() as AddressInfo;
  return { app: { ...firstNode, drain, stop }, url: `http://127.0.0.1:${port}` };
}

/** Starts a balancer that passes each new connection to the next node unchanged, so that bytes and addresses stay the same. */
async function startBalancer(nodes: readonly App[]): Promise<Server> {
  let connectionCount = 0;
  const balancer = createServer({ allowHalfOpen: true, noDelay: true }, (connection) => {
    nodes[connectionCount % nodes.length]?.server.server.emit("connection", connection);
    connectionCount += 1;
  });
  await new Promise<void>((resolve) => {
    balancer.listen(0, resolve);
  });
  return balancer;
}
