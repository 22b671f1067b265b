import assert from "node:assert/strict";
import { once } from "node:events";
import test, { type TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { TocsinConnectionError, TocsinError, type Client } from "@tocsin/sdk";
import { send } from "../contract/http-requests.ts";
import { addDevice, signUp, startPushService, type TestPerson } from "../support/app.ts";
import { startHaproxy } from "../support/haproxy.ts";
import { findFreePort } from "../support/free-port.ts";
import { eventually } from "../support/eventually.ts";
import { WITHOUT_DURABILITY, startPostgres } from "../support/postgres-cluster.ts";
import { startServerProcess } from "../support/server-process.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { startStealFreeTimer } from "../support/steal-time.ts";

const NO_SUBSCRIBER = { applicationServerKey: "", deliver: () => {} };
const CALLERS = 3;
/** Rounds of each caller without a pause, so that a kill interrupts requests. */
const ROUNDS_WITHOUT_PAUSE = 12;
/** Limits the notifications sent while the live stream reconnects to fewer than the 200 that another node replays. */
const PAUSE_MS = 150;
/**
 * HAProxy answers 502 on a new client connection. It closes a reused connection without a response, because the node
 * closed its own connection.
 */
const UNANSWERED_FAILURES = ["502", "no response"];
const NOTIFICATION = { title: "Hello", body: "" };
/** The balancer notices a change within two health checks, half a second apart. */
const HEALTH_CHECKS_MS = 1_500;
/** A stopping node waits for load balancers to notice, then for requests in progress. */
const STOP_MAX_MS = 15_000;

/** Starts two server processes on PostgreSQL behind HAProxy, configured by `deploy/haproxy.cfg`. */
async function startTwoNodes(t: TestContext) {
  const cluster = await startPostgres(WITHOUT_DURABILITY);
  const push = await startPushService(t);
  const ports = [await findFreePort(), await findFreePort()] as const;
  const start = async (index: 0 | 1) =>
    startServerProcess(t, {
      environment: {
        TOCSIN_PORT: String(ports[index]),
        TOCSIN_DATABASE_URL: `${cluster.url}/postgres`,
        TOCSIN_DATA_DIR: await createTemporaryFolder(t),
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

/** Outcomes of the concurrent callers' requests. */
interface LoadResults {
  /** Ids of the accepted notifications. */
  readonly accepted: string[];
  /** Failures of reads and of sends with an `Idempotency-Key`. */
  readonly failures: string[];
  /** Failures of sends without an `Idempotency-Key`, which must not be retried. */
  readonly unkeyedFailures: string[];
}

/** Runs callers concurrently until the work is done. */
async function runUnderLoad(
  person: TestPerson,
  work: (load: LoadResults) => Promise<unknown>,
): Promise<LoadResults> {
  const load: LoadResults = { accepted: [], failures: [], unkeyedFailures: [] };
  const state = { isDone: false };
  const callers = Array.from({ length: CALLERS }, async (_, caller) => {
    for (let round = 0; !state.isDone; round += 1) {
      const idempotencyKey = `${caller} ${round} ${performance.now()}`;
      await recordFailure(load.failures, () => person.client.feed.list());
      await recordFailure(load.failures, async () =>
        sendOnce(load, person.client, { idempotencyKey }),
      );
      await recordFailure(load.unkeyedFailures, async () => sendOnce(load, person.client, {}));
      if (round >= ROUNDS_WITHOUT_PAUSE) await wait(PAUSE_MS);
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

async function sendOnce(load: LoadResults, client: Client, options: { idempotencyKey?: string }) {
  const { notificationId } = await client.notifyAsync(NOTIFICATION, options);
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

function collectStreamedIds(t: TestContext, client: Client) {
  const controller = new AbortController();
  const streamedIds = new Set<string>();
  const streamEnd = (async () => {
    for await (const event of client.live({ signal: controller.signal })) {
      if (event.kind === "notification") streamedIds.add(event.data.id);
    }
  })().catch(() => {});
  t.after(async () => {
    controller.abort();
    await streamEnd;
  });
  return streamedIds;
}

test("behind HAProxy, a stopping node fails no request, and a killed one only unrepeatable sends", async (t) => {
  const { push, nodes, start, url } = await startTwoNodes(t);
  const [first, second] = nodes;
  const ann = await signUp({ url }, "Ann");
  const { phone } = await addDevice({ push }, ann);
  const streamedIds = collectStreamedIds(t, ann.client);
  const waitUntilReady = ({ url: node }: { readonly url: string }) =>
    eventually(
      async () => (await fetch(`${node}/readyz`)).status,
      (status) => status === 200,
    );

  const stopped = await runUnderLoad(ann, async () => {
    const readElapsedMs = startStealFreeTimer();
    const exitEvent = once(first.child, "exit");
    first.child.kill("SIGTERM");
    assert.deepEqual(await exitEvent, [0, null]);
    const stopMs = readElapsedMs();
    t.diagnostic(`stopped within ${Math.round(stopMs)} ms`);
    assert.ok(stopMs < STOP_MAX_MS, `${stopMs} ms`);
  });
  t.diagnostic(`${stopped.accepted.length} accepted while a node stopped`);
  assert.deepEqual([stopped.failures, stopped.unkeyedFailures], [[], []]);

  await waitUntilReady(await start(0));
  await runUnderLoad(ann, () => wait(HEALTH_CHECKS_MS));
  const killed = await runUnderLoad(ann, async ({ accepted }) => {
    const countAccepted = () => Promise.resolve(accepted.length);
    await eventually(countAccepted, (count) => count > CALLERS);
    await second.kill();
    await wait(HEALTH_CHECKS_MS);
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
  const { nodes, url } = await startTwoNodes(t);
  const ann = await signUp({ url }, "Ann");
  const query = new URLSearchParams({ title: "Long", body: "😀".repeat(1_000) });
  assert.equal((await fetch(`${url}/api/v1/notify/${ann.key}?${query.toString()}`)).status, 200);
  assert.equal((await fetch(`${url}/metrics`)).status, 404);
  await Promise.all(nodes.map((node) => node.kill()));
  // On a new connection, because HAProxy may close a reused one without a response.
  const { status, text } = await send(url, { path: "/api/app/v1/me" });
  assert.deepEqual([status, JSON.parse(text).error.code], [503, "unavailable"]);
});
