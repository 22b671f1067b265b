import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { Client, NotificationDetail } from "@tocsin/sdk";
import { addDevice, signUp, startPush } from "../support/app.ts";
import { createDatabase } from "../support/database.ts";
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
  const kill = () => {
    over.abort();
    return state.now.kill();
  };
  return { url: first.url, state, kill };
}

/** Looks over and over, as the server is away now and then; resolves with what is found in the end. */
async function within<T>(
  limitMs: number,
  look: () => Promise<T>,
  isReached: (found: T) => boolean,
): Promise<T> {
  const deadline = performance.now() + limitMs;
  let found = await look();
  while (!isReached(found)) {
    if (performance.now() > deadline)
      throw new Error(`Not there in time: ${JSON.stringify(found)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
    found = await look();
  }
  return found;
}

async function untilOver(client: Client, id: string): Promise<NotificationDetail> {
  const look = () => client.notifications.get(id).catch(() => null);
  const found = await within(LIMIT_MS, look, (record) => record !== null && isOver(record));
  assert.ok(found !== null);
  return found;
}

async function untilFound(client: Client): Promise<string> {
  const look = async () => (await client.notifications.list().catch(() => null))?.items[0]?.id;
  const id = await within(LIMIT_MS, look, (found) => found !== undefined);
  return id ?? "";
}

test(
  "a device whose attempts end the process takes the server down three times, then fails alone; all else arrives",
  TEST,
  async (t) => {
    const { push, environment, poisonFile } = await prepare(t);
    const { url, state } = await supervise(t, environment);
    const ann = await signUp({ url }, "Ann");
    const good = await addDevice({ push }, ann, "Good");
    const { phone, device: bad } = await addDevice({ push }, ann, "Bad");
    const bob = await signUp({ url }, "Bob");
    const others = await addDevice({ push }, bob, "Other");
    writeFileSync(poisonFile, `abort ${phone.subscription.endpoint}`);

    const sent = await Promise.allSettled([
      ...Array.from({ length: INNOCENTS }, () =>
        bob.client.notifyAsync({ title: "Other", body: "" }),
      ),
      ann.client.notifyAsync({ title: "Poison", body: "" }),
    ]);
    assert.ok(sent.some(({ status }) => status === "fulfilled"));
    const found = await untilFound(ann.client);
    const record = await untilOver(ann.client, found);
    const ends = record.deliveries.map(({ deviceId, state, code }) => [deviceId, state, code]);
    assert.deepEqual(
      new Set(ends.map(String)),
      new Set([`${good.device.id},accepted,accepted`, `${bad.id},failed,crashed`]),
    );
    assert.equal(state.ends, 3);
    for (const { id } of (await bob.client.notifications.list()).items) {
      assert.equal((await untilOver(bob.client, id)).counts.accepted, 1);
    }
    assert.ok(others.phone.messages.length > 0);

    const errors = state.log.split("\n").filter((line) => line.includes('"level":50'));
    assert.equal(errors.length, 1);
    const [line = ""] = errors;
    assert.ok(line.includes(bad.id) && line.includes("SIGABRT"));
    assert.ok(!state.log.includes(phone.subscription.endpoint));
    const answer = await fetch(`${url}/metrics`, { headers: { authorization: "Bearer metrics" } });
    assert.match(await answer.text(), /tocsin_deliveries_total\{code="crashed"\} [12]\n/);
  },
);

test(
  "an attempt that never gives its thread back does not outlive a server that is killed",
  TEST,
  async (t) => {
    const { push, environment, poisonFile } = await prepare(t);
    const { url, kill } = await supervise(t, environment);
    const ann = await signUp({ url }, "Ann");
    const { phone } = await addDevice({ push }, ann, "Bad");
    writeFileSync(poisonFile, `spin ${phone.subscription.endpoint}`);
    await ann.client.notifyAsync({ title: "Poison", body: "" }).catch(() => null);
    const readPid = () => readFile(`${poisonFile}.pid`, "utf8").catch(() => "");
    const pid = Number(await within(LIMIT_MS, readPid, (text) => text !== ""));
    // The server itself goes on meanwhile.
    assert.equal((await fetch(`${url}/readyz`)).status, 200);
    await kill();
    const isAlive = async () => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    await within(5_000, isAlive, (alive) => !alive);
  },
);
