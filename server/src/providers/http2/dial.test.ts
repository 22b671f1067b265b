import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { test } from "node:test";
import { dial } from "./dial.ts";

const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === "::1"),
);

test("an origin may name an IPv6 address", { skip: !hasIpv6 && "no ::1 here" }, async (t) => {
  const server = createServer((socket) => socket.end());
  server.listen(0, "::1");
  await once(server, "listening");
  t.after(() => server.close());
  const address = server.address();
  assert.ok(address !== null && typeof address !== "string");
  const socket = dial(new URL(`http://[::1]:${address.port}`), undefined);
  await once(socket, "connect");
  assert.equal(socket.remoteAddress, "::1");
  socket.destroy();
});
