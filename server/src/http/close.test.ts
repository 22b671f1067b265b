import assert from "node:assert/strict";
import { once } from "node:events";
import test from "node:test";
import { openRawConnection } from "../../test/support/raw-connection.ts";
import { closeServer } from "./close.ts";

test("a request under way is answered before the server is closed", async (t) => {
  const received = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const { server, socket } = await openRawConnection(t, (routes) =>
    routes.get("/slow", async () => {
      received.resolve();
      await gate.promise;
      return { success: true };
    }),
  );
  socket.write("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
  await received.promise;
  const closePromise = closeServer(server);
  gate.resolve();
  const [response] = await once(socket, "data");
  assert.match(String(response), /^HTTP\/1\.1 200 /);
  assert.match(String(response), /^connection: close\r$/im);
  await closePromise;
});

test("an incomplete request does not delay the close", async (t) => {
  const started = Promise.withResolvers<void>();
  const { server, socket } = await openRawConnection(t, (routes) => {
    routes.server.on("connection", (connection) =>
      connection.once("data", () => started.resolve()),
    );
  });
  socket.on("error", () => {});
  socket.write("GET /slow HTTP/1.1\r\nHost:");
  await started.promise;
  await closeServer(server, 50);
});
