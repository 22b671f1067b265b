import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { Client, NotificationDetail } from "@tocsin/sdk";
import { addDevice, signUp, startPush } from "../support/app.ts";
import { createDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { isOver } from "../support/log.ts";
import { startServerProcess } from "../support/server-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const PRELOAD = fileURLToPath(new URL("../support/poison.ts", import.meta.url));
const INNOCENTS = 30;
/** Of a process that died its peers know after eight seconds, on PostgreSQL. */
const LIMIT_MS = 120_000;
const TEST = { timeout: 2 * LIMIT_MS };

async function prepare(t: TestContext) {
  const push = await startPush(t);
  const dataDir = await temporaryFolder(t);
  const { place } = await createDatabase(t);
  const poisonFile = join(dataDir, "poison");
  const environment = {
    TOCSIN_DATA_DIR: dataDir,
    TOCSIN_WEBPUSH_ALLOW_ORIGINS: `http://127.0.0.1:${push.port}`,
    TOCSIN_VAPID_SUBJECT: "mailto:ops@example.org",
    TOCSIN_RATE_LIMIT_PER_S: "0",
    TOCSIN_METRICS_TOKEN: "metrics",
    NODE_OPTIONS: `--import=${PRELOAD}`,
    POISON_FILE: poisonFile,
    ...(place.kind === "postgres" ? { TOCSIN_DATABASE_URL: place.url } : {}),
  };
  return { push, environment, poisonFile };
}

/** Keeps a server running as a supervisor does, and collects what it logs. */
async function supervise(t: TestContext, environment: Readonly<Record<string, string>>) {
  // Before the servers are ended: none is to follow them.
  const over = new AbortController();
  t.after(() => over.abort());
  const first = await startServerProcess(t, { environment });
  const state = { ends: 0, log: "", now: first };
  const again = { ...environment, TOCSIN_PORT: new URL(first.url).port };
  const keep = async (): Promise<void> => {
    const { child } = state.now;
    child.stdout?.on("data", (chunk) => (state.log += String(chunk)));
    if (child.signalCode === null) await once(child, "exit");
    while (!over.signal.aborted) {
      state.ends += 1;
      // It may end before it listens: what it held is the first that it takes.
      const next = await startServerProcess(t, { environment: again }).catch(() => null);
      if (next === null) continue;
      state.now = next;
      return keep();
    }
  };
  void keep();
  return { url: first.url, state };
}

/** Sends until there is an answer: the server is away now and then. Resolves with the notification's id. */
async function send(client: Client, title: string): Promise<string> {
  const ask = () =>
    client.notifyAsync({ title, body: "" }, { idempotencyKey: title }).catch(() => null);
  const answer = await eventually(ask, (found) => found !== null, { limitMs: LIMIT_MS });
  return answer?.notificationId ?? "";
}

async function untilOver(client: Client, id: string): Promise<NotificationDetail> {
  const look = () => client.notifications.get(id).catch(() => null);
  const isFound = (record: NotificationDetail | null) => record !== null && isOver(record);
  const found = await eventually(look, isFound, { limitMs: LIMIT_MS });
  assert.ok(found !== null);
  return found;
}

test(
  "a device whose attempts end the process takes the server down five times, then fails alone; all else arrives",
  TEST,
  async (t) => {
    const { push, environment, poisonFile } = await prepare(t);
    const { url, state } = await supervise(t, environment);
    const ann = await signUp({ url }, "Ann");
    const good = await addDevice({ push }, ann, "Good");
    const { phone, device: bad } = await addDevice({ push }, ann, "Bad");
    const bob = await signUp({ url }, "Bob");
    const others = await addDevice({ push }, bob, "Other");
    writeFileSync(poisonFile, phone.subscription.endpoint);

    const innocents = Array.from({ length: INNOCENTS }, (_, index) => `Other ${index}`);
    const [poison, ...ids] = await Promise.all([
      send(ann.client, "Poison"),
      ...innocents.map((title) => send(bob.client, title)),
    ]);
    const record = await untilOver(ann.client, poison);
    const ends = record.deliveries.map(({ deviceId, state, code }) => [deviceId, state, code]);
    assert.deepEqual(
      new Set(ends.map(String)),
      new Set([`${good.device.id},accepted,accepted`, `${bad.id},failed,crashed`]),
    );
    assert.equal(state.ends, 5);
    for (const id of ids) assert.equal((await untilOver(bob.client, id)).counts.accepted, 1);
    assert.ok(others.phone.messages.length >= INNOCENTS);

    const errors = state.log.split("\n").filter((line) => line.includes('"level":50'));
    assert.equal(errors.length, 1);
    const [line = ""] = errors;
    assert.ok(line.includes(bad.id));
    assert.ok(!state.log.includes(phone.subscription.endpoint));
    const answer = await fetch(`${url}/metrics`, { headers: { authorization: "Bearer metrics" } });
    assert.match(await answer.text(), /tocsin_deliveries_total\{code="crashed"\} [12]\n/);
  },
);
