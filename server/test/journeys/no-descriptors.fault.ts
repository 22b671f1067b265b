import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { connect } from "node:net";
import test from "node:test";
import { HELLO, post, send } from "../contract/ask.ts";
import { addDevice, signUp, startPush } from "../support/app.ts";
import { ON_SQLITE } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { isOver, recordOnce } from "../support/log.ts";
import { missing } from "../support/program.ts";
import { startServerProcess } from "../support/server-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const DEVICES = 5;
const OPTIONS = {
  timeout: 120_000,
  skip:
    ON_SQLITE.skip ||
    (process.platform !== "linux" && "It limits the open files of a running process.") ||
    missing("prlimit", "util-linux"),
};

/** Says how many files a process may have open beyond those that it has now; null for as many as ever. */
function allowMore(pid: number, more: number | null): void {
  const most = more === null ? 1_024 : readdirSync(`/proc/${pid}/fd`).length + more;
  const { status, stderr } = spawnSync("prlimit", ["--pid", String(pid), `--nofile=${most}:`], {
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
}

async function startFull(t: test.TestContext) {
  const push = await startPush(t);
  const lines: string[] = [];
  const server = await startServerProcess(t, {
    environment: {
      TOCSIN_DATA_DIR: await temporaryFolder(t),
      TOCSIN_WEBPUSH_ALLOW_ORIGINS: `http://127.0.0.1:${push.port}`,
      TOCSIN_VAPID_SUBJECT: "mailto:ops@example.org",
      TOCSIN_LOG_LEVEL: "error",
      TOCSIN_SYNC_WAIT_MS: "3000",
    },
    onOutput: (text) => void lines.push(text),
  });
  const ann = await signUp(server, "Ann");
  const phones = [];
  for (let count = 1; count <= DEVICES; count += 1) {
    phones.push((await addDevice({ push }, ann, `Phone ${count}`)).phone);
  }
  return { server, ann, phones, lines, pid: server.child.pid ?? 0 };
}

test(
  "a server without a free file descriptor blames neither push services nor devices, and sends once it has one",
  OPTIONS,
  async (t) => {
    const { server, ann, phones, lines, pid } = await startFull(t);
    const { url } = server;
    // One is for the connection on which it is asked.
    allowMore(pid, 1);
    const answer = await post(url, { key: ann.key, body: HELLO });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(
      JSON.parse(answer.text).message,
      `Accepted; 0 of ${DEVICES} delivered so far, ${DEVICES} queued`,
    );
    const { text: metrics } = await send(url, { path: "/metrics" });
    const held = metrics
      .split("\n")
      .filter((line) => /^tocsin_push_services_held\{.*\} [1-9]/.test(line));
    assert.deepEqual(held, []);
    allowMore(pid, null);
    const id = String(answer.headers["x-notification-id"]);
    const before = await ann.client.notifications.get(id);
    for (const { state, attempts, message } of before.deliveries) {
      if (state === "accepted") continue;
      assert.deepEqual([state, attempts], ["retrying", 0]);
      assert.match(message ?? "", /this server has no free file descriptor/);
    }
    const record = await recordOnce(ann.client, id, isOver);
    for (const { state, attempts } of record.deliveries) {
      assert.deepEqual([state, attempts], ["accepted", 1]);
    }
    for (const phone of phones) assert.equal(phone.judged.length, 1);
    const errors = lines
      .join("")
      .split("\n")
      .filter((line) => line.includes("open files"));
    assert.equal(errors.length, 1, lines.join(""));
  },
);

test(
  "a server that could take no connection takes them once it has a file descriptor",
  OPTIONS,
  async (t) => {
    const { server, ann, pid } = await startFull(t);
    const { hostname, port } = new URL(server.url);
    allowMore(pid, 0);
    const waiting = Array.from({ length: 5 }, () => connect(Number(port), hostname));
    for (const socket of waiting) socket.on("error", () => {});
    t.after(() => waiting.forEach((socket) => socket.destroy()));
    // A connection that there was before is not what is asked about.
    const isTaken = () =>
      send(server.url, { path: "/healthz" }).then(({ status }) => status === 200);
    await assert.rejects(isTaken());
    allowMore(pid, null);
    await eventually(() => isTaken().catch(() => false), Boolean);
    const answer = await ann.client.notify(HELLO);
    assert.equal(answer.message, `Delivered to ${DEVICES} of ${DEVICES} devices`);
  },
);
