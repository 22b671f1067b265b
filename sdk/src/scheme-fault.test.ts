import assert from "node:assert/strict";
import { createServer, type Socket } from "node:net";
import { test, type TestContext } from "node:test";
import { createClient } from "./client.ts";
import { getConnectionError, getRefusal } from "./rejection.fixture.ts";
import type { Fetch } from "./server.ts";
import { createJsonReply, startServer } from "./test-server.fixture.ts";

/** TLS record (RFC 8446 section 5.1): alert, version 3.3, 2 bytes: fatal, protocol_version. */
const TLS_ALERT = Buffer.from([21, 3, 3, 0, 2, 2, 70]);

test("https: to an http: port is reported as such and not retried", async (t) => {
  const { baseUrl } = await startServer(t, createJsonReply(200, {}));
  let attempts = 0;
  const countingFetch: Fetch = (url, init) => {
    attempts += 1;
    return fetch(url, init);
  };
  const client = createClient({
    baseUrl: baseUrl.replace("http:", "https:"),
    fetch: countingFetch,
    retries: 3,
  });
  const error = await getConnectionError(client.me());
  assert.equal(error.schemeFault, "not_https");
  assert.match(
    error.message,
    /does not speak https: there, so baseUrl may have to begin with http:/,
  );
  assert.equal(attempts, 1);
});

test("http: to an https: port is reported as such, for every kind of response", async (t) => {
  const clientOfTlsServer = await connectToTcpServer(t, (socket) => {
    socket.write(TLS_ALERT, () => socket.destroySoon());
  });
  assert.equal((await getConnectionError(clientOfTlsServer.me())).schemeFault, "not_http");
  const clientOfClosingServer = await connectToTcpServer(t, (socket) => socket.destroy());
  const ambiguous = await getConnectionError(clientOfClosingServer.me());
  assert.equal(ambiguous.schemeFault, "maybe_not_http");
  assert.match(ambiguous.message, /; if it speaks https:, baseUrl must begin with https:$/);
  for (const text of [
    "<title>400 The plain HTTP request was sent to HTTPS port</title>",
    "Client sent an HTTP request to an HTTPS server.\n",
    "Reason: You're speaking plain HTTP to an SSL-enabled server port.<br />",
  ]) {
    const { baseUrl } = await startServer(t, (response) => response.writeHead(400).end(text));
    const error = await getRefusal(createClient({ baseUrl }).me());
    assert.deepEqual([error.status, error.code], [400, "https_expected"]);
    assert.match(error.message, /speaks https: there; baseUrl must begin with https:/);
  }
});

test("a response that began or never arrived gives no hint about the scheme", async (t) => {
  const interruptingServer = await startServer(t, (response) => {
    response.writeHead(200, { "content-length": "9" }).write("{", () => response.destroy());
  });
  assert.equal((await getConnectionError(createClient(interruptingServer).me())).schemeFault, null);
  const silentServer = await startServer(t, () => {});
  const impatientClient = createClient({ baseUrl: silentServer.baseUrl, timeoutMs: 50 });
  assert.equal((await getConnectionError(impatientClient.me())).schemeFault, null);
  const refusedClient = createClient({ baseUrl: "http://127.0.0.1:1" });
  assert.equal((await getConnectionError(refusedClient.me())).schemeFault, null);
});

/** Returns a client of a server whose `onRequest` gets each connection after its first bytes. */
async function connectToTcpServer(t: TestContext, onRequest: (socket: Socket) => void) {
  const server = createServer((socket) => socket.once("data", () => onRequest(socket)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => new Promise((resolve) => server.close(resolve)));
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  return createClient({ baseUrl: `http://127.0.0.1:${address.port}` });
}
