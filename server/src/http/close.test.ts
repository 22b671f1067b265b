import assert from "node:assert/strict";
import { once } from "node:events";
import test from "node:test";
import { openRawConnection } from "../../test/support/raw-connection.ts";
import { closeServer } from "./close.ts";

test("a request under way is answered before the server is closed", async (t) => {
  const asked = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const { server, socket } = await openRawConnection(t, (routes) =>
    routes.get("/slow", async () => {
      asked.resolve();
      await held.promise;
      return { success: true };
    }),
  );
  socket.write("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
  await asked.promise;
  const closing = closeServer(server);
  held.resolve();
  const [answer] = await once(socket, "data");
  assert.match(String(answer), /^HTTP\/1\.1 200 /);
  assert.match(String(answer), /^connection: close\r$/im);
  await closing;
});

test("an incomplete request does not delay the close", async (t) => {
  const begun = Promise.withResolvers<void>();
  const { server, socket } = await openRawConnection(t, (routes) => {
    routes.server.on("connection", (connection) => connection.once("data", () => begun.resolve()));
  });
  socket.on("error", () => {});
  socket.write("GET /slow HTTP/1.1\r\nHost:");
  await begun.promise;
  await closeServer(server, 50);
});
