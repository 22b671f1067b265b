import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import test, { type TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { send } from "../contract/ask.ts";
import { quantile } from "../campaigns/findings.ts";
import { startServerProcess } from "../support/server-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { sizeOf, reportFigure } from "./bar.ts";

const CONNECTIONS = sizeOf({ short: 120, full: 2_000 });
/** More lenient in the short form, which runs next to other tests. */
const CLOSE_MAX_MS = sizeOf({ short: 20_000, full: 15_000 });
const DRIP_MS = 400;
/** Groups that write in turn, so as not to slow down the measurement in the same process. */
const GROUPS = 40;
const SLOWDOWN_MAX = 2;
/** Negligible latency. The short form, which runs next to other tests, only detects a standstill. */
const NEGLIGIBLE_MS = sizeOf({ short: 2_000, full: 20 });
const OTHER_REQUESTS = sizeOf({ short: 60, full: 400 });

const REQUEST_HEADER =
  "POST /api/v1/notify HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
/** First bytes of each kind of connection, and the bytes that it adds now and then. */
const KINDS = [
  { begin: "", drip: "" },
  { begin: "G", drip: "" },
  { begin: "GET /", drip: "x" },
  { begin: "GET / HTTP/1.1\r\nHost: x\r\n", drip: "X-A: b\r\n" },
  { begin: "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ", drip: "b" },
  { begin: `${REQUEST_HEADER}Content-Length: 100000\r\n\r\n{`, drip: " " },
  { begin: `${REQUEST_HEADER}Transfer-Encoding: chunked\r\n\r\n`, drip: "1\r\n \r\n" },
  { begin: "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /healthz", drip: "x" },
] as const;

test(
  "slow connections are closed within 15 s and delay no other request",
  { timeout: 120_000 },
  async (t) => {
    const environment = { TOCSIN_DATA_DIR: await temporaryFolder(t), TOCSIN_LOG_LEVEL: "warn" };
    const { url } = await startServerProcess(t, { environment });
    await measureRequests(url, OTHER_REQUESTS / 4);
    const beforeMs = quantile(await measureRequests(url, OTHER_REQUESTS), 0.99) ?? 0;
    const slow = await openSlow(t, url);
    let group = 0;
    const dripping = setInterval(() => {
      group = (group + 1) % GROUPS;
      drip(slow.filter((_, index) => index % GROUPS === group));
    }, DRIP_MS / GROUPS);
    t.after(() => clearInterval(dripping));
    const duringMs = quantile(await measureRequests(url, OTHER_REQUESTS), 0.99) ?? 0;
    const longestMs = await waitUntilClosed(slow);
    const openCount = slow.filter(({ closedAt }) => closedAt === null).length;
    assert.equal(
      openCount,
      0,
      `${openCount} connections were open after ${CLOSE_MAX_MS / 1_000} s`,
    );
    const bound = Math.max(NEGLIGIBLE_MS, beforeMs * SLOWDOWN_MAX);
    assert.ok(
      duringMs <= bound,
      `p99 ${duringMs.toFixed(1)} ms during the attack, ${beforeMs.toFixed(1)} ms before`,
    );
    const times = `p99 of other requests ${beforeMs.toFixed(1)} ms before, ${duringMs.toFixed(1)} ms during the attack`;
    reportFigure(
      t,
      `${CONNECTIONS.toLocaleString("en")} connections, the last closed after ${(longestMs / 1_000).toFixed(1)} s; ${times}`,
    );
  },
);

interface SlowConnection {
  readonly socket: Socket;
  readonly drip: string;
  openedAt: number;
  closedAt: number | null;
}

async function openSlow(t: TestContext, url: string): Promise<readonly SlowConnection[]> {
  const port = Number(new URL(url).port);
  const slow = Array.from({ length: CONNECTIONS }, (_, index) => {
    const { begin, drip } = KINDS[index % KINDS.length] ?? KINDS[0];
    // Half of the writing ones ignore that the server ends its side; one that writes nothing would never detect a closed connection.
    const ignoresEnd = drip !== "" && index % (2 * KINDS.length) < KINDS.length;
    const socket = connect({ host: "127.0.0.1", port, allowHalfOpen: ignoresEnd });
    const connection: SlowConnection = {
      socket,
      drip,
      openedAt: performance.now(),
      closedAt: null,
    };
    socket.on("connect", () => (connection.openedAt = performance.now()));
    socket.on("error", () => {});
    socket.on("close", () => (connection.closedAt = performance.now()));
    socket.resume().write(begin);
    return connection;
  });
  t.after(() => {
    for (const { socket } of slow) socket.destroy();
  });
  return slow;
}

function drip(slow: readonly SlowConnection[]): void {
  for (const { socket, drip } of slow) if (socket.writable) socket.write(drip);
}

/** Waits until all are closed or the time is up; returns how long the longest was open, in milliseconds. */
async function waitUntilClosed(slow: readonly SlowConnection[]): Promise<number> {
  const until = Math.max(...slow.map(({ openedAt }) => openedAt)) + CLOSE_MAX_MS;
  while (performance.now() < until && slow.some(({ closedAt }) => closedAt === null))
    await wait(50);
  return Math.max(...slow.map(({ openedAt, closedAt }) => (closedAt ?? Infinity) - openedAt));
}

/** Sends requests one after the other, each on a new connection; returns how long each took. */
async function measureRequests(url: string, count: number): Promise<readonly number[]> {
  const times = [];
  for (let index = 0; index < count; index += 1) {
    const start = performance.now();
    const { status } = await send(url, { method: "POST", path: "/api/v1/notify" });
    times.push(performance.now() - start);
    assert.equal(status, 401);
    await wait(5);
  }
  return times;
}
