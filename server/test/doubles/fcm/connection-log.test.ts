import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { test } from "node:test";
import { LOOPBACK, listen } from "../listen.ts";
import { ConnectionLog } from "./connection-log.ts";

test("a connection that is already ending is closed", async (t) => {
  const server = createServer();
  const accepted = once(server, "connection");
  const client = connect(await listen(server), LOOPBACK);
  t.after(() => {
    client.destroy();
    server.close();
  });
  const [socket] = (await accepted) as [Socket]; // Node's signature of the event.
  const log = new ConnectionLog(socket);
  socket.end();
  await log.close();
  assert.equal(log.isOpen, false);
  await log.close();
});
