import assert from "node:assert/strict";
import { once } from "node:events";
import { createSecureServer } from "node:http2";
import { connect } from "node:net";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { Agent } from "undici";
import { startPushPeer } from "../../../test/support/push-peer.ts";
import { makeCertificate } from "../../../test/doubles/certificate.ts";
import { AddressNotAllowedError, createGuardedConnector, guardLookup } from "./address-guard.ts";
import type { GuardSettings } from "./address-guard.ts";
import { isDeniedAddress } from "./denied-address.ts";
import { post } from "../post.ts";

const policy = { mode: "open", extraHosts: [], allowOrigins: [] } as const;
const LOOPBACK = "127.0.0.1";

/** Treats loopback as public, because a test can connect to no other address on this machine. */
function isDeniedButLoopback(address: string): boolean {
  return address !== LOOPBACK && isDeniedAddress(address);
}

function agentWith(test: TestContext, change: Partial<GuardSettings>): Agent {
  const agent = new Agent({
    connect: createGuardedConnector({ policy, ...change }),
    pipelining: 0,
  });
  test.after(async () => agent.destroy());
  return agent;
}

async function ask(agent: Agent, url: string) {
  const signal = AbortSignal.timeout(4_000);
  return post(agent, { url: new URL(url), headers: {}, body: Buffer.from("x"), signal });
}

/** Resolves with the addresses that the guard gives to a socket. */
async function lookUp(addresses: readonly string[], all = true): Promise<unknown> {
  const lookup = guardLookup(async () => addresses, isDeniedAddress);
  return new Promise((resolve, reject) => {
    lookup("push.example.org", { all }, (error, found) => {
      if (error === null) resolve(found);
      else reject(error);
    });
  });
}

test("public addresses are handed to the socket, in both forms it may ask for", async () => {
  const addresses = ["1.1.1.1", "2606:4700:4700::1111"];
  assert.deepEqual(await lookUp(addresses), [
    { address: "1.1.1.1", family: 4 },
    { address: "2606:4700:4700::1111", family: 6 },
  ]);
  assert.equal(await lookUp(addresses, false), "1.1.1.1");
});

test("one private address among public ones refuses the host", async () => {
  for (const hidden of ["127.0.0.1", "10.0.0.1", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1"]) {
    await assert.rejects(lookUp(["1.1.1.1", "2606:4700::1111", hidden]), AddressNotAllowedError);
  }
});

test("a host without addresses is not reached, which is no refusal", async () => {
  await assert.rejects(lookUp([]), (error) => !(error instanceof AddressNotAllowedError));
});

test("a private address is never connected to", async (t) => {
  const { origin, requests } = await startPushPeer(t, (response) => response.end());
  const { port } = new URL(origin);
  const agent = agentWith(t, { resolve: async () => ["1.1.1.1", LOOPBACK] });
  const exchange = await ask(agent, `http://rebind.example.org:${port}/`);
  assert.ok(exchange.kind === "unsent");
  assert.ok(exchange.error instanceof AddressNotAllowedError);
  assert.equal(requests.length, 0);
});

test("IP literals, which Node looks up nowhere, are refused", async (t) => {
  const { origin, requests } = await startPushPeer(t, (response) => response.end());
  const { port } = new URL(origin);
  const agent = agentWith(t, {});
  for (const host of ["127.0.0.1", "2130706433", "[::1]", "[::ffff:127.0.0.1]", "8.8.8.8"]) {
    const exchange = await ask(agent, `http://${host}:${port}/`);
    assert.ok(exchange.kind === "unsent", host);
    assert.ok(exchange.error instanceof AddressNotAllowedError, host);
  }
  assert.equal(requests.length, 0);
});

test("a name that changes its address after the check leads nowhere else", async (t) => {
  const { origin, requests } = await startPushPeer(t, (response) => {
    response.writeHead(201, { connection: "close" }).end();
  });
  const { port } = new URL(origin);
  const answers = [[LOOPBACK], ["10.0.0.1"]];
  const asked: string[] = [];
  const agent = agentWith(t, {
    isDenied: isDeniedButLoopback,
    resolve: async (hostname) => {
      asked.push(hostname);
      return answers.shift() ?? [];
    },
  });
  const url = `http://rebind.example.org:${port}/`;
  const first = await ask(agent, url);
  assert.equal(first.kind, "answered");
  // One DNS answer serves the check and the connection.
  assert.deepEqual(asked, ["rebind.example.org"]);
  const second = await ask(agent, url);
  assert.ok(second.kind === "unsent");
  assert.ok(second.error instanceof AddressNotAllowedError);
  assert.equal(requests.length, 1);
});

test("a socket that ended up elsewhere than allowed is closed before it is used", async (t) => {
  const { origin, requests } = await startPushPeer(t, (response) => response.end());
  const { port } = new URL(origin);
  let checks = 0;
  // Allows the address at lookup and denies it once connected.
  const agent = agentWith(t, { resolve: async () => [LOOPBACK], isDenied: () => checks++ > 0 });
  const exchange = await ask(agent, `http://push.example.org:${port}/`);
  assert.ok(exchange.kind === "unsent");
  assert.ok(exchange.error instanceof AddressNotAllowedError);
  assert.equal(requests.length, 0);
});

test("an exempt origin is connected to, and none but it", async (t) => {
  const exempt = await startPushPeer(t, (response) => response.end());
  const other = await startPushPeer(t, (response) => response.end());
  const agent = agentWith(t, { policy: { ...policy, allowOrigins: [exempt.origin] } });
  assert.equal((await ask(agent, exempt.origin)).kind, "answered");
  assert.equal((await ask(agent, other.origin)).kind, "unsent");
  assert.equal(other.requests.length, 0);
});

test("over TLS the name is verified and HTTP/2 spoken with the address checked", async (t) => {
  const { cert, key } = makeCertificate(["push.example.org"]);
  const server = createSecureServer({ cert, key, allowHTTP1: true }, (request, response) => {
    response.writeHead(201, { "x-version": request.httpVersion }).end();
  });
  server.listen(0, LOOPBACK);
  await once(server, "listening");
  t.after(() => server.close());
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  const guard = { isDenied: isDeniedButLoopback, resolve: async () => [LOOPBACK] };
  const url = `https://push.example.org:${address.port}/x`;

  const trusting = await ask(agentWith(t, { ...guard, ca: cert }), url);
  assert.ok(trusting.kind === "answered");
  assert.equal(trusting.answer.headers["x-version"], "2.0");
  const unknown = await ask(agentWith(t, guard), url);
  assert.equal(unknown.kind, "unsent");
  const misnamed = url.replace("push.", "other.");
  assert.equal((await ask(agentWith(t, { ...guard, ca: cert }), misnamed)).kind, "unsent");
});

test("the guard's lookup serves a plain socket too", async (t) => {
  const { origin } = await startPushPeer(t, (response) => response.end());
  const lookup = guardLookup(async () => [LOOPBACK], isDeniedButLoopback);
  const socket = connect({ host: "push.example.org", port: Number(new URL(origin).port), lookup });
  t.after(() => socket.destroy());
  await once(socket, "connect");
  assert.equal(socket.remoteAddress, LOOPBACK);
});
