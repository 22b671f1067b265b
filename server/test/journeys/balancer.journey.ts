import assert from "node:assert/strict";
import { once } from "node:events";
import test, { type TestContext } from "node:test";
import { TocsinConnectionError, TocsinError, type Client } from "@tocsin/sdk";
import { addDevice, signUp, startPush, type TestPerson } from "../support/app.ts";
import { startHaproxy } from "../support/balancer.ts";
import { freePort } from "../support/free-port.ts";
import { eventually } from "../support/eventually.ts";
import { WITHOUT_DURABILITY, startCluster } from "../support/postgres-cluster.ts";
import { startServerProcess } from "../support/server-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { startOwnTime } from "../support/own-time.ts";

const NO_SUBSCRIBER = { applicationServerKey: "", deliver: () => {} };
const CALLERS = 3;
/** Rounds of each caller without a pause, so that a kill interrupts requests. */
const HOT_ROUNDS = 12;
/** Limits the notifications sent while the live stream reconnects to fewer than the 200 that another node replays. */
const PAUSE_MS = 150;
/**
 * HAProxy answers 502 on a new client connection. A reused connection is closed without a response, as the node closed
 * its own.
 */
const UNANSWERED_FAILURES = ["502", "no response"];
const NOTICE = { title: "Hello", body: "" };
/** A stopping node waits for load balancers to notice, then for requests in progress. */
const STOP_MAX_MS = 15_000;

/** Starts two server processes on PostgreSQL behind HAProxy, configured by `deploy/haproxy.cfg`. */
async function startTwo(t: TestContext) {
  const cluster = await startCluster(WITHOUT_DURABILITY);
  const push = await startPush(t);
  const ports = [await freePort(), await freePort()] as const;
  const start = async (index: 0 | 1) =>
    startServerProcess(t, {
      environment: {
        TOCSIN_PORT: String(ports[index]),
        TOCSIN_DATABASE_URL: `${cluster.url}/postgres`,
        TOCSIN_DATA_DIR: await temporaryFolder(t),
        TOCSIN_WEBPUSH_ALLOW_ORIGINS: new URL(push.subscribe(NO_SUBSCRIBER).endpoint).origin,
        TOCSIN_VAPID_SUBJECT: "mailto:ops@example.org",
        TOCSIN_RATE_LIMIT_PER_S: "0",
        TOCSIN_TRUST_PROXY: "true",
        TOCSIN_LOG_LEVEL: "fatal",
      },
    });
  const nodes = [await start(0), await start(1)] as const;
  // Registered last, so that the nodes end before their database.
  t.after(() => cluster.stop());
  return { push, nodes, start, url: await startHaproxy(t, ports) };
}

/** Responses to callers that send requests without a pause. */
interface Load {
  readonly accepted: string[];
  /** Failures of reads and of sends with an `Idempotency-Key`. */
  readonly failures: string[];
  /** Failures of sends without an `Idempotency-Key`, which must not be retried. */
  readonly unkeyedFailures: string[];
}

/** Runs callers concurrently until the work is done. */
async function runUnderLoad(
  person: TestPerson,
  work: (load: Load) => Promise<unknown>,
): Promise<Load> {
  const load: Load = { accepted: [], failures: [], unkeyedFailures: [] };
  const state = { isDone: false };
  const callers = Array.from({ length: CALLERS }, async (_, caller) => {
    for (let round = 0; !state.isDone; round += 1) {
      const idempotencyKey = `${caller} ${round} ${performance.now()}`;
      await recordFailure(load.failures, () => person.client.feed.list());
      await recordFailure(load.failures, async () =>
        sendOnce(load, person.client, { idempotencyKey }),
      );
      await recordFailure(load.unkeyedFailures, async () => sendOnce(load, person.client, {}));
      if (round >= HOT_ROUNDS) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  });
  try {
    await work(load);
  } finally {
    state.isDone = true;
    await Promise.all(callers);
  }
  return load;
}

async function sendOnce(load: Load, client: Client, options: { idempotencyKey?: string }) {
  const { notificationId } = await client.notifyAsync(NOTICE, options);
  load.accepted.push(notificationId ?? "");
}

async function recordFailure(failures: string[], request: () => Promise<unknown>): Promise<void> {
  try {
    await request();
  } catch (error) {
    if (error instanceof TocsinConnectionError && !error.isTimeout) failures.push("no response");
    else failures.push(error instanceof TocsinError ? `${error.status}` : String(error));
  }
}

function followLive(t: TestContext, client: Client) {
  const controller = new AbortController();
  const streamedIds = new Set<string>();
  const ended = (async () => {
    for await (const event of client.live({ signal: controller.signal })) {
      if (event.kind === "notification") streamedIds.add(event.data.id);
    }
  })().catch(() => {});
  t.after(async () => {
    controller.abort();
    await ended;
  });
  return streamedIds;
}

test("behind HAProxy, a stopping node fails no request, and a killed one only unrepeatable sends", async (t) => {
  const { push, nodes, start, url } = await startTwo(t);
  const [first, second] = nodes;
  const ann = await signUp({ url }, "Ann");
  const { phone } = await addDevice({ push }, ann);
  const streamedIds = followLive(t, ann.client);
  const waitUntilReady = ({ url: node }: { readonly url: string }) =>
    eventually(
      async () => (await fetch(`${node}/readyz`)).status,
      (status) => status === 200,
    );

  const stopped = await runUnderLoad(ann, async () => {
    const ownMs = startOwnTime();
    const ended = once(first.child, "exit");
    first.child.kill("SIGTERM");
    assert.deepEqual(await ended, [0, null]);
    const tookMs = ownMs();
    t.diagnostic(`stopped within ${Math.round(tookMs)} ms`);
    assert.ok(tookMs < STOP_MAX_MS, `${tookMs} ms`);
  });
  t.diagnostic(`${stopped.accepted.length} accepted while a node stopped`);
  assert.deepEqual([stopped.failures, stopped.unkeyedFailures], [[], []]);

  await waitUntilReady(await start(0));
  // The balancer notices it within two health checks, half a second apart.
  await runUnderLoad(ann, () => new Promise((resolve) => setTimeout(resolve, 1_500)));
  const killed = await runUnderLoad(ann, async ({ accepted }) => {
    const acceptedCount = () => Promise.resolve(accepted.length);
    await eventually(acceptedCount, (count) => count > CALLERS);
    await second.kill();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
  });
  t.diagnostic(
    `${killed.accepted.length} accepted around a kill, failed: ${killed.unkeyedFailures.join()}`,
  );
  assert.deepEqual(killed.failures, []);
  assert.ok(killed.unkeyedFailures.length <= CALLERS, killed.unkeyedFailures.join());
  const unexpected = killed.unkeyedFailures.filter(
    (failure) => !UNANSWERED_FAILURES.includes(failure),
  );
  assert.deepEqual(unexpected, []);

  const accepted = [...stopped.accepted, ...killed.accepted];
  const findMissing = async () => {
    const delivered = new Set(
      phone.messages.map(({ text }) => String(JSON.parse(text).notification.tag)),
    );
    return {
      notDelivered: accepted.filter((id) => !delivered.has(id)),
      notStreamed: accepted.filter((id) => !streamedIds.has(id)),
    };
  };
  // Another node takes over within ten seconds.
  await eventually(findMissing, ({ notDelivered }) => notDelivered.length === 0).catch(() => {});
  const isComplete = (missing: Awaited<ReturnType<typeof findMissing>>) =>
    missing.notDelivered.length + missing.notStreamed.length === 0;
  assert.ok(isComplete(await eventually(findMissing, isComplete)));
});

test("the balancer passes long URLs, hides metrics, and answers in JSON if no node is up", async (t) => {
  const { nodes, url } = await startTwo(t);
  const ann = await signUp({ url }, "Ann");
  const query = new URLSearchParams({ title: "Long", body: "😀".repeat(1_000) });
  assert.equal((await fetch(`${url}/api/v1/notify/${ann.key}?${query.toString()}`)).status, 200);
  assert.equal((await fetch(`${url}/metrics`)).status, 404);
  await Promise.all(nodes.map((node) => node.kill()));
  const response = await fetch(`${url}/api/app/v1/me`);
  const { error } = JSON.parse(await response.text());
  assert.deepEqual([response.status, error.code], [503, "unavailable"]);
});
