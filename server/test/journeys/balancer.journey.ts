import assert from "node:assert/strict";
import { once } from "node:events";
import test, { type TestContext } from "node:test";
import { TocsinConnectionError, TocsinError, type Client } from "@tocsin/sdk";
import { addDevice, signUp, startPush, type TestPerson } from "../support/app.ts";
import { startHaproxy } from "../support/balancer.ts";
import { freePort } from "../support/free-port.ts";
import { eventually } from "../support/eventually.ts";
import { FORGETFUL, startCluster } from "../support/postgres-cluster.ts";
import { startServerProcess } from "../support/server-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { startOwnTime } from "../support/own-time.ts";

const NOBODY = { applicationServerKey: "", deliver: () => {} };
const CALLERS = 3;
/** Rounds of each caller without a pause: a kill shall meet requests. */
const HOT_ROUNDS = 12;
/** Keeps what is sent while the live stream is away below the 200 notifications that another node replays. */
const PAUSE_MS = 150;
/**
 * HAProxy answers 502 on a fresh connection of a caller. On one that has carried an answer before, it closes without
 * one, as the node did.
 */
const UNANSWERED = ["502", "no answer"];
const NOTICE = { title: "Hello", body: "" };
/** A node waits this long for balancers, and then for what is under way. */
const STOP_MAX_MS = 15_000;

/** Two server processes on PostgreSQL behind the balancer of the repository. */
async function startTwo(t: TestContext) {
  const cluster = await startCluster(FORGETFUL);
  const push = await startPush(t);
  const ports = [await freePort(), await freePort()] as const;
  const start = async (index: 0 | 1) =>
    startServerProcess(t, {
      environment: {
        TOCSIN_PORT: String(ports[index]),
        TOCSIN_DATABASE_URL: `${cluster.url}/postgres`,
        TOCSIN_DATA_DIR: await temporaryFolder(t),
        TOCSIN_WEBPUSH_ALLOW_ORIGINS: new URL(push.subscribe(NOBODY).endpoint).origin,
        TOCSIN_VAPID_SUBJECT: "mailto:ops@example.org",
        TOCSIN_RATE_LIMIT_PER_S: "0",
        TOCSIN_TRUST_PROXY: "true",
        TOCSIN_LOG_LEVEL: "fatal",
      },
    });
  const nodes = [await start(0), await start(1)] as const;
  // After the nodes, which end before it.
  t.after(() => cluster.stop());
  return { push, nodes, start, url: await startHaproxy(t, ports) };
}

/** Answers to callers that asked without pause. */
interface Load {
  readonly accepted: string[];
  /** Of reads and of sends with an `Idempotency-Key`. */
  readonly failures: string[];
  /** Of sends that may not be repeated. */
  readonly unnamedFailures: string[];
}

/** Lets callers ask until the work is done. */
async function during(person: TestPerson, work: (load: Load) => Promise<unknown>): Promise<Load> {
  const load: Load = { accepted: [], failures: [], unnamedFailures: [] };
  const state = { isOver: false };
  const callers = Array.from({ length: CALLERS }, async (_, caller) => {
    for (let round = 0; !state.isOver; round += 1) {
      const idempotencyKey = `${caller} ${round} ${performance.now()}`;
      await note(load.failures, () => person.client.feed.list());
      await note(load.failures, async () => take(load, person.client, { idempotencyKey }));
      await note(load.unnamedFailures, async () => take(load, person.client, {}));
      if (round >= HOT_ROUNDS) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  });
  try {
    await work(load);
  } finally {
    state.isOver = true;
    await Promise.all(callers);
  }
  return load;
}

async function take(load: Load, client: Client, options: { idempotencyKey?: string }) {
  const { notificationId } = await client.notifyAsync(NOTICE, options);
  load.accepted.push(notificationId ?? "");
}

async function note(failures: string[], ask: () => Promise<unknown>): Promise<void> {
  try {
    await ask();
  } catch (error) {
    if (error instanceof TocsinConnectionError && !error.isTimeout) failures.push("no answer");
    else failures.push(error instanceof TocsinError ? `${error.status}` : String(error));
  }
}

function follow(t: TestContext, client: Client) {
  const controller = new AbortController();
  const seen = new Set<string>();
  const ended = (async () => {
    for await (const event of client.live({ signal: controller.signal })) {
      if (event.kind === "notification") seen.add(event.data.id);
    }
  })().catch(() => {});
  t.after(async () => {
    controller.abort();
    await ended;
  });
  return seen;
}

test("behind the balancer, a node that stops fails no request, and one that is killed only what may not be repeated", async (t) => {
  const { push, nodes, start, url } = await startTwo(t);
  const [first, second] = nodes;
  const ann = await signUp({ url }, "Ann");
  const { phone } = await addDevice({ push }, ann);
  const seen = follow(t, ann.client);
  const ready = ({ url: node }: { readonly url: string }) =>
    eventually(
      async () => (await fetch(`${node}/readyz`)).status,
      (status) => status === 200,
    );

  const stopped = await during(ann, async () => {
    const ownMs = startOwnTime();
    const ended = once(first.child, "exit");
    first.child.kill("SIGTERM");
    assert.deepEqual(await ended, [0, null]);
    const tookMs = ownMs();
    t.diagnostic(`stopped within ${Math.round(tookMs)} ms`);
    assert.ok(tookMs < STOP_MAX_MS, `${tookMs} ms`);
  });
  t.diagnostic(`${stopped.accepted.length} taken while a node stopped`);
  assert.deepEqual([stopped.failures, stopped.unnamedFailures], [[], []]);

  await ready(await start(0));
  // The balancer sees it within two looks of half a second.
  await during(ann, () => new Promise((resolve) => setTimeout(resolve, 1_500)));
  const killed = await during(ann, async ({ accepted }) => {
    const taken = () => Promise.resolve(accepted.length);
    await eventually(taken, (count) => count > CALLERS);
    await second.kill();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
  });
  t.diagnostic(
    `${killed.accepted.length} taken around a kill, failed: ${killed.unnamedFailures.join()}`,
  );
  assert.deepEqual(killed.failures, []);
  assert.ok(killed.unnamedFailures.length <= CALLERS, killed.unnamedFailures.join());
  const others = killed.unnamedFailures.filter((failure) => !UNANSWERED.includes(failure));
  assert.deepEqual(others, []);

  const taken = [...stopped.accepted, ...killed.accepted];
  const missing = async () => {
    const got = new Set(
      phone.messages.map(({ text }) => String(JSON.parse(text).notification.tag)),
    );
    return {
      notDelivered: taken.filter((id) => !got.has(id)),
      notTold: taken.filter((id) => !seen.has(id)),
    };
  };
  // Another node takes over after ten seconds at most.
  const look = () => missing();
  await eventually(look, ({ notDelivered }) => notDelivered.length === 0).catch(() => {});
  const isWhole = (left: Awaited<ReturnType<typeof missing>>) =>
    left.notDelivered.length + left.notTold.length === 0;
  assert.ok(isWhole(await eventually(look, isWhole)));
});

test("the balancer lets long addresses through, keeps metrics inside, and answers in JSON where no node is", async (t) => {
  const { nodes, url } = await startTwo(t);
  const ann = await signUp({ url }, "Ann");
  const query = new URLSearchParams({ title: "Long", body: "😀".repeat(1_000) });
  assert.equal((await fetch(`${url}/api/v1/notify/${ann.key}?${query.toString()}`)).status, 200);
  assert.equal((await fetch(`${url}/metrics`)).status, 404);
  await Promise.all(nodes.map((node) => node.kill()));
  const answer = await fetch(`${url}/api/app/v1/me`);
  const { error } = JSON.parse(await answer.text());
  assert.deepEqual([answer.status, error.code], [503, "unavailable"]);
});
