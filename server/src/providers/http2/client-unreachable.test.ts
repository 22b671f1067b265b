import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { test, type TestContext } from "node:test";
import { generateCertificate } from "../../../test/doubles/certificate.ts";
import { listen } from "../../../test/doubles/listen.ts";
import {
  respondOk,
  requestMany,
  createTestClient,
  createHttp2Request,
  startHttp2Peer,
  startRawPeer,
} from "../../../test/support/http2-peer.ts";
import type { Http2Exchange } from "./http2.ts";

function assertUnreachable(exchanges: readonly Http2Exchange[]): void {
  for (const exchange of exchanges) {
    assert.equal(exchange.kind, "unprocessed");
    assert.equal(exchange.kind === "unprocessed" && exchange.cause, "unreachable");
  }
}

/** Returns a loopback port without a listener. */
async function findClosedPort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  const closed = once(server, "close");
  server.close();
  await closed;
  return port;
}

test("a refused connection is tried 6 times in a minute", async (t) => {
  const clock = { ms: 0 };
  const origin = `http://127.0.0.1:${await findClosedPort()}`;
  const client = createTestClient(t, origin, { elapsed: () => clock.ms, connectionsMax: 2 });
  assertUnreachable(await requestMany(client, 20));
  const errors = new Set<Error>();
  for (; clock.ms < 60_000; clock.ms += 1_000) {
    const exchange = await client.request(createHttp2Request("/"));
    assertUnreachable([exchange]);
    if (exchange.kind === "unprocessed") errors.add(exchange.error);
  }
  // Each connection attempt has its own error. The attempts are at 0, 1, 3, 7, 15 and 31 seconds.
  assert.equal(errors.size, 6);
  assert.match([...errors][0]?.message ?? "", /ECONNREFUSED/u);
});

test("a listener that resets every connection is tried at most 7 times in a minute", async (t) => {
  const clock = { ms: 0 };
  const peer = await startRawPeer(t, (socket) => socket.resetAndDestroy());
  const client = createTestClient(t, peer.origin, { elapsed: () => clock.ms });
  for (; clock.ms < 60_000; clock.ms += 1_000) {
    const exchange = await client.request(createHttp2Request("/"));
    assert.notEqual(exchange.kind, "answered");
  }
  const connectionCount = peer.connections.all.length;
  assert.ok(connectionCount >= 2 && connectionCount <= 7, `${connectionCount} connections`);
});

test("a response resets the backoff", async (t) => {
  const clock = { ms: 0 };
  const peer = await startHttp2Peer(t, (request) => {
    if (request.path === "/good") respondOk(request);
    else for (const socket of peer.sockets) socket.resetAndDestroy();
  });
  const client = createTestClient(t, peer.origin, { elapsed: () => clock.ms });
  const requestResult = async (path: string): Promise<string> => {
    const exchange = await client.request(createHttp2Request(path));
    return exchange.kind === "unprocessed" ? exchange.cause : exchange.kind;
  };
  assert.equal(await requestResult("/bad"), "lost");
  assert.equal(await requestResult("/good"), "unreachable");
  clock.ms += 1_000;
  assert.equal(await requestResult("/bad"), "lost");
  clock.ms += 1_000;
  assert.equal(await requestResult("/good"), "unreachable");
  clock.ms += 1_000;
  assert.equal(await requestResult("/good"), "answered");
  assert.equal(await requestResult("/bad"), "lost");
  // The connection had responded before, so its end causes no backoff.
  assert.equal(await requestResult("/bad"), "lost");
  clock.ms += 1_000;
  assert.equal(await requestResult("/good"), "answered");
});

test("a name that does not resolve is unreachable", async (t) => {
  const client = createTestClient(t, "https://no-such-host.invalid");
  assertUnreachable(await requestMany(client, 3));
});

test("a connection that times out is unreachable", async (t) => {
  // The peer accepts connections but never answers the TLS handshake.
  const peer = await startRawPeer(t, () => {});
  const origin = peer.origin.replace("http:", "https:");
  const client = createTestClient(t, origin, { connectTimeoutMs: 50 });
  assertUnreachable(await requestMany(client, 3));
  assertUnreachable(await requestMany(client, 3));
  assert.equal(peer.connections.all.length, 1);
});

test("only a server with a trusted certificate is reachable", async (t) => {
  const certificate = generateCertificate(["127.0.0.1"]);
  const peer = await startHttp2Peer(t, respondOk, { certificate });
  assertUnreachable(await requestMany(createTestClient(t, peer.origin), 3));
  const client = createTestClient(t, peer.origin, { ca: certificate.cert });
  const exchanges = await requestMany(client, 3);
  assert.ok(exchanges.every(({ kind }) => kind === "answered"));
});

test("a server with a certificate for another name is unreachable", async (t) => {
  const certificate = generateCertificate(["push.example.org"]);
  const peer = await startHttp2Peer(t, respondOk, { certificate });
  assertUnreachable(
    await requestMany(createTestClient(t, peer.origin, { ca: certificate.cert }), 1),
  );
});

test("a server that does not choose HTTP/2 is unreachable", async (t) => {
  for (const protocols of [["http/1.1"], []]) {
    const { origin, ca } = await startTlsPeer(t, protocols);
    assertUnreachable(await requestMany(createTestClient(t, origin, { ca }), 3));
  }
});

async function startTlsPeer(t: TestContext, ALPNProtocols: string[]) {
  const { key, cert } = generateCertificate(["127.0.0.1"]);
  const server = createTlsServer({ key, cert, ALPNProtocols }, (socket) => {
    socket.on("error", () => {});
    socket.resume();
  });
  server.on("tlsClientError", () => {});
  const port = await listen(server);
  t.after(() => server.close());
  return { origin: `https://127.0.0.1:${port}`, ca: cert };
}
