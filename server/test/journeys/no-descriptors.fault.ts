import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { connect } from "node:net";
import test from "node:test";
import { HELLO, post, send } from "../contract/http-requests.ts";
import { addDevice, signUp, startPushService } from "../support/app.ts";
import { ON_SQLITE } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { areDeliveriesFinished, waitForRecord } from "../support/notification-records.ts";
import { skipUnlessInstalled } from "../support/program.ts";
import { startServerProcess } from "../support/server-process.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const DEVICE_COUNT = 5;
const OPTIONS = {
  timeout: 120_000,
  skip:
    ON_SQLITE.skip ||
    (process.platform !== "linux" &&
      "This test limits the open files of a running process, which only Linux allows.") ||
    skipUnlessInstalled("prlimit", "util-linux"),
};

/** Limits a process to this many more open files than it has now; null restores the usual limit. */
function limitOpenFiles(pid: number, extra: number | null): void {
  const limit = extra === null ? 1_024 : findLimit(pid, extra);
  const { status, stderr } = spawnSync("prlimit", ["--pid", String(pid), `--nofile=${limit}:`], {
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
}

/**
 * Returns the limit below which `extra` descriptor numbers are free. The limit bounds the highest number, not the
 * count: a number that the process has closed meanwhile is free as well.
 */
function findLimit(pid: number, extra: number): number {
  const usedNumbers = new Set(readdirSync(`/proc/${pid}/fd`).map(Number));
  let limit = 0;
  for (let freeCount = 0; freeCount < extra || usedNumbers.has(limit); limit += 1)
    if (!usedNumbers.has(limit)) freeCount += 1;
  return limit;
}

async function setUp(t: test.TestContext) {
  const push = await startPushService(t);
  const lines: string[] = [];
  const server = await startServerProcess(t, {
    environment: {
      TOCSIN_DATA_DIR: await createTemporaryFolder(t),
      TOCSIN_WEBPUSH_ALLOW_ORIGINS: `http://127.0.0.1:${push.port}`,
      TOCSIN_VAPID_SUBJECT: "mailto:ops@example.org",
      TOCSIN_LOG_LEVEL: "error",
      TOCSIN_SYNC_WAIT_MS: "3000",
    },
    onOutput: (text) => void lines.push(text),
  });
  const ann = await signUp(server, "Ann");
  const phones = [];
  for (let count = 1; count <= DEVICE_COUNT; count += 1) {
    phones.push((await addDevice({ push }, ann, `Phone ${count}`)).phone);
  }
  return { server, ann, phones, lines, pid: server.child.pid ?? 0 };
}

test(
  "a server without free file descriptors holds no push service, and delivers once it has some again",
  OPTIONS,
  async (t) => {
    const { server, ann, phones, lines, pid } = await setUp(t);
    const { url } = server;
    // One descriptor is for the request's own connection.
    limitOpenFiles(pid, 1);
    const response = await post(url, { key: ann.key, body: HELLO });
    assert.equal(response.status, 200, response.text);
    assert.equal(
      JSON.parse(response.text).message,
      `Accepted; 0 of ${DEVICE_COUNT} delivered so far, ${DEVICE_COUNT} queued`,
    );
    const { text: metrics } = await send(url, { path: "/metrics" });
    const heldMetrics = metrics
      .split("\n")
      .filter((line) => /^tocsin_push_services_held\{.*\} [1-9]/.test(line));
    assert.deepEqual(heldMetrics, []);
    limitOpenFiles(pid, null);
    const id = String(response.headers["x-notification-id"]);
    const recordBefore = await ann.client.notifications.get(id);
    for (const { state, attempts, message } of recordBefore.deliveries) {
      if (state === "accepted") continue;
      assert.deepEqual([state, attempts], ["retrying", 0]);
      assert.match(message ?? "", /this server has no free file descriptor/);
    }
    const record = await waitForRecord(ann.client, id, areDeliveriesFinished);
    for (const { state, attempts } of record.deliveries) {
      assert.deepEqual([state, attempts], ["accepted", 1]);
    }
    for (const phone of phones) assert.equal(phone.requests.length, 1);
    const errors = lines
      .join("")
      .split("\n")
      .filter((line) => line.includes("open files"));
    assert.equal(errors.length, 1, lines.join(""));
  },
);

test(
  "a server that ran out of file descriptors accepts connections once it has free descriptors again",
  OPTIONS,
  async (t) => {
    const { server, ann, pid } = await setUp(t);
    const { hostname, port } = new URL(server.url);
    limitOpenFiles(pid, 0);
    const pendingSockets = Array.from({ length: 5 }, () => connect(Number(port), hostname));
    for (const socket of pendingSockets) socket.on("error", () => {});
    t.after(() => pendingSockets.forEach((socket) => socket.destroy()));
    // Each check opens a new connection.
    const isHealthy = () =>
      send(server.url, { path: "/healthz" }).then(({ status }) => status === 200);
    await assert.rejects(isHealthy());
    limitOpenFiles(pid, null);
    await eventually(() => isHealthy().catch(() => false), Boolean);
    const response = await ann.client.notify(HELLO);
    assert.equal(response.message, `Delivered to ${DEVICE_COUNT} of ${DEVICE_COUNT} devices`);
  },
);
