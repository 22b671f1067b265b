import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { Socket } from "node:net";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { Agent } from "undici";
import { startPushPeer } from "../../test/support/push-peer.ts";
import { MAX_ANSWER_BYTES, post } from "./post.ts";

const never = new AbortController().signal;

function agentFor(test: TestContext): Agent {
  const agent = new Agent();
  test.after(async () => agent.destroy());
  return agent;
}

function letter(url: string, signal: AbortSignal = never) {
  return { url: new URL(url), headers: {}, body: Buffer.from("body"), signal };
}

test("status, headers and body come back, and the query is kept", async (t) => {
  const { origin, requests } = await startPushPeer(t, (response) => {
    response.writeEarlyHints({ link: "</x>; rel=preload" });
    response.writeHead(429, { "retry-after": "2" }).end("slow down");
  });
  const exchange = await post(agentFor(t), letter(`${origin}/w/?token=a%2bb`));
  assert.ok(exchange.kind === "answered");
  assert.equal(exchange.answer.status, 429);
  assert.equal(exchange.answer.headers["retry-after"], "2");
  assert.equal(exchange.answer.body, "slow down");
  assert.deepEqual(
    requests.map(({ path, body }) => [path, body.toString()]),
    [["/w/?token=a%2bb", "body"]],
  );
});

test("of an answer of 1 GB a few kilobytes are read and the connection is closed", async (t) => {
  const sockets: Socket[] = [];
  const remember = (message: unknown): void => {
    assert.ok(typeof message === "object" && message !== null && "socket" in message);
    assert.ok(message.socket instanceof Socket);
    sockets.push(message.socket);
  };
  subscribe("undici:client:connected", remember);
  t.after(() => unsubscribe("undici:client:connected", remember));
  const { origin } = await startPushPeer(t, (response) => {
    response.writeHead(500, { "content-length": String(2 ** 30) });
    const pour = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, "x")));
    };
    response.on("drain", pour);
    pour();
  });
  const exchange = await post(agentFor(t), letter(origin));
  assert.ok(exchange.kind === "answered");
  assert.equal(exchange.answer.body.length, MAX_ANSWER_BYTES);
  const [socket] = sockets;
  assert.ok(socket?.destroyed);
  // One read of the socket takes 64 KB at most, and nothing asks for a second.
  assert.ok(socket.bytesRead <= 2 * 65_536, `${socket.bytesRead} bytes`);
});

test("a refused connection left nothing with the server", async (t) => {
  const { origin, server } = await startPushPeer(t, () => {});
  server.close();
  const exchange = await post(agentFor(t), letter(origin));
  assert.equal(exchange.kind, "unsent");
});

test("a connection that breaks after the request leaves us in doubt", async (t) => {
  const { origin } = await startPushPeer(t, (response, { path }) => {
    const cut = (): unknown => response.socket?.resetAndDestroy();
    if (path === "/hints") response.writeEarlyHints({ link: "</x>; rel=preload" }, cut);
    else cut();
  });
  const agent = agentFor(t);
  for (const path of ["/", "/hints"]) {
    const exchange = await post(agent, letter(`${origin}${path}`));
    assert.equal(exchange.kind, "lost", path);
  }
});

test("a status that came is an answer though the body broke off or never ended", async (t) => {
  const { origin } = await startPushPeer(t, (response, { path }) => {
    response.writeHead(201, { "content-length": "64" });
    response.write("{", () => {
      if (path === "/broken") response.socket?.resetAndDestroy();
    });
  });
  const agent = agentFor(t);
  const broken = await post(agent, letter(`${origin}/broken`));
  assert.ok(broken.kind === "answered");
  assert.equal(broken.answer.status, 201);
  const endless = await post(agent, letter(`${origin}/endless`, AbortSignal.timeout(1_000)));
  assert.ok(endless.kind === "answered");
  assert.equal(endless.answer.status, 201);
});

test("a signal ends a request: in doubt once it was written, unsent before", async (t) => {
  const controller = new AbortController();
  const { origin, requests, server } = await startPushPeer(t, (response) => {
    if (controller.signal.aborted) response.end();
    else controller.abort();
  });
  let connections = 0;
  server.on("connection", () => (connections += 1));
  const agent = agentFor(t);
  const written = await post(agent, letter(origin, controller.signal));
  assert.equal(written.kind, "lost");
  const late = await post(agent, letter(origin, controller.signal));
  assert.equal(late.kind, "unsent");
  // Time for an unwanted connection to appear: another request opens and closes its own.
  await post(agentFor(t), letter(origin));
  assert.deepEqual([requests.length, connections], [2, 2]);
});

test("a destroyed agent ends what is under way and takes nothing more", async (t) => {
  const agent = new Agent();
  const { origin } = await startPushPeer(t, () => {
    void agent.destroy();
  });
  assert.equal((await post(agent, letter(origin))).kind, "lost");
  assert.equal((await post(agent, letter(origin))).kind, "unsent");
});

test("a request that undici finds malformed is a fault of ours", async (t) => {
  const malformed = { ...letter("http://127.0.0.1/"), headers: { "bad\nname": "x" } };
  await assert.rejects(post(agentFor(t), malformed));
});
