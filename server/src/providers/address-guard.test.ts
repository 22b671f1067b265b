import assert from "node:assert/strict";
import { once } from "node:events";
import { createSecureServer } from "node:http2";
import { connect } from "node:net";
import { test, type TestContext } from "node:test";
import { Agent } from "undici";
import { startPushPeer } from "../../test/support/push-peer.ts";
import { generateCertificate } from "../../test/doubles/certificate.ts";
import {
  AddressNotAllowedError,
  createGuardedConnector,
  createGuardedLookup,
  type AddressGuardDeps,
} from "./address-guard.ts";
import { isDeniedAddress } from "./denied-address.ts";
import { post } from "./post.ts";

const policy = { allowOrigins: [] };
const LOOPBACK = "127.0.0.1";

/** Treats loopback as a public address, because a test can connect to no other address. */
function isDeniedExceptLoopback(address: string): boolean {
  return address !== LOOPBACK && isDeniedAddress(address);
}

/** Creates an agent whose connections the guard checks. It is destroyed after the test. */
function createAgent(t: TestContext, deps: Partial<AddressGuardDeps>): Agent {
  const agent = new Agent({
    connect: createGuardedConnector({ policy, ...deps }),
    pipelining: 0,
  });
  t.after(async () => agent.destroy());
  return agent;
}

async function sendRequest(agent: Agent, url: string) {
  const signal = AbortSignal.timeout(4_000);
  return post(agent, { url: new URL(url), headers: {}, body: Buffer.from("x"), signal });
}

/** Resolves with the result of the guard's lookup of a host that has these addresses. */
async function lookUp(
  addresses: readonly string[],
  options: { readonly all: boolean } = { all: true },
): Promise<unknown> {
  const lookup = createGuardedLookup(async () => addresses, isDeniedAddress);
  return new Promise((resolve, reject) => {
    lookup("push.example.org", options, (error, result) => {
      if (error === null) resolve(result);
      else reject(error);
    });
  });
}

test("the lookup yields public addresses, as a list or as a single address", async () => {
  const addresses = ["1.1.1.1", "2606:4700:4700::1111"];
  assert.deepEqual(await lookUp(addresses), [
    { address: "1.1.1.1", family: 4 },
    { address: "2606:4700:4700::1111", family: 6 },
  ]);
  assert.equal(await lookUp(addresses, { all: false }), "1.1.1.1");
});

test("a host with one private address among public ones is refused", async () => {
  for (const privateAddress of [
    "127.0.0.1",
    "10.0.0.1",
    "::1",
    "::ffff:127.0.0.1",
    "64:ff9b::7f00:1",
  ]) {
    await assert.rejects(
      lookUp(["1.1.1.1", "2606:4700::1111", privateAddress]),
      AddressNotAllowedError,
    );
  }
});

test("the lookup of a host without addresses fails, but is not reported as a refusal", async () => {
  await assert.rejects(lookUp([]), (error) => !(error instanceof AddressNotAllowedError));
});

test("the connector never connects to a private address", async (t) => {
  const { origin, requests } = await startPushPeer(t, (response) => response.end());
  const { port } = new URL(origin);
  const agent = createAgent(t, { resolve: async () => ["1.1.1.1", LOOPBACK] });
  const exchange = await sendRequest(agent, `http://rebind.example.org:${port}/`);
  assert.ok(exchange.kind === "unsent");
  assert.ok(exchange.error instanceof AddressNotAllowedError);
  assert.equal(requests.length, 0);
});

test("an IP literal is refused, although Node does not look it up", async (t) => {
  const { origin, requests } = await startPushPeer(t, (response) => response.end());
  const { port } = new URL(origin);
  const agent = createAgent(t, {});
  for (const host of ["127.0.0.1", "2130706433", "[::1]", "[::ffff:127.0.0.1]", "8.8.8.8"]) {
    const exchange = await sendRequest(agent, `http://${host}:${port}/`);
    assert.ok(exchange.kind === "unsent", host);
    assert.ok(exchange.error instanceof AddressNotAllowedError, host);
  }
  assert.equal(requests.length, 0);
});

test("a DNS change after the check does not redirect the connection", async (t) => {
  const { origin, requests } = await startPushPeer(t, (response) => {
    response.writeHead(201, { connection: "close" }).end();
  });
  const { port } = new URL(origin);
  const resolutions = [[LOOPBACK], ["10.0.0.1"]];
  const lookups: string[] = [];
  const agent = createAgent(t, {
    isDenied: isDeniedExceptLoopback,
    resolve: async (hostname) => {
      lookups.push(hostname);
      return resolutions.shift() ?? [];
    },
  });
  const url = `http://rebind.example.org:${port}/`;
  const firstExchange = await sendRequest(agent, url);
  assert.equal(firstExchange.kind, "answered");
  // One DNS answer is used for both the check and the connection.
  assert.deepEqual(lookups, ["rebind.example.org"]);
  const secondExchange = await sendRequest(agent, url);
  assert.ok(secondExchange.kind === "unsent");
  assert.ok(secondExchange.error instanceof AddressNotAllowedError);
  assert.equal(requests.length, 1);
});

test("a socket is closed before use if the address that it reached is denied", async (t) => {
  const { origin, requests } = await startPushPeer(t, (response) => response.end());
  const { port } = new URL(origin);
  let checkCount = 0;
  // The guard checks an address twice: at the lookup and once connected. Only the second check denies it.
  const agent = createAgent(t, {
    resolve: async () => [LOOPBACK],
    isDenied: () => checkCount++ > 0,
  });
  const exchange = await sendRequest(agent, `http://push.example.org:${port}/`);
  assert.ok(exchange.kind === "unsent");
  assert.ok(exchange.error instanceof AddressNotAllowedError);
  assert.equal(requests.length, 0);
});

test("an origin that the operator allows is reachable, but others on the same address are not", async (t) => {
  const allowedPeer = await startPushPeer(t, (response) => response.end());
  const otherPeer = await startPushPeer(t, (response) => response.end());
  const agent = createAgent(t, { policy: { ...policy, allowOrigins: [allowedPeer.origin] } });
  assert.equal((await sendRequest(agent, allowedPeer.origin)).kind, "answered");
  assert.equal((await sendRequest(agent, otherPeer.origin)).kind, "unsent");
  assert.equal(otherPeer.requests.length, 0);
});

test("a connection verifies the TLS certificate and its host name, and uses HTTP/2", async (t) => {
  const { cert, key } = generateCertificate(["push.example.org"]);
  const server = createSecureServer({ cert, key, allowHTTP1: true }, (request, response) => {
    response.writeHead(201, { "x-version": request.httpVersion }).end();
  });
  server.listen(0, LOOPBACK);
  await once(server, "listening");
  t.after(() => server.close());
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  const guardDeps = { isDenied: isDeniedExceptLoopback, resolve: async () => [LOOPBACK] };
  const url = `https://push.example.org:${address.port}/x`;

  const trustedExchange = await sendRequest(createAgent(t, { ...guardDeps, ca: cert }), url);
  assert.ok(trustedExchange.kind === "answered");
  assert.equal(trustedExchange.response.headers["x-version"], "2.0");
  const untrustedExchange = await sendRequest(createAgent(t, guardDeps), url);
  assert.equal(untrustedExchange.kind, "unsent");
  const misnamedUrl = url.replace("push.", "other.");
  assert.equal(
    (await sendRequest(createAgent(t, { ...guardDeps, ca: cert }), misnamedUrl)).kind,
    "unsent",
  );
});

test("the guard's lookup works with a plain socket", async (t) => {
  const { origin } = await startPushPeer(t, (response) => response.end());
  const lookup = createGuardedLookup(async () => [LOOPBACK], isDeniedExceptLoopback);
  const socket = connect({ host: "push.example.org", port: Number(new URL(origin).port), lookup });
  t.after(() => socket.destroy());
  await once(socket, "connect");
  assert.equal(socket.remoteAddress, LOOPBACK);
});
