import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Readable } from "node:stream";
import test, { type TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { eventually } from "../../test/support/eventually.ts";
import { openRawConnection } from "../../test/support/raw-connection.ts";
import { markAsShared, type UnreadResponseLimits } from "./unread-responses.ts";

/** More than the operating systems on both ends buffer for a connection. */
const LARGE_BYTES = 16_000_000;
const SHORT_LIMITS = { stalledMaxMs: 200, checkIntervalMs: 20 };
const FILE = markAsShared(Buffer.alloc(LARGE_BYTES, "a"));

async function startServerWithLargeResponses(t: TestContext, unreadLimits: UnreadResponseLimits) {
  const { server, port, socket } = await openRawConnection(
    t,
    (routes) => {
      routes.get("/large", async () => ({ text: "a".repeat(LARGE_BYTES) }));
      routes.get("/larger", async () => ({ text: "a".repeat(2 * LARGE_BYTES) }));
      routes.get("/file", async (_request, reply) => reply.send(FILE));
      routes.get("/stream", async (_request, reply) => reply.send(Readable.from(generateChunks())));
      routes.get("/events", (_request, reply) => {
        reply.hijack();
        reply.raw.setHeader("x-accel-buffering", "no");
        reply.raw.write("a".repeat(LARGE_BYTES));
      });
    },
    { unreadLimits },
  );
  // The test opens its own connections, which it reads slowly or not at all.
  socket.destroy();
  const open = async (path: string) => {
    const requestEvent = once(server.server, "request");
    const reader = connect({ host: "127.0.0.1", port }).pause();
    t.after(() => reader.destroy());
    reader.on("error", () => {});
    reader.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    const [{ socket: serverSocket }] = await requestEvent;
    // Both ends of one connection: the client's and the server's.
    return { reader, serverSocket: serverSocket as Socket };
  };
  return { open };
}

function* generateChunks() {
  for (let sent = 0; sent < LARGE_BYTES; sent += 100_000) yield "a".repeat(100_000);
}

async function waitUntilClosed({ serverSocket }: { readonly serverSocket: Socket }): Promise<void> {
  await eventually(
    async () => serverSocket.destroyed,
    (destroyed) => destroyed,
  );
}

test("a client that does not read JSON, a file or a stream is disconnected", async (t) => {
  const { open } = await startServerWithLargeResponses(t, SHORT_LIMITS);
  for (const path of ["/large", "/file", "/stream"]) await waitUntilClosed(await open(path));
});

test("a client that reads slowly gets the whole response", async (t) => {
  const limits = { stalledMaxMs: 2_000, checkIntervalMs: 20 };
  const { open } = await startServerWithLargeResponses(t, limits);
  const { reader } = await open("/large");
  const startedAt = performance.now();
  let bytes = 0;
  reader.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    reader.pause();
    // Slow enough that the whole response takes longer than the stall limit.
    setTimeout(() => reader.resume(), 15);
  });
  reader.resume();
  await eventually(
    async () => bytes,
    (count) => count >= LARGE_BYTES,
    { limitMs: 90_000 },
  );
  assert.ok(performance.now() - startedAt > limits.stalledMaxMs);
});

test("an event stream is exempt from the stall limit", async (t) => {
  const { open } = await startServerWithLargeResponses(t, SHORT_LIMITS);
  const { serverSocket } = await open("/events");
  await waitUntilClosed(await open("/large"));
  await wait(SHORT_LIMITS.stalledMaxMs);
  assert.equal(serverSocket.destroyed, false);
});

test("the connection with the most unread bytes is closed if the total is too large", async (t) => {
  const { open } = await startServerWithLargeResponses(t, { totalMaxBytes: 2.5 * LARGE_BYTES });
  const smallerClient = await open("/large");
  const largerClient = await open("/larger");
  await waitUntilClosed(largerClient);
  assert.equal(smallerClient.serverSocket.destroyed, false);
});

test("a shared file does not count towards the total", async (t) => {
  const { open } = await startServerWithLargeResponses(t, { totalMaxBytes: LARGE_BYTES });
  const readers = await Promise.all([open("/file"), open("/file"), open("/file")]);
  const [first] = readers;
  await eventually(
    async () => first?.serverSocket.writableLength ?? 0,
    (bytes) => bytes > 0,
  );
  for (const { serverSocket } of readers) assert.equal(serverSocket.destroyed, false);
});
