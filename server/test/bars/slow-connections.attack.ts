import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import test, { type TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { send } from "../contract/ask.ts";
import { quantile } from "../campaigns/findings.ts";
import { startServerProcess } from "../support/server-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { sizeOf, tellFigure } from "./bar.ts";

const CONNECTIONS = sizeOf({ short: 120, full: 2_000 });
/** In short with patience, beside other tests. */
const CLOSED_WITHIN_MS = sizeOf({ short: 20_000, full: 15_000 });
const DRIP_MS = 400;
/** They drip in turns: who measures beside them is of the same process. */
const TURNS = 40;
const TIMES_SLOWER = 2;
/** Below this nobody notices a difference; in short, beside other tests, only standing still is one. */
const UNNOTICED_MS = sizeOf({ short: 2_000, full: 20 });
const LEGITIMATE = sizeOf({ short: 60, full: 400 });

const HEAD = "POST /api/v1/notify HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
/** How each begins, and what it adds from then on. */
const KINDS = [
  { begin: "", drip: "" },
  { begin: "G", drip: "" },
  { begin: "GET /", drip: "x" },
  { begin: "GET / HTTP/1.1\r\nHost: x\r\n", drip: "X-A: b\r\n" },
  { begin: "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ", drip: "b" },
  { begin: `${HEAD}Content-Length: 100000\r\n\r\n{`, drip: " " },
  { begin: `${HEAD}Transfer-Encoding: chunked\r\n\r\n`, drip: "1\r\n \r\n" },
  { begin: "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /healthz", drip: "x" },
] as const;

test(
  "a client that sends a byte now and then is let go within 15 s, and nobody else waits",
  { timeout: 120_000 },
  async (t) => {
    const environment = { TOCSIN_DATA_DIR: await temporaryFolder(t), TOCSIN_LOG_LEVEL: "warn" };
    const { url } = await startServerProcess(t, { environment });
    await ask(url, LEGITIMATE / 4);
    const usual = quantile(await ask(url, LEGITIMATE), 0.99) ?? 0;
    const slow = await open(t, url);
    let turn = 0;
    const dripping = setInterval(() => {
      turn = (turn + 1) % TURNS;
      drip(slow.filter((_, index) => index % TURNS === turn));
    }, DRIP_MS / TURNS);
    t.after(() => clearInterval(dripping));
    const beside = quantile(await ask(url, LEGITIMATE), 0.99) ?? 0;
    const took = await allClosed(slow);
    const left = slow.filter(({ closedAt }) => closedAt === null).length;
    assert.equal(left, 0, `${left} connections were open after ${CLOSED_WITHIN_MS / 1_000} s`);
    const bound = Math.max(UNNOTICED_MS, usual * TIMES_SLOWER);
    assert.ok(
      beside <= bound,
      `p99 ${beside.toFixed(1)} ms beside them, ${usual.toFixed(1)} ms before`,
    );
    const times = `p99 of others ${usual.toFixed(1)} ms before, ${beside.toFixed(1)} ms beside`;
    tellFigure(
      t,
      `${CONNECTIONS.toLocaleString("en")} connections, the last closed after ${(took / 1_000).toFixed(1)} s; ${times}`,
    );
  },
);

interface Slow {
  readonly socket: Socket;
  readonly drip: string;
  openedAt: number;
  closedAt: number | null;
}

async function open(t: TestContext, url: string): Promise<readonly Slow[]> {
  const port = Number(new URL(url).port);
  const slow = Array.from({ length: CONNECTIONS }, (_, index) => {
    const { begin, drip } = KINDS[index % KINDS.length] ?? KINDS[0];
    // Half of them do not care that the server ends its side; who writes nothing would never notice that it is gone.
    const isStubborn = drip !== "" && index % (2 * KINDS.length) < KINDS.length;
    const socket = connect({ host: "127.0.0.1", port, allowHalfOpen: isStubborn });
    const one: Slow = { socket, drip, openedAt: performance.now(), closedAt: null };
    socket.on("connect", () => (one.openedAt = performance.now()));
    socket.on("error", () => {});
    socket.on("close", () => (one.closedAt = performance.now()));
    socket.resume().write(begin);
    return one;
  });
  t.after(() => {
    for (const { socket } of slow) socket.destroy();
  });
  return slow;
}

function drip(slow: readonly Slow[]): void {
  for (const { socket, drip } of slow) if (socket.writable) socket.write(drip);
}

/** Waits until all are closed, or should be; returns how long the one that took longest was open. */
async function allClosed(slow: readonly Slow[]): Promise<number> {
  const until = Math.max(...slow.map(({ openedAt }) => openedAt)) + CLOSED_WITHIN_MS;
  while (performance.now() < until && slow.some(({ closedAt }) => closedAt === null))
    await wait(50);
  return Math.max(...slow.map(({ openedAt, closedAt }) => (closedAt ?? Infinity) - openedAt));
}

/** Asks one after the other, each over a connection of its own; returns how long each took. */
async function ask(url: string, count: number): Promise<readonly number[]> {
  const times = [];
  for (let asked = 0; asked < count; asked += 1) {
    const start = performance.now();
    const { status } = await send(url, { method: "POST", path: "/api/v1/notify" });
    times.push(performance.now() - start);
    assert.equal(status, 401);
    await wait(5);
  }
  return times;
}
