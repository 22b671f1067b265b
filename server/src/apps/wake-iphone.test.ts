import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import { NtfyUpstream } from "../../test/doubles/ntfy-upstream.ts";
import { createIphoneWaker } from "./wake-iphone.ts";

const WAKE = { topic: "all-0a1b2c3d4e", notificationId: "01a2-b3" };
const BASE_URL = "https://push.example.org";
const RUNNING = new AbortController().signal;

/** A time limit that only the test ends. */
function createTestTimeout() {
  const controller = new AbortController();
  const limits: number[] = [];
  const createTimeout = (milliseconds: number) => {
    limits.push(milliseconds);
    return controller.signal;
  };
  return { createTimeout, limits, end: () => controller.abort() };
}

test("the upstream learns the hash of the topic's address and the id, and a token if there is one", async (t) => {
  const upstream = new NtfyUpstream();
  const url = await upstream.start(t);
  const { createTimeout, limits } = createTestTimeout();
  for (const token of [null, "tk_AgQdq7mVBoFD37zQVN29RhuMzNIz2"]) {
    const wake = createIphoneWaker({ upstream: { url, token }, baseUrl: BASE_URL, createTimeout });
    assert.deepEqual(await wake(WAKE, RUNNING), { host: new URL(url).host, problem: null });
  }
  const hash = createHash("sha256").update(`${BASE_URL}/${WAKE.topic}`).digest("hex");
  assert.deepEqual(upstream.requests, [
    { hash, pollId: WAKE.notificationId, authorization: null },
    {
      hash,
      pollId: WAKE.notificationId,
      authorization: "Bearer tk_AgQdq7mVBoFD37zQVN29RhuMzNIz2",
    },
  ]);
  assert.deepEqual(limits, [10_000, 10_000]);
});

test("each refusal of the upstream has its reason", async (t) => {
  const upstream = new NtfyUpstream();
  const url = await upstream.start(t);
  const { createTimeout } = createTestTimeout();
  const wake = createIphoneWaker({
    upstream: { url, token: null },
    baseUrl: BASE_URL,
    createTimeout,
  });
  const problems: (string | null)[] = [];
  for (const status of [429, 401, 403, 302, 500]) {
    upstream.status = status;
    problems.push((await wake(WAKE, RUNNING)).problem);
  }
  assert.deepEqual(problems, [
    "it takes no more requests today (429)",
    "it refuses TOCSIN_NTFY_UPSTREAM_TOKEN (401)",
    "it refuses TOCSIN_NTFY_UPSTREAM_TOKEN (403)",
    "it answered with the status 302",
    "it answered with the status 500",
  ]);
});

test("an upstream that does not answer or cannot be reached is given up, and later requests still run", async (t) => {
  const upstream = new NtfyUpstream();
  const url = await upstream.start(t);
  upstream.status = null;
  const { createTimeout, end } = createTestTimeout();
  const deps = { upstream: { url, token: null }, baseUrl: BASE_URL, createTimeout };
  const wake = createIphoneWaker(deps);
  // More than run at once: the last one waits for the others until the end.
  const waiting = Array.from({ length: 9 }, () => wake(WAKE, RUNNING));
  end();
  for (const { problem } of await Promise.all(waiting)) assert.equal(problem, "it did not answer");
  const unreachable = createIphoneWaker({
    ...deps,
    createTimeout: createTestTimeout().createTimeout,
    upstream: { url: "http://127.0.0.1:1", token: null },
  });
  const { problem } = await unreachable(WAKE, RUNNING);
  assert.equal(problem, "it cannot be reached");
  upstream.status = 200;
  const again = createIphoneWaker({ ...deps, createTimeout: createTestTimeout().createTimeout });
  assert.equal((await again(WAKE, RUNNING)).problem, null);
});
