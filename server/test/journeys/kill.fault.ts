import assert from "node:assert/strict";
import test from "node:test";
import { SimulatedDevice } from "../doubles/simulated-device.ts";
import { signUp, startPush } from "../support/app.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { startServerProcess } from "../support/server-process.ts";

const SENDS = 200;
/** The kill comes when so many sends were answered; the rest is on its way. */
const KILL_AFTER = 80;
/** So many send at once: enough to share commits, few enough that the kill comes in the middle. */
const CALLERS = 10;

test("kill -9 in the middle of 200 sends loses none that was answered", async (t) => {
  const push = await startPush(t);
  const environment = {
    TOCSIN_DATA_DIR: await temporaryFolder(t),
    TOCSIN_WEBPUSH_ALLOW_ORIGINS: `http://127.0.0.1:${push.port}`,
    TOCSIN_VAPID_SUBJECT: "mailto:ops@example.org",
    TOCSIN_RATE_LIMIT_PER_S: "0",
    TOCSIN_LOG_LEVEL: "warn",
  };
  const first = await startServerProcess(t, { environment });
  const ann = await signUp({ url: first.url }, "Ann");
  const { publicKey } = await ann.client.webPushKey();
  const phone = new SimulatedDevice(push, publicKey);
  const { endpoint, keys } = phone.subscription;
  const webPush = { provider: "webpush", endpoint, keys } as const;
  await ann.client.devices.create({ name: "Phone", platform: "web", push: webPush });

  const answered = new Set<string>();
  const killed = Promise.withResolvers<void>();
  let next = 0;
  const sendOnAndOn = async () => {
    while (next < SENDS) {
      const title = `Number ${(next += 1)}`;
      try {
        const answer = await ann.client.notifyAsync({ title, body: "" });
        assert.equal(answer.success, true);
      } catch (error) {
        // Without an answer nothing is promised; but only the kill may take answers away.
        assert.ok(answered.size >= KILL_AFTER, `a send failed before the kill: ${String(error)}`);
        continue;
      }
      answered.add(title);
      if (answered.size === KILL_AFTER) first.kill().then(killed.resolve, killed.reject);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, sendOnAndOn));
  await killed.promise;
  assert.ok(answered.size >= KILL_AFTER && answered.size < SENDS, `${answered.size} were answered`);

  await startServerProcess(t, { environment });
  const missing = new Set(answered);
  const arrive = (title: string) => missing.delete(title);
  for (const { text } of phone.messages) arrive(titleOf(text));
  while (missing.size > 0) arrive(titleOf((await phone.next({ timeoutMs: 20_000 })).text));
  assert.equal(missing.size, 0);
});

function titleOf(text: string): string {
  const payload = JSON.parse(text) as { notification: { title: string } }; // The notifications to send.
  return payload.notification.title;
}
