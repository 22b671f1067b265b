import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { addDevice, signUp, startPushService } from "../support/app.ts";
import { createDatabase, ON_POSTGRES } from "../support/database.ts";
import { startServerProcess } from "../support/server-process.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

/** Too short for a node to declare another node dead, but long enough for it to claim a lease that has ended. */
const LIFE_MS = 6_000;
/** Long enough that the leases of living nodes may have ended, so the next node claims nothing for five seconds. */
const PAUSE_MS = 10_500;
/** A lease ends within 30 seconds, and the next node to start claims its job. */
const LIVES_MAX = 4;

async function setUp(t: TestContext) {
  const push = await startPushService(t);
  const { location } = await createDatabase(t);
  assert.ok(location.kind === "postgres");
  const environment = {
    TOCSIN_DATABASE_URL: location.url,
    TOCSIN_DATA_DIR: await createTemporaryFolder(t),
    TOCSIN_WEBPUSH_ALLOW_ORIGINS: `http://127.0.0.1:${push.port}`,
    TOCSIN_VAPID_SUBJECT: "mailto:ops@example.org",
    TOCSIN_LOG_LEVEL: "fatal",
  };
  return { push, environment };
}

test(
  "nodes that all die within eight seconds send the jobs of a dead node once its lease has ended",
  ON_POSTGRES,
  async (t) => {
    const { push, environment } = await setUp(t);
    const first = await startServerProcess(t, { environment });
    const ann = await signUp(first, "Ann");
    const { phone } = await addDevice({ push }, ann);
    phone.script({ kind: "hang" });
    const { notificationId } = await ann.client.notifyAsync({ title: "Held", body: "" });
    await phone.waitForRequests(1);
    await first.kill();
    const isSentAgain = () =>
      phone.waitForRequests(2, { timeoutMs: LIFE_MS }).then(
        () => true,
        () => false,
      );
    let isTakenOver = false;
    for (let life = 0; life < LIVES_MAX && !isTakenOver; life += 1) {
      await wait(PAUSE_MS);
      const node = await startServerProcess(t, { environment });
      isTakenOver = await isSentAgain();
      if (!isTakenOver) await node.kill();
    }
    assert.ok(isTakenOver);
    const { text } = await phone.next();
    assert.equal(JSON.parse(text).notification.tag, notificationId);
  },
);
