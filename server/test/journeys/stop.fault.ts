import assert from "node:assert/strict";
import { once } from "node:events";
import test from "node:test";
import { addDevice, signUp, startPushService } from "../support/app.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { startServerProcess } from "../support/server-process.ts";

test("a second stop signal does not interrupt the requests in progress", async (t) => {
  const push = await startPushService(t);
  const environment = {
    TOCSIN_DATA_DIR: await createTemporaryFolder(t),
    TOCSIN_WEBPUSH_ALLOW_ORIGINS: `http://127.0.0.1:${push.port}`,
    TOCSIN_VAPID_SUBJECT: "mailto:ops@example.org",
    TOCSIN_LOG_LEVEL: "warn",
  };
  const server = await startServerProcess(t, { environment });
  const ann = await signUp({ url: server.url }, "Ann");
  const { phone } = await addDevice({ push }, ann);
  const slowResponse = Promise.withResolvers<void>();
  phone.script({ kind: "verdict", after: slowResponse.promise });
  const sending = ann.client.notify({ title: "Hello", body: "" });
  await phone.waitForRequests(1);
  const ended = once(server.child, "exit");
  server.child.kill("SIGTERM");
  // Waits until the first signal is handled: the kernel merges two pending signals into one.
  while ((await fetch(`${server.url}/readyz`)).status === 200);
  server.child.kill("SIGTERM");
  slowResponse.resolve();
  assert.equal((await sending).message, "Delivered to 1 of 1 device");
  assert.deepEqual(await ended, [0, null]);
});
