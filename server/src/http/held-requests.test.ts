import assert from "node:assert/strict";
import { once } from "node:events";
import test, { type TestContext } from "node:test";
import { eventually } from "../../test/support/eventually.ts";
import { openRawConnection } from "../../test/support/raw-connection.ts";
import { closeServer } from "./close.ts";
import { HELD_PER_KEY_MAX, HeldRequests } from "./held-requests.ts";

async function waitForSize(requests: HeldRequests, size: number): Promise<void> {
  await eventually(
    async () => requests.size,
    (current) => current === size,
  );
}

/** Starts a server that holds requests until their wait is aborted, and sends one request. */
async function openHeldRequest(t: TestContext) {
  let heldRequests: HeldRequests | null = null;
  const connection = await openRawConnection(t, (routes) => {
    const requests = new HeldRequests(routes);
    heldRequests = requests;
    routes.get("/held", async (_request, reply) => {
      await requests.hold({ reply, keyId: "key" }, async (signal) => {
        if (!signal.aborted) await once(signal, "abort");
      });
      return { success: true };
    });
  });
  const requests: HeldRequests = heldRequests ?? assert.fail();
  connection.socket.write("GET /held HTTP/1.1\r\nHost: a\r\n\r\n");
  await waitForSize(requests, 1);
  return { ...connection, requests };
}

test("a closing server answers the requests that it holds", async (t) => {
  const { server, socket, requests } = await openHeldRequest(t);
  const response = once(socket, "data");
  const startedAt = performance.now();
  await closeServer(server, 5_000);
  assert.ok(performance.now() - startedAt < 1_000);
  assert.match(String((await response)[0]), /^HTTP\/1\.1 200 /);
  assert.equal(requests.size, 0);
});

test("a held request ends with its connection", async (t) => {
  const { socket, requests } = await openHeldRequest(t);
  socket.destroy();
  await waitForSize(requests, 0);
});

test("a key has a limited number of held requests, and an ended one makes room", async (t) => {
  const { port, socket, requests } = await openHeldRequest(t);
  const url = `http://127.0.0.1:${port}/held`;
  const controller = new AbortController();
  const others = Array.from({ length: HELD_PER_KEY_MAX - 1 }, () =>
    fetch(url, { signal: controller.signal }),
  );
  const ended = Promise.allSettled(others);
  await waitForSize(requests, HELD_PER_KEY_MAX);
  const refusal = await fetch(url, { signal: AbortSignal.timeout(5_000) });
  assert.equal(refusal.status, 429);
  assert.equal(refusal.headers.get("retry-after"), "1");
  assert.match(await refusal.text(), /already has 100 requests that wait/);
  socket.destroy();
  await waitForSize(requests, HELD_PER_KEY_MAX - 1);
  const next = fetch(url, { signal: controller.signal });
  await waitForSize(requests, HELD_PER_KEY_MAX);
  controller.abort();
  await ended;
  await assert.rejects(next);
  await waitForSize(requests, 0);
});
