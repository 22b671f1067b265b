import assert from "node:assert/strict";
import { once } from "node:events";
import test from "node:test";
import { eventually } from "../../test/support/eventually.ts";
import { openRawConnection, readToEnd } from "../../test/support/raw-connection.ts";
import { closeServer } from "./close.ts";
import type { Server } from "./server.ts";

const ASK = "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n";

/** A route that answers when the test releases it. */
function slowRoute() {
  const asked = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const register = (server: Server) => {
    server.post("/body", async () => ({ success: true }));
    server.get("/slow", async (_request, reply) => {
      asked.resolve();
      await held.promise;
      // Node then decides again whether to keep the connection.
      reply.raw.removeHeader("connection");
      return { success: true };
    });
  };
  return { register, asked: asked.promise, release: held.resolve };
}

async function openConnections(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}

function statusesIn(text: string): readonly string[] {
  return Array.from(text.matchAll(/HTTP\/1\.1 (\d+) /g), ([, status = ""]) => status);
}

async function allClosed(server: Server): Promise<void> {
  assert.equal(
    await eventually(
      () => openConnections(server),
      (open) => open === 0,
    ),
    0,
  );
}

test("a client that half-closes gets all its answers, and then the connection ends", async (t) => {
  for (const count of [1, 3]) {
    const { register, asked, release } = slowRoute();
    const { server, port, socket } = await openRawConnection(t, register);
    socket.end(ASK.repeat(count));
    await Promise.all([asked, once(socket, "finish")]);
    // The server notices the end in a read of its own.
    await fetch(`http://127.0.0.1:${port}/nowhere`);
    release();
    assert.deepEqual(statusesIn(await readToEnd(socket)), Array(count).fill("200"));
    server.server.closeIdleConnections();
    await allClosed(server);
  }
});

test("a client that half-closes in the middle of a request, or before one, is disconnected", async (t) => {
  for (const [begun, statuses] of [
    ["", []],
    ["GET /slow HTTP/1.1\r\nHost:", ["400"]],
    [
      "POST /body HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\na",
      ["400"],
    ],
  ] as const) {
    const { server, socket } = await openRawConnection(t, slowRoute().register);
    socket.end(begun);
    assert.deepEqual(statusesIn(await readToEnd(socket)), statuses, begun);
    await allClosed(server);
  }
});

test("a closing server answers a client that half-closed, and waits for no other", async (t) => {
  const { register, asked, release } = slowRoute();
  const { server, socket } = await openRawConnection(t, register);
  socket.end(ASK.repeat(2));
  await asked;
  const closing = closeServer(server, 5_000);
  release();
  const text = await readToEnd(socket);
  assert.equal(statusesIn(text)[0], "200");
  await closing;
});

test("a client that half-closed and reads no answer is cut off", async (t) => {
  const register = (server: Server) =>
    server.get("/slow", async () => ({ text: "a".repeat(16_000_000) }));
  const unsent = { stalledMaxMs: 100, checkMs: 20 };
  const { server, socket } = await openRawConnection(t, register, { unsent });
  socket.pause().end(ASK);
  socket.on("error", () => {});
  await once(server.server, "request");
  await allClosed(server);
});
