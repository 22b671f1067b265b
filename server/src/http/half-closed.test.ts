import assert from "node:assert/strict";
import { once } from "node:events";
import test from "node:test";
import { eventually } from "../../test/support/eventually.ts";
import { openRawConnection, readToEnd } from "../../test/support/raw-connection.ts";
import { closeServer } from "./close.ts";
import type { Server } from "./server.ts";

const REQUEST = "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n";

/** Returns the registration of two routes: `/slow` responds when the test releases it, and `/body` at once. */
function createRoutes() {
  const received = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const register = (server: Server) => {
    server.post("/body", async () => ({ success: true }));
    server.get("/slow", async (_request, reply) => {
      received.resolve();
      await gate.promise;
      // Node then decides again whether to keep the connection.
      reply.raw.removeHeader("connection");
      return { success: true };
    });
  };
  return { register, received: received.promise, release: gate.resolve };
}

async function countConnections(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}

function parseStatuses(text: string): readonly string[] {
  return Array.from(text.matchAll(/HTTP\/1\.1 (\d+) /g), ([, status = ""]) => status);
}

async function waitUntilClosed(server: Server): Promise<void> {
  assert.equal(
    await eventually(
      () => countConnections(server),
      (open) => open === 0,
    ),
    0,
  );
}

test("a client that half-closes gets all its responses before the connection ends", async (t) => {
  for (const count of [1, 3]) {
    const { register, received, release } = createRoutes();
    const { server, port, socket } = await openRawConnection(t, register);
    socket.end(REQUEST.repeat(count));
    await Promise.all([received, once(socket, "finish")]);
    // Once this request is answered, the server has read the half-close.
    await fetch(`http://127.0.0.1:${port}/nowhere`);
    release();
    assert.deepEqual(parseStatuses(await readToEnd(socket)), Array(count).fill("200"));
    server.server.closeIdleConnections();
    await waitUntilClosed(server);
  }
});

test("a client that half-closes before or within a request is disconnected", async (t) => {
  for (const [partialRequest, statuses] of [
    ["", []],
    ["GET /slow HTTP/1.1\r\nHost:", ["400"]],
    [
      "POST /body HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\na",
      ["400"],
    ],
  ] as const) {
    const { server, socket } = await openRawConnection(t, createRoutes().register);
    socket.end(partialRequest);
    assert.deepEqual(parseStatuses(await readToEnd(socket)), statuses, partialRequest);
    await waitUntilClosed(server);
  }
});

test("a closing server still answers a client that half-closed", async (t) => {
  const { register, received, release } = createRoutes();
  const { server, socket } = await openRawConnection(t, register);
  socket.end(REQUEST.repeat(2));
  await received;
  const closePromise = closeServer(server, 5_000);
  release();
  const text = await readToEnd(socket);
  assert.equal(parseStatuses(text)[0], "200");
  await closePromise;
});

test("a client that half-closed and reads no response is disconnected", async (t) => {
  const register = (server: Server) =>
    server.get("/slow", async () => ({ text: "a".repeat(16_000_000) }));
  const unreadLimits = { stalledMaxMs: 100, checkIntervalMs: 20 };
  const { server, socket } = await openRawConnection(t, register, { unreadLimits });
  socket.pause().end(REQUEST);
  socket.on("error", () => {});
  await once(server.server, "request");
  await waitUntilClosed(server);
});
