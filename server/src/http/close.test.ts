import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import test from "node:test";
import { openRawConnection } from "../../test/support/raw-connection.ts";
import { closeServer } from "./close.ts";

test("a request in progress is answered before the server is closed", async (t) => {
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

test("requests that arrived unread are answered before their connections are closed", async (t) => {
  const { server, port, socket } = await openRawConnection(t, (routes) =>
    routes.get("/", async () => ({ success: true })),
  );
  socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  await once(socket, "data");
  const lateSocket = connect({ host: "127.0.0.1", port });
  t.after(() => lateSocket.destroy());
  await once(lateSocket, "connect");
  // The event loop reads nothing between these writes and the close.
  for (const connection of [socket, lateSocket]) {
    connection.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  }
  const responses = Promise.all([once(socket, "data"), once(lateSocket, "data")]);
  await closeServer(server);
  for (const [response] of await responses) {
    assert.match(String(response), /^HTTP\/1\.1 200 /);
    assert.match(String(response), /^connection: close\r$/im);
  }
});

test("an incomplete request delays the close only for the grace time", async (t) => {
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
