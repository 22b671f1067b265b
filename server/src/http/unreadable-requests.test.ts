import assert from "node:assert/strict";
import { once } from "node:events";
import type { Socket } from "node:net";
import test from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { openRawConnection, readToEnd } from "../../test/support/raw-connection.ts";
import { eventually } from "../../test/support/eventually.ts";
import type { Server } from "./server.ts";

const REQUEST = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
const TIMEOUT_MS = 50;
/** Longer than the interval at which a server checks its timeouts. */
const DELAY_MS = 700;

function respondAndTimeOutSoon(server: Server): void {
  server.server.headersTimeout = TIMEOUT_MS;
  server.server.requestTimeout = TIMEOUT_MS;
  server.get("/", async () => ({ success: true }));
  server.post("/", async () => ({ success: true }));
}

function blockEventLoop(): void {
  const endAt = performance.now() + DELAY_MS;
  while (performance.now() < endAt);
}

test(
  "a blocked event loop does not time out requests that have arrived",
  { timeout: 10_000 },
  async (t) => {
    let serverSocket: Socket | undefined;
    const { socket } = await openRawConnection(t, (server) => {
      respondAndTimeOutSoon(server);
      server.server.on("connection", (connection: Socket) => (serverSocket = connection));
    });
    const waitForBytes = (count: number) =>
      eventually(
        async () => serverSocket?.bytesRead,
        (bytes) => bytes === count,
      );
    // Parts of a request that are sent before, just before and after the event loop is blocked.
    const beginning = REQUEST.slice(0, -2);
    const end = REQUEST.slice(-2);
    let byteCount = 0;
    for (const { early = "", late, later = "" } of [
      { late: beginning, later: end },
      { early: beginning, late: end },
      { late: REQUEST },
    ]) {
      const response = once(socket, "data");
      socket.write(early);
      await waitForBytes((byteCount += early.length));
      // The turn that follows begins with timers, so the server checks its timeouts before it reads this.
      await nextTurn();
      socket.write(late);
      blockEventLoop();
      await waitForBytes((byteCount += late.length));
      socket.write(later);
      byteCount += later.length;
      assert.match(String((await response)[0]), /^HTTP\/1\.1 200 /, JSON.stringify(late));
    }
  },
);

test("a connection without a request is closed without a response", async (t) => {
  const { socket } = await openRawConnection(t, respondAndTimeOutSoon);
  assert.equal(await readToEnd(socket), "");
});

test("an incomplete request is refused", async (t) => {
  for (const part of [
    REQUEST.slice(0, -2),
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{",
  ]) {
    const { socket } = await openRawConnection(t, respondAndTimeOutSoon);
    socket.write(part);
    const text = await readToEnd(socket);
    assert.match(text, /^HTTP\/1\.1 400 /, part);
    assert.match(text, /took too long/);
  }
});
