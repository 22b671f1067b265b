import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import test, { type TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { createClient } from "@tocsin/sdk";
import { quantile } from "../campaigns/findings.ts";
import { ask, post } from "../contract/ask.ts";
import { startServerProcess } from "../support/server-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { sizeOf, tellFigure } from "./bar.ts";
import { openAnswers, readablePaths } from "./open-answers.ts";

const CONNECTIONS = sizeOf({ short: 80, full: 400 });
const REQUESTS = 1_500;
/** So many of the largest answers are asked for by all connections at once, beside all of them in turn. */
const LARGEST = sizeOf({ short: 1, full: 8 });
const HELD_MS = sizeOf({ short: 1_000, full: 4_000 });
/** All that the process may hold. */
const LIMIT_MB = 512;
/** The heap that Node takes by default on a machine of that size. */
const HEAP_MB = LIMIT_MB / 2;
/** In short with patience, beside other tests. */
const OTHERS_MAX_MS = sizeOf({ short: 4_000, full: 1_000 });
const OTHERS_WAIT_MS = 20;
const OTHERS_PATIENCE_MS = 10_000;
/** The process gives back what it does not need once it has rested for two looks, of 5 s each. */
const BACK_WITHIN_MS = 15_000;
/** In short nobody waits for that. */
const KEPT_MAX_MB = sizeOf({ short: 250, full: 50 });
const FEED_SIZE = 200;
const BODY = "The backup is finished.";

test(
  "a client that asks without end and takes no answer costs little memory, and nobody else waits",
  { timeout: 10 * 60_000 },
  async (t) => {
    const paths = await readablePaths(t);
    const target = await start(t);
    const document = await ask(target.url, { path: "/openapi.json" });
    for (const path of documentedReads(document.text)) assert.ok(paths.includes(path), path);
    const answers = await openAnswers(target.url, paths);
    assert.ok(answers.length > 10 && (answers[0]?.sizeBytes ?? 0) > 100_000);
    const all = answers.map(({ path }) => requestOf(path));
    const feed = requestOf(`/api/app/v1/feed?limit=${FEED_SIZE}`, target.token);
    const waves = [all, ...all.slice(0, LARGEST).map((one) => [one])];
    const before = memoryMb(target, "VmRSS");
    const times: number[] = [];
    for (const requests of waves) times.push(...(await attack(t, target, requests)));
    const most = memoryMb(target, "VmHWM");
    const kept = await keptMb(target, before);
    times.push(...(await attack(t, target, [feed])));
    const mostOfFeed = memoryMb(target, "VmHWM");
    const others = quantile(times, 0.99) ?? 0;
    tellFigure(
      t,
      `${waves.length + 1} times ${CONNECTIONS} connections of ${REQUESTS.toLocaleString("en")} requests: ${before} MB before, ${most} MB at most for ${answers.length} addresses, ${before + kept} MB within ${BACK_WITHIN_MS / 1_000} s after, ${mostOfFeed} MB at most for the feed; p99 of others ${others.toFixed(0)} ms`,
    );
    assert.ok(most <= LIMIT_MB, `${most} MB were held`);
    assert.ok(mostOfFeed <= LIMIT_MB, `${mostOfFeed} MB were held`);
    assert.ok(others <= OTHERS_MAX_MS, `p99 of others is ${others.toFixed(0)} ms`);
    assert.ok(kept <= KEPT_MAX_MB, `${kept} MB more than before are kept`);
  },
);

interface Target {
  readonly url: string;
  readonly pid: number;
  readonly token: string;
  readonly isAlive: () => boolean;
}

async function start(t: TestContext): Promise<Target> {
  const environment = {
    TOCSIN_DATA_DIR: await temporaryFolder(t),
    TOCSIN_RATE_LIMIT_PER_S: "0",
    TOCSIN_LOG_LEVEL: "warn",
    // Without it, metrics are for everybody on this machine.
    TOCSIN_METRICS_TOKEN: "a token of this test",
  };
  const flags = [`--max-old-space-size=${HEAP_MB}`];
  const { url, child } = await startServerProcess(t, { environment, flags });
  const client = createClient({ baseUrl: url });
  await client.signUp({ email: "ann@example.org", name: "Ann", password: "password of Ann" });
  const { key } = await client.keys.create({ kind: "account" });
  const { token } = await client.accessTokens.create({ label: "reader" });
  for (let sent = 0; sent < FEED_SIZE; sent += 1)
    await post(url, { key, path: "/api/v1/notify-async", body: { title: "Backup", body: BODY } });
  const isAlive = () => child.exitCode === null && child.signalCode === null;
  return { url, pid: child.pid ?? 0, token, isAlive };
}

/** The addresses that the document says can be read. */
function documentedReads(text: string): readonly string[] {
  const document: { readonly paths: Readonly<Record<string, object>> } = JSON.parse(text);
  return Object.entries(document.paths)
    .filter(([, methods]) => "get" in methods)
    .map(([path]) => path.replaceAll(/\{\w+\}/g, "x"));
}

function requestOf(path: string, token?: string): string {
  const authorization = token === undefined ? "" : `Authorization: Bearer ${token}\r\n`;
  return `GET ${path} HTTP/1.1\r\nHost: x\r\n${authorization}\r\n`;
}

/** Writes one of the requests to each connection without end, reads nothing, and returns how long others waited meanwhile. */
async function attack(
  t: TestContext,
  target: Target,
  requests: readonly string[],
): Promise<readonly number[]> {
  const port = Number(new URL(target.url).port);
  const sockets = Array.from({ length: CONNECTIONS }, (_, index) =>
    write(port, (requests[index % requests.length] ?? "").repeat(REQUESTS)),
  );
  const leave = () => {
    for (const socket of sockets) socket.destroy();
  };
  t.after(leave);
  const times = [];
  const until = performance.now() + HELD_MS;
  while (performance.now() < until) {
    times.push(await timeOfOther(target));
    await wait(OTHERS_WAIT_MS);
  }
  leave();
  return times;
}

function write(port: number, text: string): Socket {
  const socket = connect({ host: "127.0.0.1", port });
  // Connections may be cut off by the server.
  socket.on("error", () => {});
  socket.pause().write(text);
  return socket;
}

/** Over a connection that is kept: how many connections a server accepts in a second is another matter. */
async function timeOfOther(target: Target): Promise<number> {
  const start = performance.now();
  try {
    const signal = AbortSignal.timeout(OTHERS_PATIENCE_MS);
    const response = await fetch(`${target.url}/api/v1/notify`, { method: "POST", signal });
    await response.text();
    assert.equal(response.status, 401);
  } catch (error) {
    assert.ok(target.isAlive(), "the server is gone");
    throw new Error("others are not answered", { cause: error });
  }
  return performance.now() - start;
}

/** Waits until no more than that is kept, or should be; returns how much is. */
async function keptMb(target: Target, before: number): Promise<number> {
  const until = performance.now() + BACK_WITHIN_MS;
  let kept = memoryMb(target, "VmRSS") - before;
  while (kept > KEPT_MAX_MB && performance.now() < until) {
    await wait(100);
    kept = memoryMb(target, "VmRSS") - before;
  }
  return kept;
}

/** proc_pid_status(5), in kB: what is held now, or was at most; 0 where the system does not tell. */
function memoryMb({ pid, isAlive }: Target, name: "VmRSS" | "VmHWM"): number {
  if (process.platform !== "linux") return 0;
  assert.ok(isAlive(), "the server is gone");
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0) / 1_000);
}
