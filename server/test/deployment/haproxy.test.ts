import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import test, { type TestContext } from "node:test";
import { send } from "../contract/http-requests.ts";
import { LOOPBACK } from "../doubles/listen.ts";
import { startHaproxy } from "../support/haproxy.ts";
import { isInstalledOrSkip } from "../support/program.ts";

const FIND_HAPROXY = ["sh", "-c", "PATH=$PATH:/usr/sbin command -v haproxy"];

/** Starts a node that says that it is ready, and ends the connection of every request to it. Returns its port. */
async function startDyingNode(t: TestContext, onRequest: (path: string) => void): Promise<number> {
  const node = createServer(({ url = "", socket }, response) => {
    if (url === "/readyz") return void response.end("{}");
    onRequest(url);
    socket.destroy();
  });
  node.listen(0, LOOPBACK);
  await once(node, "listening");
  t.after(() => node.close());
  return (node.address() as AddressInfo).port; // It listens on a port.
}

test("HAProxy repeats a request that a node may have begun only if it sends nothing", async (t) => {
  if (!isInstalledOrSkip(t, FIND_HAPROXY, "haproxy")) return;
  const paths: string[] = [];
  const onRequest = (path: string) => void paths.push(path);
  const ports = [await startDyingNode(t, onRequest), await startDyingNode(t, onRequest)] as const;
  const url = await startHaproxy(t, ports);
  for (const [method, path, isRepeated] of [
    ["GET", "/feed", true],
    ["POST", "/message", false],
    ["GET", "/api/v1/notify/key?title=a", false],
    ["GET", "/backups/publish?message=m", false],
    ["GET", "//backups/send/?message=m", false],
    ["GET", "/backups/%74rigger", false],
  ] as const) {
    paths.length = 0;
    // HAProxy answers with an error, or ends the connection.
    await Promise.allSettled([send(url, { method, path })]);
    assert.equal(paths.length > 1, isRepeated, `${method} ${path}: ${paths.length} requests`);
  }
});
