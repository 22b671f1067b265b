import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import test, { type TestContext } from "node:test";
import { createClient } from "@tocsin/sdk";
import { startServerProcess } from "../support/server-process.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { chooseSize, reportFigure } from "./bar.ts";
import {
  VALID_REQUEST_LINE,
  createMalformedRequest,
  createIndexPicker,
} from "./malformed-requests.ts";

const REQUEST_COUNT = chooseSize({ short: 3_000, full: 100_000 });
/** Requests before the memory baseline: a process allocates some memory only once. */
const WARM_UP_COUNT = chooseSize({ short: 500, full: 5_000 });
const SEED = 20_261_122;
const CONCURRENCY = 32;
const RESPONSE_MAX_MS = 30_000;
const GROWTH_MAX_MB = 50;
/** Statuses for other paths and methods. A damaged path may be one of ntfy, whose API refuses a request without a key. */
const OTHER_PATH_STATUSES = new Set([403, 404, 405]);
const ALLOWED_STATUSES = new Set([100, 200, 400, 401, ...OTHER_PATH_STATUSES]);

interface Target {
  readonly url: string;
  readonly key: string;
  readonly pid: number;
}

async function startServer(t: TestContext): Promise<Target> {
  const environment = {
    TOCSIN_DATA_DIR: await createTemporaryFolder(t),
    TOCSIN_RATE_LIMIT_PER_S: "0",
    TOCSIN_LOG_LEVEL: "warn",
  };
  const { url, child } = await startServerProcess(t, { environment });
  const client = createClient({ baseUrl: url });
  await client.signUp({ email: "ann@example.org", name: "Ann", password: "password of Ann" });
  const { key } = await client.keys.create({ kind: "account" });
  return { url, key, pid: child.pid ?? 0 };
}

test(
  "malformed requests get only statuses of the contract, and leak no memory",
  { timeout: 25 * 60_000 },
  async (t) => {
    const target = await startServer(t);
    const countsByStatus = new Map<number, number>();
    await sendMalformedRequests(target, { from: 0, count: WARM_UP_COUNT, countsByStatus });
    const beforeMb = readMemoryMb(target);
    await sendMalformedRequests(target, {
      from: WARM_UP_COUNT,
      count: REQUEST_COUNT,
      countsByStatus,
    });
    const growthMb = readMemoryMb(target) - beforeMb;
    const health = await fetch(`${target.url}/healthz`);
    assert.equal(health.status, 200);
    assert.ok(growthMb <= GROWTH_MAX_MB, `${growthMb} MB more memory`);
    const summary = [...countsByStatus]
      .toSorted(([a], [b]) => a - b)
      .map(([status, count]) => `${status}: ${count.toLocaleString("en")}`);
    reportFigure(
      t,
      `${REQUEST_COUNT.toLocaleString("en")} requests; ${summary.join(", ")}; ${growthMb} MB more memory`,
    );
  },
);

interface AttackRange {
  readonly from: number;
  readonly count: number;
  readonly countsByStatus: Map<number, number>;
}

async function sendMalformedRequests(
  target: Target,
  { from, count, countsByStatus }: AttackRange,
): Promise<void> {
  let nextIndex = from;
  const sendRemaining = async () => {
    while (nextIndex < from + count) {
      const bytes = createMalformedRequest(target.key, createIndexPicker(SEED + nextIndex));
      nextIndex += 1;
      const response = await sendAndReceive(target, bytes);
      for (const status of checkStatuses(bytes, response))
        countsByStatus.set(status, (countsByStatus.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, sendRemaining));
}

/** Returns the statuses in a response; fails if the contract has no such response. */
function checkStatuses(bytes: Buffer, response: string): readonly number[] {
  const name = JSON.stringify(bytes.toString("latin1").slice(0, 300));
  const statuses = Array.from(response.matchAll(/HTTP\/1\.1 (\d{3}) [A-Z]/g), ([, status]) =>
    Number(status),
  );
  for (const status of statuses)
    assert.ok(ALLOWED_STATUSES.has(status), `${name} is answered ${status}`);
  const [firstStatus = 0] = statuses;
  const hasValidLine = bytes.toString("latin1").startsWith(VALID_REQUEST_LINE);
  assert.ok(
    !hasValidLine || !OTHER_PATH_STATUSES.has(firstStatus),
    `${name} is answered ${firstStatus}`,
  );
  return statuses;
}

/** Sends the bytes and returns everything received until the connection closes. */
function sendAndReceive({ url }: Target, bytes: Buffer): Promise<string> {
  const { port } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const chunks: Buffer[] = [];
  const socket = connect({ host: "127.0.0.1", port: Number(port), timeout: RESPONSE_MAX_MS });
  socket.on("timeout", () => {
    socket.destroy();
    reject(
      new Error(`${JSON.stringify(bytes.toString("latin1"))} is neither answered nor closed.`),
    );
  });
  // The server may reset a refused request while it is still being written.
  socket.on("error", () => {});
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.on("close", () => resolve(Buffer.concat(chunks).toString("latin1")));
  socket.end(bytes);
  return promise;
}

/** Returns the resident memory in MiB, as VmRSS of proc_pid_status(5) has it; 0 on systems without it. */
function readMemoryMb({ pid }: Target): number {
  if (process.platform !== "linux") return 0;
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1_024);
}
