import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { Socket } from "node:net";
import { test, type TestContext } from "node:test";
import { Agent } from "undici";
import { startPushPeer } from "../../test/support/push-peer.ts";
import { RESPONSE_MAX_BYTES, post } from "./post.ts";

const neverAborted = new AbortController().signal;

function createAgent(t: TestContext): Agent {
  const agent = new Agent();
  t.after(async () => agent.destroy());
  return agent;
}

function createRequest(url: string, signal: AbortSignal = neverAborted) {
  return { url: new URL(url), headers: {}, body: Buffer.from("body"), signal };
}

test("post sends the query and the body, and returns the final status, headers and body", async (t) => {
  const { origin, requests } = await startPushPeer(t, (response) => {
    response.writeEarlyHints({ link: "</x>; rel=preload" });
    response.writeHead(429, { "retry-after": "2" }).end("slow down");
  });
  const exchange = await post(createAgent(t), createRequest(`${origin}/w/?token=a%2bb`));
  assert.ok(exchange.kind === "answered");
  assert.equal(exchange.response.status, 429);
  assert.equal(exchange.response.headers["retry-after"], "2");
  assert.equal(exchange.response.body, "slow down");
  assert.deepEqual(
    requests.map(({ path, body }) => [path, body.toString()]),
    [["/w/?token=a%2bb", "body"]],
  );
});

test("a 1 GB response is cut at 4 KB and not read to its end", async (t) => {
  const sockets: Socket[] = [];
  const collectSocket = (message: unknown): void => {
    assert.ok(typeof message === "object" && message !== null && "socket" in message);
    assert.ok(message.socket instanceof Socket);
    sockets.push(message.socket);
  };
  subscribe("undici:client:connected", collectSocket);
  t.after(() => unsubscribe("undici:client:connected", collectSocket));
  const { origin } = await startPushPeer(t, (response) => {
    response.writeHead(500, { "content-length": String(2 ** 30) });
    const writeMore = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, "x")));
    };
    response.on("drain", writeMore);
    writeMore();
  });
  const exchange = await post(createAgent(t), createRequest(origin));
  assert.ok(exchange.kind === "answered");
  assert.equal(exchange.response.body.length, RESPONSE_MAX_BYTES);
  const [socket] = sockets;
  assert.ok(socket?.destroyed);
  // One read of the socket returns at most 64 KB, and nothing requests a second.
  assert.ok(socket.bytesRead <= 2 * 65_536, `${socket.bytesRead} bytes`);
});

test("a refused connection means that nothing was sent", async (t) => {
  const { origin, server } = await startPushPeer(t, () => {});
  server.close();
  const exchange = await post(createAgent(t), createRequest(origin));
  assert.equal(exchange.kind, "unsent");
});

test("a request is lost if the connection breaks after it was written", async (t) => {
  const { origin } = await startPushPeer(t, (response, { path }) => {
    const reset = (): unknown => response.socket?.resetAndDestroy();
    if (path === "/hints") response.writeEarlyHints({ link: "</x>; rel=preload" }, reset);
    else reset();
  });
  const agent = createAgent(t);
  for (const path of ["/", "/hints"]) {
    const exchange = await post(agent, createRequest(`${origin}${path}`));
    assert.equal(exchange.kind, "lost", path);
  }
});

test("a response with a status is kept even if its body breaks off or never ends", async (t) => {
  const { origin } = await startPushPeer(t, (response, { path }) => {
    response.writeHead(201, { "content-length": "64" });
    response.write("{", () => {
      if (path === "/broken") response.socket?.resetAndDestroy();
    });
  });
  const agent = createAgent(t);
  const brokenExchange = await post(agent, createRequest(`${origin}/broken`));
  assert.ok(brokenExchange.kind === "answered");
  assert.equal(brokenExchange.response.status, 201);
  const endlessExchange = await post(
    agent,
    createRequest(`${origin}/endless`, AbortSignal.timeout(1_000)),
  );
  assert.ok(endlessExchange.kind === "answered");
  assert.equal(endlessExchange.response.status, 201);
});

test("an aborted request is lost if it was written, and unsent if it was not", async (t) => {
  const controller = new AbortController();
  const { origin, requests, server } = await startPushPeer(t, (response) => {
    if (controller.signal.aborted) response.end();
    else controller.abort();
  });
  let connectionCount = 0;
  server.on("connection", () => (connectionCount += 1));
  const agent = createAgent(t);
  const lostExchange = await post(agent, createRequest(origin, controller.signal));
  assert.equal(lostExchange.kind, "lost");
  const unsentExchange = await post(agent, createRequest(origin, controller.signal));
  assert.equal(unsentExchange.kind, "unsent");
  // Another request, with its own connection, gives an unwanted connection time to appear.
  await post(createAgent(t), createRequest(origin));
  assert.deepEqual([requests.length, connectionCount], [2, 2]);
});

test("a destroyed agent ends open requests and sends no more", async (t) => {
  const agent = new Agent();
  const { origin } = await startPushPeer(t, () => {
    void agent.destroy();
  });
  assert.equal((await post(agent, createRequest(origin))).kind, "lost");
  assert.equal((await post(agent, createRequest(origin))).kind, "unsent");
});

test("post rejects a request that undici finds malformed", async (t) => {
  const malformed = { ...createRequest("http://127.0.0.1/"), headers: { "bad\nname": "x" } };
  await assert.rejects(post(createAgent(t), malformed));
});
