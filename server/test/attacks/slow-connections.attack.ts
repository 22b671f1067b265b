import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import test, { type TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { send } from "../contract/http-requests.ts";
import { computeQuantile } from "../campaigns/findings.ts";
import { startServerProcess } from "../support/server-process.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { chooseSize, reportFigure } from "./bar.ts";

const CONNECTION_COUNT = chooseSize({ short: 120, full: 2_000 });
/** More lenient in the short form, which runs next to other tests. */
const CLOSE_MAX_MS = chooseSize({ short: 20_000, full: 15_000 });
const DRIP_MS = 400;
/**
 * The number of groups of connections that write in turn, so as not to slow down the measurement in the same process.
 */
const GROUP_COUNT = 40;
const SLOWDOWN_MAX = 2;
/** Negligible latency. The short form, which runs next to other tests, only detects a standstill. */
const NEGLIGIBLE_MS = chooseSize({ short: 2_000, full: 20 });
const OTHER_REQUESTS = chooseSize({ short: 60, full: 400 });

const REQUEST_HEADER =
  "POST /api/v1/notify HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
/** First bytes of each kind of connection, and the bytes that it adds repeatedly. */
const CONNECTION_KINDS = [
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
  "slow connections are closed in time and hold up no other request",
  { timeout: 120_000 },
  async (t) => {
    const environment = {
      TOCSIN_DATA_DIR: await createTemporaryFolder(t),
      TOCSIN_LOG_LEVEL: "warn",
    };
    const { url } = await startServerProcess(t, { environment });
    await measureRequests(url, OTHER_REQUESTS / 4);
    const beforeMs = computeQuantile(await measureRequests(url, OTHER_REQUESTS), 0.99) ?? 0;
    const connections = await openSlowConnections(t, url);
    let group = 0;
    const dripTimer = setInterval(() => {
      group = (group + 1) % GROUP_COUNT;
      writeSlowBytes(connections.filter((_, index) => index % GROUP_COUNT === group));
    }, DRIP_MS / GROUP_COUNT);
    t.after(() => clearInterval(dripTimer));
    const duringMs = computeQuantile(await measureRequests(url, OTHER_REQUESTS), 0.99) ?? 0;
    const longestMs = await waitUntilClosed(connections);
    const openCount = connections.filter(({ closedAt }) => closedAt === null).length;
    assert.equal(
      openCount,
      0,
      `${openCount} connections were open after ${CLOSE_MAX_MS / 1_000} s`,
    );
    const limitMs = Math.max(NEGLIGIBLE_MS, beforeMs * SLOWDOWN_MAX);
    assert.ok(
      duringMs <= limitMs,
      `p99 ${duringMs.toFixed(1)} ms during the attack, ${beforeMs.toFixed(1)} ms before`,
    );
    const comparison = `p99 of other requests ${beforeMs.toFixed(1)} ms before, ${duringMs.toFixed(1)} ms during the attack`;
    reportFigure(
      t,
      `${CONNECTION_COUNT.toLocaleString("en")} connections, the last closed after ${(longestMs / 1_000).toFixed(1)} s; ${comparison}`,
    );
  },
);

interface SlowConnection {
  readonly socket: Socket;
  readonly drip: string;
  openedAt: number;
  closedAt: number | null;
}

async function openSlowConnections(
  t: TestContext,
  url: string,
): Promise<readonly SlowConnection[]> {
  const port = Number(new URL(url).port);
  const connections = Array.from({ length: CONNECTION_COUNT }, (_, index) => {
    const { begin, drip } =
      CONNECTION_KINDS[index % CONNECTION_KINDS.length] ?? CONNECTION_KINDS[0];
    // Half of the writing connections ignore that the server ends its side. A connection that writes nothing could not
    // detect that the server is gone.
    const ignoresEnd =
      drip !== "" && index % (2 * CONNECTION_KINDS.length) < CONNECTION_KINDS.length;
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
    for (const { socket } of connections) socket.destroy();
  });
  return connections;
}

function writeSlowBytes(connections: readonly SlowConnection[]): void {
  for (const { socket, drip } of connections) if (socket.writable) socket.write(drip);
}

/**
 * Waits until all connections are closed or the time is up; returns for how many milliseconds the longest connection
 * was open.
 */
async function waitUntilClosed(connections: readonly SlowConnection[]): Promise<number> {
  const deadlineAt = Math.max(...connections.map(({ openedAt }) => openedAt)) + CLOSE_MAX_MS;
  while (performance.now() < deadlineAt && connections.some(({ closedAt }) => closedAt === null))
    await wait(50);
  return Math.max(
    ...connections.map(({ openedAt, closedAt }) => (closedAt ?? Infinity) - openedAt),
  );
}

/** Sends requests one after another, each on a new connection; returns how long each took. */
async function measureRequests(url: string, count: number): Promise<readonly number[]> {
  const timesMs = [];
  for (let index = 0; index < count; index += 1) {
    const startedAt = performance.now();
    const { status } = await send(url, { method: "POST", path: "/api/v1/notify" });
    timesMs.push(performance.now() - startedAt);
    assert.equal(status, 401);
    await wait(5);
  }
  return timesMs;
}
