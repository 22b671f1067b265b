import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { pino } from "pino";
import {
  addDevice,
  createNode,
  requestFor,
  SOLO_ENTRY,
  startBench,
  statesOf,
  workOnce,
  type Bench,
} from "../../../test/support/delivery-bench.ts";
import type { ScriptedSettings } from "../../../test/support/solo-scripted.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { findResults } from "#notifications/log/store.ts";
import { LANES } from "../delivery.ts";
import type { AcceptRequest } from "../store/delivery-store.ts";
import { LEASE_MS } from "../lease.ts";
import { createDeliveryStore } from "../store/create-store.ts";
import { startOwnTime } from "../../../test/support/own-time.ts";

type SoloBench = Bench & { readonly arrivals: () => Promise<readonly string[]> };

async function startSoloBench(t: TestContext): Promise<SoloBench> {
  const path = join(await temporaryFolder(t), "arrivals");
  await writeFile(path, "");
  const settings = (): ScriptedSettings => ({ arrivals: path });
  const bench = await startBench(t, { solo: { entry: SOLO_ENTRY, settings } });
  const arrivals = async () => {
    const lines = (await readFile(path, "utf8")).split("\n").filter((line) => line !== "");
    return lines.map((line) => line.split(" ")[1] ?? "");
  };
  return { ...bench, arrivals };
}

/** Leaves jobs as `times` processes leave them that died with them. */
async function abandon(
  { context }: Bench,
  requests: readonly Omit<AcceptRequest, "takeLease">[],
  times = 3,
): Promise<void> {
  const store = createDeliveryStore(context, "dead");
  for (let start = 0; start < requests.length; start += 100) {
    const some = requests.slice(start, start + 100);
    await store.accept(some.map((request) => ({ ...request, takeLease: true })));
  }
  for (let time = 1; time <= times; time += 1) {
    await store.reclaim(["dead"]);
    const until = context.now() + LEASE_MS;
    if (time === times) return;
    for (const lane of LANES) await store.claim({ lane, max: requests.length, until });
  }
}

/** Takes what is due, until nothing is under way. */
async function work({ delivery }: Pick<Bench, "delivery">): Promise<void> {
  await workOnce(delivery.worker);
}

async function resultsOf({ context }: Bench, notificationId: string) {
  const results = await findResults(context, { notificationId, limit: 1_000 });
  return new Map(results.map((result) => [result.deviceId, result]));
}

test("what two processes died with is sent from here, what a third died with from a process of its own", async (t) => {
  const bench = await startSoloBench(t);
  const device = await addDevice(bench, "good");
  const [twice, thrice] = [requestFor(bench, [device]), requestFor(bench, [device])];
  await abandon(bench, [twice], 2);
  await work(bench);
  assert.deepEqual([bench.provider.attempts.length, await bench.arrivals()], [1, []]);
  await abandon(bench, [thrice]);
  await work(bench);
  assert.deepEqual([bench.provider.attempts.length, await bench.arrivals()], [1, ["good"]]);
  for (const { notification } of [twice, thrice]) {
    assert.deepEqual(await statesOf(bench, notification.id), ["accepted"]);
  }
});

test("a device whose attempt ends its process twice fails alone, also over a restart between", async (t) => {
  const bench = await startSoloBench(t);
  const { context, provider } = bench;
  const devices = await Promise.all(
    ["good/1", "abort", "good/2"].map((at) => addDevice(bench, at)),
  );
  const [, poison = ""] = devices;
  const request = requestFor(bench, devices);
  const { id } = request.notification;
  await abandon(bench, [request]);
  await work(bench);
  const before = await resultsOf(bench, id);
  assert.deepEqual([before.size, before.get(poison)], [2, undefined]);
  await bench.delivery.worker.stop();

  const told: Record<string, unknown>[] = [];
  const log = pino({ level: "error" }, { write: (line) => told.push(JSON.parse(line)) });
  const solo = { entry: SOLO_ENTRY, settings: () => ({ arrivals: "/dev/null" }) };
  const next = createNode({ context: { ...context, log }, providers: [provider], solo });
  t.after(() => next.worker.stop());
  context.clock.advance(9_999);
  await work({ delivery: next });
  assert.equal((await resultsOf(bench, id)).size, 2);
  context.clock.advance(2_001);
  await work({ delivery: next });
  const result = (await resultsOf(bench, id)).get(poison);
  assert.deepEqual(
    [result?.state, result?.code, result?.detail, result?.attempts],
    ["failed", "crashed", "SIGABRT", 2],
  );
  const kinds = result?.history?.attempts.map(({ kind, code }) => `${kind} ${code}`);
  assert.deepEqual(kinds, ["retry crashed", "retry crashed"]);
  assert.equal((await bench.delivery.stats()).jobs, 0);
  assert.equal(provider.attempts.length, 0);
  assert.equal(told.length, 1);
  const [{ notificationId, deviceId, provider: by, signal } = {}] = told;
  assert.deepEqual([notificationId, deviceId, by, signal], [id, poison, "webpush", "SIGABRT"]);
});

test("a device whose second attempt goes well has its notification", async (t) => {
  const bench = await startSoloBench(t);
  const { context } = bench;
  const device = await addDevice(bench, "once");
  const request = requestFor(bench, [device]);
  await abandon(bench, [request]);
  await work(bench);
  context.clock.advance(12_000);
  await work(bench);
  assert.deepEqual(await bench.arrivals(), ["once", "once"]);
  assert.deepEqual(await statesOf(bench, request.notification.id), ["accepted"]);
});

test("a thousand jobs that were only near are sent within half a minute", async (t) => {
  const bench = await startSoloBench(t);
  const device = await addDevice(bench, "good");
  const near = Array.from({ length: 1_100 }, () => requestFor(bench, [device]));
  await abandon(bench, near);
  const ownMs = startOwnTime();
  await work(bench);
  const takenMs = ownMs();
  t.diagnostic(`${(await bench.arrivals()).length} in ${Math.round(takenMs)} ms`);
  assert.ok(takenMs < 30_000);
  // Those that found no place in the line come again.
  bench.context.clock.advance(5_000);
  await work(bench);
  assert.equal((await bench.arrivals()).length, 1_100);
  assert.equal((await bench.delivery.stats()).jobs, 0);
});

test("other jobs do not wait for those that are sent one by one, nor does what is new", async (t) => {
  const bench = await startSoloBench(t);
  const { context, provider, delivery } = bench;
  const slow = await addDevice(bench, "slow");
  const near = Array.from({ length: 300 }, () => requestFor(bench, [slow]));
  await abandon(bench, near);
  context.clock.advance(1);
  // No device has so many that they wait for each other.
  const others: string[] = [];
  while (others.length < 50) others.push(await addDevice(bench, `other/${others.length}`));
  const due = Array.from({ length: 200 }, (_, index) =>
    requestFor(bench, [others[index % others.length] ?? ""]),
  );
  await createDeliveryStore(context, "other").accept(
    due.map((request) => ({ ...request, takeLease: false })),
  );
  const ownMs = startOwnTime();
  await delivery.worker.takeDue();
  assert.equal(delivery.worker.hasRoom, true);
  while (provider.attempts.length < 200) await new Promise((resolve) => setTimeout(resolve, 5));
  const takenMs = ownMs();
  assert.ok((await bench.arrivals()).length < 150, `${takenMs} ms`);
  // Who waits in line is given back at once, and no crash is counted.
  const sinceStop = startOwnTime();
  await delivery.worker.stop();
  assert.ok(sinceStop() < 5_000);
  const { jobs } = await delivery.stats();
  const left = await createDeliveryStore(context, "next").claim({ lane: 0, max: 300, until: 0 });
  assert.deepEqual(
    [left.length, new Set(left.map(({ crashes }) => crashes))],
    [jobs, new Set([3])],
  );
  assert.equal(jobs, 300 - (await bench.arrivals()).length);
  t.diagnostic(`others after ${Math.round(takenMs)} ms, ${300 - jobs} sent alone`);
});

test("a chunk of a large audience is read here, and sent from a process of its own", async (t) => {
  const bench = await startSoloBench(t);
  const { context, accountId } = bench;
  for (const endpoint of ["good/1", "once", "good/2"]) await addDevice(bench, endpoint);
  const request = requestFor(bench, []);
  const audience = { kind: "account", accountId } as const;
  const notification = { ...request.notification, audience };
  const range = { after: "", upTo: "" };
  await abandon(bench, [{ ...request, notification, lane: 2, work: { kind: "expand", range } }]);
  await work(bench);
  await work(bench);
  assert.deepEqual([bench.provider.attempts.length, await bench.arrivals()], [3, []]);

  const chunk = { ...notification, id: context.newId() };
  const given = {
    ...request,
    notification: chunk,
    lane: 2,
    work: { kind: "range", range },
  } as const;
  await abandon(bench, [given]);
  await work(bench);
  context.clock.advance(12_000);
  await work(bench);
  const sent = (await bench.arrivals()).toSorted();
  assert.deepEqual(sent, ["good/1", "good/2", "once", "once"]);
  assert.deepEqual(await statesOf(bench, chunk.id), ["accepted", "accepted", "accepted"]);
});

test("what expired is not attempted, there or here", async (t) => {
  const bench = await startSoloBench(t);
  const request = requestFor(bench, [await addDevice(bench, "abort")]);
  await abandon(bench, [request]);
  bench.context.clock.advance(86_400_001);
  await work(bench);
  assert.deepEqual([await bench.arrivals(), bench.provider.attempts.length], [[], 0]);
  assert.deepEqual(await statesOf(bench, request.notification.id), ["expired"]);
});

test("where time runs out after one ended process, it is said to be that, as once may be an accident", async (t) => {
  const bench = await startSoloBench(t);
  const device = await addDevice(bench, "abort");
  const request = requestFor(bench, [device]);
  await abandon(bench, [request]);
  bench.context.clock.advance(86_400_000 - 5_000);
  await work(bench);
  const result = (await resultsOf(bench, request.notification.id)).get(device);
  assert.deepEqual([result?.state, result?.attempts], ["expired", 1]);
  assert.match(result?.detail ?? "", /ended the process/);
});

test("a device that is removed after its attempt ended a process is asked no more", async (t) => {
  const bench = await startSoloBench(t);
  const { context } = bench;
  const device = await addDevice(bench, "abort");
  const request = requestFor(bench, [device]);
  await abandon(bench, [request]);
  await work(bench);
  await context.database.db.deleteFrom("device").where("id", "=", device).execute();
  context.clock.advance(12_000);
  await work(bench);
  assert.deepEqual(await bench.arrivals(), ["abort"]);
  assert.deepEqual(await statesOf(bench, request.notification.id), ["cancelled"]);
});
