import assert from "node:assert/strict";
import test from "node:test";
import { SimulatedDevice } from "../doubles/simulated-device.ts";
import { signUp, startPushService } from "../support/app.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { startServerProcess } from "../support/server-process.ts";

const SENDS = 200;
/** Kills the server after this many responses, while other sends are in progress. */
const KILL_AFTER = 80;
/** Concurrent senders: enough to share commits, few enough that the kill interrupts the run. */
const CALLERS = 10;

test("kill -9 during 200 sends loses no acknowledged notification", async (t) => {
  const push = await startPushService(t);
  const environment = {
    TOCSIN_DATA_DIR: await createTemporaryFolder(t),
    TOCSIN_WEBPUSH_ALLOW_ORIGINS: `http://127.0.0.1:${push.port}`,
    TOCSIN_VAPID_SUBJECT: "mailto:ops@example.org",
    TOCSIN_RATE_LIMIT_PER_S: "0",
    TOCSIN_LOG_LEVEL: "warn",
  };
  const firstServer = await startServerProcess(t, { environment });
  const ann = await signUp({ url: firstServer.url }, "Ann");
  const { publicKey } = await ann.client.webPushKey();
  const phone = new SimulatedDevice(push, publicKey);
  const { endpoint, keys } = phone.subscription;
  const webPush = { provider: "webpush", endpoint, keys } as const;
  await ann.client.devices.create({ name: "Phone", platform: "web", push: webPush });

  const acknowledged = new Set<string>();
  const killed = Promise.withResolvers<void>();
  let startedSends = 0;
  const sendRepeatedly = async () => {
    while (startedSends < SENDS) {
      const title = `Number ${(startedSends += 1)}`;
      try {
        const response = await ann.client.notifyAsync({ title, body: "" });
        assert.equal(response.success, true);
      } catch (error) {
        // A send may fail only because of the kill, and its notification may then be lost.
        assert.ok(
          acknowledged.size >= KILL_AFTER,
          `a send failed before the kill: ${String(error)}`,
        );
        continue;
      }
      acknowledged.add(title);
      if (acknowledged.size === KILL_AFTER) firstServer.kill().then(killed.resolve, killed.reject);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, sendRepeatedly));
  await killed.promise;
  assert.ok(
    acknowledged.size >= KILL_AFTER && acknowledged.size < SENDS,
    `${acknowledged.size} were acknowledged`,
  );

  await startServerProcess(t, { environment });
  const missingTitles = new Set(acknowledged);
  const markDelivered = (title: string) => missingTitles.delete(title);
  for (const { text } of phone.messages) markDelivered(readTitle(text));
  while (missingTitles.size > 0)
    markDelivered(readTitle((await phone.next({ timeoutMs: 20_000 })).text));
  assert.equal(missingTitles.size, 0);
});

function readTitle(text: string): string {
  // The server sends payloads of this type.
  const payload = JSON.parse(text) as { notification: { title: string } };
  return payload.notification.title;
}
