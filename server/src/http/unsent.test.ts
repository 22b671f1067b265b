import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Readable } from "node:stream";
import test, { type TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { eventually } from "../../test/support/eventually.ts";
import { openRawConnection } from "../../test/support/raw-connection.ts";
import { share, type UnsentLimits } from "./unsent.ts";

/** More than the systems on both ends buffer for a connection. */
const LARGE_BYTES = 16_000_000;
const HASTY = { stalledMaxMs: 200, checkMs: 20 };
const FILE = share(Buffer.alloc(LARGE_BYTES, "a"));

async function openLarge(t: TestContext, unsent: UnsentLimits) {
  const { server, port, socket } = await openRawConnection(
    t,
    (routes) => {
      routes.get("/large", async () => ({ text: "a".repeat(LARGE_BYTES) }));
      routes.get("/larger", async () => ({ text: "a".repeat(2 * LARGE_BYTES) }));
      routes.get("/file", async (_request, reply) => reply.send(FILE));
      routes.get("/stream", async (_request, reply) => reply.send(Readable.from(pieces())));
      routes.get("/events", (_request, reply) => {
        reply.hijack();
        reply.raw.setHeader("content-type", "text/event-stream; charset=utf-8");
        reply.raw.write("a".repeat(LARGE_BYTES));
      });
    },
    { unsent },
  );
  socket.destroy();
  const open = async (path: string) => {
    const asked = once(server.server, "request");
    const reader = connect({ host: "127.0.0.1", port }).pause();
    t.after(() => reader.destroy());
    reader.on("error", () => {});
    reader.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    const [{ socket: accepted }] = await asked;
    // The server's end of this connection.
    return { reader, accepted: accepted as Socket };
  };
  return { open };
}

function* pieces() {
  for (let sent = 0; sent < LARGE_BYTES; sent += 100_000) yield "a".repeat(100_000);
}

async function isCut({ accepted }: { readonly accepted: Socket }): Promise<void> {
  await eventually(
    async () => accepted.destroyed,
    (destroyed) => destroyed,
  );
}

test("a client that stops reading an answer is cut off, of a file and of a stream too", async (t) => {
  const { open } = await openLarge(t, HASTY);
  for (const path of ["/large", "/file", "/stream"]) await isCut(await open(path));
});

test("a client that reads an answer slowly gets all of it", async (t) => {
  const patient = { stalledMaxMs: 2_000, checkMs: 20 };
  const { open } = await openLarge(t, patient);
  const { reader } = await open("/large");
  const began = performance.now();
  let bytes = 0;
  reader.on("data", (piece: Buffer) => {
    bytes += piece.length;
    reader.pause();
    // So slow that the whole takes longer than a stall may.
    setTimeout(() => reader.resume(), 15);
  });
  reader.resume();
  await eventually(
    async () => bytes,
    (count) => count >= LARGE_BYTES,
    { limitMs: 90_000 },
  );
  assert.ok(performance.now() - began > patient.stalledMaxMs);
});

test("a reader of events may fall behind: its stream has a rule of its own", async (t) => {
  const { open } = await openLarge(t, HASTY);
  const { accepted } = await open("/events");
  await isCut(await open("/large"));
  await wait(HASTY.stalledMaxMs);
  assert.equal(accepted.destroyed, false);
});

test("the connection that holds the most is cut off if all together hold too much", async (t) => {
  const { open } = await openLarge(t, { totalMaxBytes: 2.5 * LARGE_BYTES });
  const small = await open("/large");
  const large = await open("/larger");
  await isCut(large);
  assert.equal(small.accepted.destroyed, false);
});

test("a file that many wait for is held once, and counts against no connection", async (t) => {
  const { open } = await openLarge(t, { totalMaxBytes: LARGE_BYTES });
  const readers = await Promise.all([open("/file"), open("/file"), open("/file")]);
  const [first] = readers;
  await eventually(
    async () => first?.accepted.writableLength ?? 0,
    (bytes) => bytes > 0,
  );
  for (const { accepted } of readers) assert.equal(accepted.destroyed, false);
});
