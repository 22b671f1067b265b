import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import test, { type TestContext } from "node:test";
import { pino } from "pino";
import { closeServer } from "./close.ts";
import { createServer, type Server } from "./server.ts";

async function open(t: TestContext, register: (server: Server) => void) {
  const log = pino({ level: "silent" });
  const server = createServer({ log, newId: () => "id", trustProxy: false });
  register(server);
  const { port } = new URL(await server.listen({ host: "127.0.0.1", port: 0 }));
  const socket = connect(Number(port), "127.0.0.1");
  t.after(() => socket.destroy());
  await once(socket, "connect");
  return { server, socket };
}

test("a request under way is answered before the server is closed", async (t) => {
  const asked = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const { server, socket } = await open(t, (routes) =>
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

test("a request that never becomes whole does not keep the server", async (t) => {
  const begun = Promise.withResolvers<void>();
  const { server, socket } = await open(t, (routes) => {
    routes.server.on("connection", (connection) => connection.once("data", () => begun.resolve()));
  });
  socket.on("error", () => {});
  socket.write("GET /slow HTTP/1.1\r\nHost:");
  await begun.promise;
  await closeServer(server, 50);
});
