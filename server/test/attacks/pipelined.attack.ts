import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import test, { type TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { createClient } from "@tocsin/sdk";
import { computeQuantile } from "../campaigns/findings.ts";
import { requestJson, post } from "../contract/http-requests.ts";
import { startServerProcess } from "../support/server-process.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { chooseSize, reportFigure } from "./bar.ts";
import { fetchPublicResponses, listGetPaths } from "./public-responses.ts";

const CONNECTION_COUNT = chooseSize({ short: 80, full: 400 });
const REQUESTS_PER_CONNECTION = 1_500;
/** Number of largest responses with a separate wave, in which all connections request the same path. */
const LARGEST_COUNT = chooseSize({ short: 1, full: 8 });
const ATTACK_MS = chooseSize({ short: 1_000, full: 4_000 });
/** Memory limit of the process. */
const MEMORY_MAX_MB = 512;
/** Node's default heap on a machine with that much memory. */
const HEAP_MB = MEMORY_MAX_MB / 2;
/** More lenient in the short form, which runs next to other tests. */
const OTHER_P99_MAX_MS = chooseSize({ short: 4_000, full: 1_000 });
const OTHER_INTERVAL_MS = 20;
const OTHER_TIMEOUT_MS = 10_000;
/** The process releases unused memory after two idle checks, 5 s apart. */
const RELEASE_MAX_MS = 15_000;
/** Memory growth after the release; larger in the short form, which does not wait for it. */
const GROWTH_MAX_MB = chooseSize({ short: 250, full: 50 });
const FEED_SIZE = 200;
const BODY = "The backup is finished.";

test(
  "pipelined requests whose responses are never read use limited memory and hold up no other request",
  { timeout: 10 * 60_000 },
  async (t) => {
    const paths = await listGetPaths(t);
    const target = await startServer(t);
    const document = await requestJson(target.url, { path: "/openapi.json" });
    for (const path of listDocumentedGetPaths(document.text)) assert.ok(paths.includes(path), path);
    const responses = await fetchPublicResponses(target.url, paths);
    assert.ok(responses.length > 10 && (responses[0]?.sizeBytes ?? 0) > 100_000);
    const requests = responses.map(({ path }) => buildRequest(path));
    const feedRequest = buildRequest(`/api/app/v1/feed?limit=${FEED_SIZE}`, target.token);
    const waves = [requests, ...requests.slice(0, LARGEST_COUNT).map((request) => [request])];
    const beforeMb = readMemoryMb(target, "VmRSS");
    const timesMs: number[] = [];
    for (const wave of waves) timesMs.push(...(await pipelineRequests(t, target, wave)));
    const peakMb = readMemoryMb(target, "VmHWM");
    const growthMb = await waitForRelease(target, beforeMb);
    timesMs.push(...(await pipelineRequests(t, target, [feedRequest])));
    const feedPeakMb = readMemoryMb(target, "VmHWM");
    const otherP99Ms = computeQuantile(timesMs, 0.99) ?? 0;
    reportFigure(
      t,
      `${waves.length + 1} times ${CONNECTION_COUNT} connections of ${REQUESTS_PER_CONNECTION.toLocaleString("en")} requests: ${beforeMb} MB before, ${peakMb} MB at most for ${responses.length} addresses, ${beforeMb + growthMb} MB within ${RELEASE_MAX_MS / 1_000} s after, ${feedPeakMb} MB at most for the feed; p99 of other requests ${otherP99Ms.toFixed(0)} ms`,
    );
    assert.ok(peakMb <= MEMORY_MAX_MB, `${peakMb} MB were held`);
    assert.ok(feedPeakMb <= MEMORY_MAX_MB, `${feedPeakMb} MB were held`);
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
    TOCSIN_DATA_DIR: await createTemporaryFolder(t),
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
  for (let count = 0; count < FEED_SIZE; count += 1)
    await post(url, { key, path: "/api/v1/notify-async", body: { title: "Backup", body: BODY } });
  const isAlive = () => child.exitCode === null && child.signalCode === null;
  return { url, pid: child.pid ?? 0, token, isAlive };
}

/** Returns the GET paths of the OpenAPI document. */
function listDocumentedGetPaths(text: string): readonly string[] {
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
async function pipelineRequests(
  t: TestContext,
  target: Target,
  requests: readonly string[],
): Promise<readonly number[]> {
  const port = Number(new URL(target.url).port);
  const sockets = Array.from({ length: CONNECTION_COUNT }, (_, index) =>
    openWithoutReading(
      port,
      (requests[index % requests.length] ?? "").repeat(REQUESTS_PER_CONNECTION),
    ),
  );
  const closeAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  t.after(closeAll);
  const timesMs = [];
  const deadlineAt = performance.now() + ATTACK_MS;
  while (performance.now() < deadlineAt) {
    timesMs.push(await measureOtherRequest(target));
    await wait(OTHER_INTERVAL_MS);
  }
  closeAll();
  return timesMs;
}

function openWithoutReading(port: number, text: string): Socket {
  const socket = connect({ host: "127.0.0.1", port });
  // The server may close a connection early.
  socket.on("error", () => {});
  socket.pause().write(text);
  return socket;
}

/** Measures one request on a keep-alive connection, so that connection set-up does not count. */
async function measureOtherRequest(target: Target): Promise<number> {
  const startedAt = performance.now();
  try {
    const signal = AbortSignal.timeout(OTHER_TIMEOUT_MS);
    const response = await fetch(`${target.url}/api/v1/notify`, { method: "POST", signal });
    await response.text();
    assert.equal(response.status, 401);
  } catch (error) {
    assert.ok(target.isAlive(), "the server is gone");
    throw new Error("other requests got no response", { cause: error });
  }
  return performance.now() - startedAt;
}

/** Waits until enough memory is released, or the time is up; returns the growth. */
async function waitForRelease(target: Target, beforeMb: number): Promise<number> {
  const deadlineAt = performance.now() + RELEASE_MAX_MS;
  let growthMb = readMemoryMb(target, "VmRSS") - beforeMb;
  while (growthMb > GROWTH_MAX_MB && performance.now() < deadlineAt) {
    await wait(100);
    growthMb = readMemoryMb(target, "VmRSS") - beforeMb;
  }
  return growthMb;
}

/** Returns the current or peak memory of proc_pid_status(5) in MiB; 0 on systems without it. */
function readMemoryMb({ pid, isAlive }: Target, name: "VmRSS" | "VmHWM"): number {
  if (process.platform !== "linux") return 0;
  assert.ok(isAlive(), "the server is gone");
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0) / 1_024);
}
