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
import { sizeOf, reportFigure } from "./bar.ts";
import { fetchPublicResponses, listGetPaths } from "./public-responses.ts";

const CONNECTIONS = sizeOf({ short: 80, full: 400 });
const REQUESTS = 1_500;
/** Number of the largest responses that get a separate wave, with all connections requesting the same one. */
const LARGEST = sizeOf({ short: 1, full: 8 });
const HELD_MS = sizeOf({ short: 1_000, full: 4_000 });
/** Memory limit of the process. */
const LIMIT_MB = 512;
/** Node's default heap on a machine with that much memory. */
const HEAP_MB = LIMIT_MB / 2;
/** More lenient in the short form, which runs next to other tests. */
const OTHER_P99_MAX_MS = sizeOf({ short: 4_000, full: 1_000 });
const OTHER_INTERVAL_MS = 20;
const OTHER_TIMEOUT_MS = 10_000;
/** The process releases unused memory after two idle checks, 5 s apart. */
const RELEASE_MAX_MS = 15_000;
/** Memory growth after the release; larger in the short form, which does not wait for it. */
const GROWTH_MAX_MB = sizeOf({ short: 250, full: 50 });
const FEED_SIZE = 200;
const BODY = "The backup is finished.";

test(
  "endless pipelined requests without reads use little memory and delay no other request",
  { timeout: 10 * 60_000 },
  async (t) => {
    const paths = await listGetPaths(t);
    const target = await startServer(t);
    const document = await ask(target.url, { path: "/openapi.json" });
    for (const path of documentedReads(document.text)) assert.ok(paths.includes(path), path);
    const responses = await fetchPublicResponses(target.url, paths);
    assert.ok(responses.length > 10 && (responses[0]?.sizeBytes ?? 0) > 100_000);
    const requests = responses.map(({ path }) => buildRequest(path));
    const feed = buildRequest(`/api/app/v1/feed?limit=${FEED_SIZE}`, target.token);
    const waves = [requests, ...requests.slice(0, LARGEST).map((request) => [request])];
    const before = memoryMb(target, "VmRSS");
    const times: number[] = [];
    for (const wave of waves) times.push(...(await attack(t, target, wave)));
    const peakMb = memoryMb(target, "VmHWM");
    const growthMb = await waitForRelease(target, before);
    times.push(...(await attack(t, target, [feed])));
    const feedPeakMb = memoryMb(target, "VmHWM");
    const otherP99Ms = quantile(times, 0.99) ?? 0;
    reportFigure(
      t,
      `${waves.length + 1} times ${CONNECTIONS} connections of ${REQUESTS.toLocaleString("en")} requests: ${before} MB before, ${peakMb} MB at most for ${responses.length} addresses, ${before + growthMb} MB within ${RELEASE_MAX_MS / 1_000} s after, ${feedPeakMb} MB at most for the feed; p99 of other requests ${otherP99Ms.toFixed(0)} ms`,
    );
    assert.ok(peakMb <= LIMIT_MB, `${peakMb} MB were held`);
    assert.ok(feedPeakMb <= LIMIT_MB, `${feedPeakMb} MB were held`);
    assert.ok(
      otherP99Ms <= OTHER_P99_MAX_MS,
      `p99 of other requests is ${otherP99Ms.toFixed(0)} ms`,
    );
    assert.ok(growthMb <= GROWTH_MAX_MB, `${growthMb} MB more than before`);
  },
);

interface Target {
  readonly url: string;
  readonly pid: number;
  readonly token: string;
  readonly isAlive: () => boolean;
}

async function startServer(t: TestContext): Promise<Target> {
  const environment = {
    TOCSIN_DATA_DIR: await temporaryFolder(t),
    TOCSIN_RATE_LIMIT_PER_S: "0",
    TOCSIN_LOG_LEVEL: "warn",
    // Without a token, metrics would be public on this machine.
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

/** Returns the GET paths of the OpenAPI document. */
function documentedReads(text: string): readonly string[] {
  const document: { readonly paths: Readonly<Record<string, object>> } = JSON.parse(text);
  return Object.entries(document.paths)
    .filter(([, methods]) => "get" in methods)
    .map(([path]) => path.replaceAll(/\{\w+\}/g, "x"));
}

function buildRequest(path: string, token?: string): string {
  const authorization = token === undefined ? "" : `Authorization: Bearer ${token}\r\n`;
  return `GET ${path} HTTP/1.1\r\nHost: x\r\n${authorization}\r\n`;
}

/** Pipelines a request on every connection without reading; returns the latencies of other requests meanwhile. */
async function attack(
  t: TestContext,
  target: Target,
  requests: readonly string[],
): Promise<readonly number[]> {
  const port = Number(new URL(target.url).port);
  const sockets = Array.from({ length: CONNECTIONS }, (_, index) =>
    write(port, (requests[index % requests.length] ?? "").repeat(REQUESTS)),
  );
  const closeAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  t.after(closeAll);
  const times = [];
  const until = performance.now() + HELD_MS;
  while (performance.now() < until) {
    times.push(await measureOther(target));
    await wait(OTHER_INTERVAL_MS);
  }
  closeAll();
  return times;
}

function write(port: number, text: string): Socket {
  const socket = connect({ host: "127.0.0.1", port });
  // The server may close a connection early.
  socket.on("error", () => {});
  socket.pause().write(text);
  return socket;
}

/** Measures one request on a keep-alive connection, so that connection set-up does not count. */
async function measureOther(target: Target): Promise<number> {
  const startServer = performance.now();
  try {
    const signal = AbortSignal.timeout(OTHER_TIMEOUT_MS);
    const response = await fetch(`${target.url}/api/v1/notify`, { method: "POST", signal });
    await response.text();
    assert.equal(response.status, 401);
  } catch (error) {
    assert.ok(target.isAlive(), "the server is gone");
    throw new Error("other requests got no response", { cause: error });
  }
  return performance.now() - startServer;
}

/** Waits until enough memory is released, or the time is up; returns the growth. */
async function waitForRelease(target: Target, before: number): Promise<number> {
  const until = performance.now() + RELEASE_MAX_MS;
  let growthMb = memoryMb(target, "VmRSS") - before;
  while (growthMb > GROWTH_MAX_MB && performance.now() < until) {
    await wait(100);
    growthMb = memoryMb(target, "VmRSS") - before;
  }
  return growthMb;
}

/** Returns the current or peak memory of proc_pid_status(5); 0 on systems without it. */
function memoryMb({ pid, isAlive }: Target, name: "VmRSS" | "VmHWM"): number {
  if (process.platform !== "linux") return 0;
  assert.ok(isAlive(), "the server is gone");
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0) / 1_000);
}
