import assert from "node:assert/strict";
import test from "node:test";
import {
  abandon,
  addDevice,
  startBench,
  workOnce,
  type Bench,
} from "../../../test/support/delivery-bench.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { ACCEPTED, untilAborted } from "../../../test/support/scripted-provider.ts";
import { findResults } from "#notifications/log/store.ts";
import { CHUNK_MAX, untried } from "../delivery.ts";
import { pendingOf } from "../store/rows.ts";

async function jobsOf({ context }: Bench) {
  const rows = await context.database.db
    .selectFrom("send_job")
    .select(["owner", "marked", "crashes", "pending"])
    .orderBy("id")
    .execute();
  return rows.map(({ pending, ...row }) => {
    return { ...row, pending: pending === null ? null : pendingOf(pending) };
  });
}

/** Makes attempts at an endpoint record the stored jobs, as the next process would find them after a crash. */
function recordJobs(bench: Bench, endpoint: string): Awaited<ReturnType<typeof jobsOf>>[] {
  const snapshots: Awaited<ReturnType<typeof jobsOf>>[] = [];
  bench.provider.script(endpoint, async () => {
    snapshots.push(await jobsOf(bench));
    return ACCEPTED;
  });
  return snapshots;
}

test("the second crash at one device ends only its delivery, and resets the count for the others", async (t) => {
  const bench = await startBench(t);
  const [bad, good] = [await addDevice(bench, "bad"), await addDevice(bench, "good")];
  const snapshots = recordJobs(bench, "good");
  const pending = untried([bad, good], 0).map((device) =>
    device.deviceId === bad ? { ...device, deaths: 1 } : device,
  );
  const work = { kind: "devices", pending } as const;
  const suspect = { deviceId: bad, deaths: 1 };
  const id = await abandon(bench, [bad, good], { work, suspect });
  await workOnce(bench.delivery.worker);
  const results = await findResults(bench.context, { notificationId: id, limit: 9 });
  assert.deepEqual(
    new Map(results.map(({ deviceId, state }) => [deviceId, state])),
    new Map([
      [bad, "failed"],
      [good, "accepted"],
    ]),
  );
  const [[job] = []] = snapshots;
  assert.equal(job?.marked, JSON.stringify([good, 0]));
  // The first device's result was recorded before the next attempt could crash the process.
  assert.deepEqual(
    job?.pending?.map(({ deviceId }) => deviceId),
    [good],
  );
});

test("an attempt without a crash resets the deaths of its job", async (t) => {
  const bench = await startBench(t);
  const [first, second, third] = [
    await addDevice(bench, "a"),
    await addDevice(bench, "b"),
    await addDevice(bench, "c"),
  ];
  const [snapshots, later] = [recordJobs(bench, "b"), recordJobs(bench, "c")];
  await abandon(bench, [first, second, third], { suspect: { deviceId: first, deaths: 0 } });
  await workOnce(bench.delivery.worker);
  const [[job] = []] = snapshots;
  assert.equal(job?.marked, JSON.stringify([second, 1]));
  const crashed = job?.pending?.find(({ deviceId }) => deviceId === first);
  assert.deepEqual([crashed?.deaths, crashed?.code], [1, "crashed"]);
  const [[next] = []] = later;
  assert.equal(next?.marked, JSON.stringify([third, 0]));
});

test("a job whose next step waits when the process stops is released without a suspect", async (t) => {
  const bench = await startBench(t);
  const { context, delivery, provider } = bench;
  provider.script("slow", async (_message, signal) => {
    await untilAborted(signal);
    return ACCEPTED;
  });
  await abandon(bench, [await addDevice(bench, "slow")]);
  void delivery.worker.takeDue();
  await eventually(
    async () => provider.attempts.length,
    (count) => count > 0,
  );
  context.clock.advance(1);
  const range = { after: "", upTo: "" };
  await abandon(bench, [], { work: { kind: "expand", range } });
  await abandon(bench, [await addDevice(bench, "other")]);
  void delivery.worker.takeDue();
  await eventually(
    () => jobsOf(bench),
    (jobs) => jobs.length === 3 && jobs.every(({ owner }) => owner !== ""),
  );
  await delivery.worker.stop(0);
  const remaining = (await jobsOf(bench)).map(({ owner, marked, crashes }) => [
    owner,
    marked,
    crashes,
  ]);
  const released = ["", null, 3];
  assert.deepEqual(remaining, [released, released]);
});

test("a range that outgrew its chunk is cut again in quarantine too", async (t) => {
  const bench = await startBench(t);
  const { delivery, provider } = bench;
  // One page more than a chunk is read to detect that the range is too large.
  for (let index = 0; index < CHUNK_MAX + 150; index += 1) await addDevice(bench, `a/${index}`);
  await abandon(bench, [], { work: { kind: "range", range: { after: "", upTo: "" } } });
  await workOnce(delivery.worker);
  assert.equal(provider.attempts.length, 0);
  while ((await delivery.stats()).jobs > 0) await workOnce(delivery.worker);
  assert.equal(provider.attempts.length, CHUNK_MAX + 150);
});
