import assert from "node:assert/strict";
import { createServer, request as sendRequest, type RequestListener } from "node:http";
import type { Socket } from "node:net";
import { test, type TestContext } from "node:test";
import { closeHttpServer, listen } from "../../test/doubles/listen.ts";
import { startApp } from "../../test/support/app.ts";
import { findFreePort } from "../../test/support/free-port.ts";
import { checkWebSocket } from "./web-socket.ts";

const UPGRADE_PATTERN = /Upgrade and Connection/;

/** Starts an HTTP server and returns its URL. */
async function startServer(t: TestContext, listener: RequestListener) {
  const server = createServer(listener);
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => sockets.add(socket));
  const port = await listen(server);
  t.after(async () => {
    // An upgraded connection does not belong to the server any more.
    for (const socket of sockets) socket.destroy();
    await closeHttpServer(server);
  });
  return { server, url: `http://127.0.0.1:${port}` };
}

function check(baseUrl: string) {
  return checkWebSocket({ config: { baseUrl, dialects: ["ntfy", "gotify"] }, timeoutMs: 2_000 });
}

test("a WebSocket to a Tocsin server is opened, and the server still answers plain requests", async (t) => {
  const { url } = await startApp(t);
  assert.deepEqual(await check(url), {
    status: "ok",
    message: `Apps can keep a WebSocket open to ${url}.`,
    mend: null,
  });
  assert.deepEqual(await (await fetch(`${url}/healthz`)).json(), { status: "ok" });
});

test("a proxy that passes requests on without their upgrade is found", async (t) => {
  const { url } = await startApp(t);
  const proxy = await startServer(t, (request, response) => {
    const { connection: _, upgrade: __, ...headers } = request.headers;
    const passed = sendRequest(url + (request.url ?? ""), { headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    passed.end();
  });
  const verdict = await check(proxy.url);
  assert.deepEqual([verdict.status, verdict.facts], ["warn", undefined]);
  assert.match(verdict.message, /was not told of the upgrade/);
  assert.match(verdict.mend ?? "", UPGRADE_PATTERN);
});

test("a proxy that refuses an upgrade, and one that lets nothing through after it, are found", async (t) => {
  const refusing = await startServer(t, (_, response) => response.writeHead(403).end());
  const refused = await check(refusing.url);
  assert.match(refused.message, /answered with 403/);
  const mute = await startServer(t, (_, response) => response.end());
  mute.server.on("upgrade", (_, socket) => {
    socket.write(
      "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
    );
  });
  const silent = await check(mute.url);
  assert.match(silent.message, /nothing comes through/);
  for (const { status, mend } of [refused, silent]) {
    assert.equal(status, "warn");
    assert.match(mend ?? "", UPGRADE_PATTERN);
  }
});

test("the check warns if no server answers, and is ok if no dialect is switched on", async () => {
  const baseUrl = `http://127.0.0.1:${await findFreePort()}`;
  const verdict = await check(baseUrl);
  assert.deepEqual(
    [verdict.status, verdict.message],
    ["warn", "Not checked: no server answers yet."],
  );
  const unneeded = await checkWebSocket({ config: { baseUrl, dialects: [] } });
  assert.equal(unneeded.status, "ok");
});
