import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { Client, NotificationDetail } from "@tocsin/sdk";
import { addDevice, signUp, startPushService } from "../support/app.ts";
import { createDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { areDeliveriesFinished } from "../support/notification-records.ts";
import { startServerProcess } from "../support/server-process.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const PRELOAD = fileURLToPath(new URL("../support/poison-preload.ts", import.meta.url));
const HEALTHY_COUNT = 30;
/** On PostgreSQL, the other nodes notice a dead process only after eight seconds. */
const WAIT_MAX_MS = 120_000;
const OPTIONS = { timeout: 2 * WAIT_MAX_MS };

async function setUp(t: TestContext) {
  const push = await startPushService(t);
  const dataDir = await createTemporaryFolder(t);
  const { location } = await createDatabase(t);
  const poisonFile = join(dataDir, "poison");
  const environment = {
    TOCSIN_DATA_DIR: dataDir,
    TOCSIN_WEBPUSH_ALLOW_ORIGINS: `http://127.0.0.1:${push.port}`,
    TOCSIN_VAPID_SUBJECT: "mailto:ops@example.org",
    TOCSIN_RATE_LIMIT_PER_S: "0",
    TOCSIN_METRICS_TOKEN: "metrics",
    NODE_OPTIONS: `--import=${PRELOAD}`,
    POISON_FILE: poisonFile,
    ...(location.kind === "postgres" ? { TOCSIN_DATABASE_URL: location.url } : {}),
  };
  return { push, environment, poisonFile };
}

/** Restarts a server whenever it ends, like a supervisor, and collects its log. */
async function startSupervisedServer(
  t: TestContext,
  environment: Readonly<Record<string, string>>,
) {
  // Registered first, so that no server is restarted after the test.
  const testEnd = new AbortController();
  t.after(() => testEnd.abort());
  const firstServer = await startServerProcess(t, { environment });
  const state = { exits: 0, log: "", current: firstServer };
  const restartEnvironment = { ...environment, TOCSIN_PORT: new URL(firstServer.url).port };
  const restartOnExit = async (): Promise<void> => {
    const { child } = state.current;
    child.stdout?.on("data", (chunk) => (state.log += String(chunk)));
    if (child.signalCode === null) await once(child, "exit");
    while (!testEnd.signal.aborted) {
      state.exits += 1;
      // The server may crash before it listens: it claims its old jobs first.
      const nextServer = await startServerProcess(t, { environment: restartEnvironment }).catch(
        () => null,
      );
      if (nextServer === null) continue;
      state.current = nextServer;
      return restartOnExit();
    }
  };
  void restartOnExit();
  return { url: firstServer.url, state };
}

/** Retries a send until the server responds, as it may be restarting; returns the notification's id. */
async function send(client: Client, title: string): Promise<string> {
  const trySend = () =>
    client.notifyAsync({ title, body: "" }, { idempotencyKey: title }).catch(() => null);
  const response = await eventually(trySend, (sent) => sent !== null, { limitMs: WAIT_MAX_MS });
  return response?.notificationId ?? "";
}

async function waitUntilFinished(client: Client, id: string): Promise<NotificationDetail> {
  const readRecord = () => client.notifications.get(id).catch(() => null);
  const isRecordFinished = (record: NotificationDetail | null) =>
    record !== null && areDeliveriesFinished(record);
  const record = await eventually(readRecord, isRecordFinished, { limitMs: WAIT_MAX_MS });
  assert.ok(record !== null);
  return record;
}

test(
  "a device that crashes the process five times fails, and all other devices are reached",
  OPTIONS,
  async (t) => {
    const { push, environment, poisonFile } = await setUp(t);
    const { url, state } = await startSupervisedServer(t, environment);
    const ann = await signUp({ url }, "Ann");
    const healthyDevice = await addDevice({ push }, ann, "Good");
    const { phone, device: badDevice } = await addDevice({ push }, ann, "Bad");
    const bob = await signUp({ url }, "Bob");
    const bobDevice = await addDevice({ push }, bob, "Other");
    writeFileSync(poisonFile, phone.subscription.endpoint);

    const otherTitles = Array.from({ length: HEALTHY_COUNT }, (_, index) => `Other ${index}`);
    const [poisonedId, ...ids] = await Promise.all([
      send(ann.client, "Poison"),
      ...otherTitles.map((title) => send(bob.client, title)),
    ]);
    const record = await waitUntilFinished(ann.client, poisonedId);
    const outcomes = record.deliveries.map(({ deviceId, state, code }) => [deviceId, state, code]);
    assert.deepEqual(
      new Set(outcomes.map(String)),
      new Set([`${healthyDevice.device.id},accepted,accepted`, `${badDevice.id},failed,crashed`]),
    );
    assert.equal(state.exits, 5);
    for (const id of ids)
      assert.equal((await waitUntilFinished(bob.client, id)).counts.accepted, 1);
    assert.ok(bobDevice.phone.messages.length >= HEALTHY_COUNT);

    const errors = state.log.split("\n").filter((line) => line.includes('"level":50'));
    assert.equal(errors.length, 1);
    const [line = ""] = errors;
    assert.ok(line.includes(badDevice.id));
    assert.ok(!state.log.includes(phone.subscription.endpoint));
    const response = await fetch(`${url}/metrics`, {
      headers: { authorization: "Bearer metrics" },
    });
    assert.match(await response.text(), /tocsin_deliveries_total\{code="crashed"\} [12]\n/);
  },
);
