import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import test, { type TestContext } from "node:test";
import { createClient } from "@tocsin/sdk";
import { startServerProcess } from "../support/server-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { sizeOf, tellFigure } from "./bar.ts";
import { GOOD_LINE, malformedRequest, picksOf } from "./malformed-requests.ts";

const COUNT = sizeOf({ short: 3_000, full: 100_000 });
/** Before memory is compared: what a process needs once. */
const WARM_UP = sizeOf({ short: 500, full: 5_000 });
const SEED = 20_261_122;
const AT_ONCE = 32;
const PATIENCE_MS = 30_000;
const GROWTH_MAX_MB = 50;
/** Where nothing is, or nothing that answers this method. */
const ELSEWHERE = new Set([404, 405]);
const STATUSES = new Set([100, 200, 400, 401, ...ELSEWHERE]);

interface Target {
  readonly url: string;
  readonly key: string;
  readonly pid: number;
}

async function start(t: TestContext): Promise<Target> {
  const environment = {
    TOCSIN_DATA_DIR: await temporaryFolder(t),
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
  "any malformed request is answered as the contract says, and costs no memory",
  { timeout: 25 * 60_000 },
  async (t) => {
    const target = await start(t);
    const counts = new Map<number, number>();
    await attack(target, { from: 0, count: WARM_UP, counts });
    const before = memoryMb(target);
    await attack(target, { from: WARM_UP, count: COUNT, counts });
    const growth = memoryMb(target) - before;
    const health = await fetch(`${target.url}/healthz`);
    assert.equal(health.status, 200);
    assert.ok(growth <= GROWTH_MAX_MB, `${growth} MB more memory`);
    const told = [...counts]
      .toSorted(([one], [other]) => one - other)
      .map(([status, count]) => `${status}: ${count.toLocaleString("en")}`);
    tellFigure(
      t,
      `${COUNT.toLocaleString("en")} requests; ${told.join(", ")}; ${growth} MB more memory`,
    );
  },
);

interface Attack {
  readonly from: number;
  readonly count: number;
  readonly counts: Map<number, number>;
}

async function attack(target: Target, { from, count, counts }: Attack): Promise<void> {
  let next = from;
  const work = async () => {
    while (next < from + count) {
      const bytes = malformedRequest(target.key, picksOf(SEED + next));
      next += 1;
      const answer = await answerTo(target, bytes);
      for (const status of judge(bytes, answer)) counts.set(status, (counts.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** Returns the statuses of an answer; fails where the contract knows no such answer. */
function judge(bytes: Buffer, answer: string): readonly number[] {
  const name = JSON.stringify(bytes.toString("latin1").slice(0, 300));
  const statuses = Array.from(answer.matchAll(/HTTP\/1\.1 (\d{3}) [A-Z]/g), ([, status]) =>
    Number(status),
  );
  for (const status of statuses) assert.ok(STATUSES.has(status), `${name} is answered ${status}`);
  const [first = 0] = statuses;
  const isThere = bytes.toString("latin1").startsWith(GOOD_LINE);
  assert.ok(!isThere || !ELSEWHERE.has(first), `${name} is answered ${first}`);
  return statuses;
}

/** Writes the bytes, ends, and returns what comes back until the connection is closed. */
function answerTo({ url }: Target, bytes: Buffer): Promise<string> {
  const { port } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const pieces: Buffer[] = [];
  const socket = connect({ host: "127.0.0.1", port: Number(port), timeout: PATIENCE_MS });
  socket.on("timeout", () => {
    socket.destroy();
    reject(
      new Error(`${JSON.stringify(bytes.toString("latin1"))} is neither answered nor closed.`),
    );
  });
  // A request that is refused halfway is reset while it is being written.
  socket.on("error", () => {});
  socket.on("data", (piece: Buffer) => pieces.push(piece));
  socket.on("close", () => resolve(Buffer.concat(pieces).toString("latin1")));
  socket.end(bytes);
  return promise;
}

/** proc_pid_status(5): VmRSS, in kB; 0 where the system does not tell. */
function memoryMb({ pid }: Target): number {
  if (process.platform !== "linux") return 0;
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1_000);
}
