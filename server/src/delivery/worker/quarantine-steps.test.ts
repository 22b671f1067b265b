import assert from "node:assert/strict";
import test from "node:test";
import {
  insertCrashedJob,
  addDevice,
  startDeliveryBench,
  runWorkerOnce,
  type DeliveryBench,
} from "../../../test/support/delivery-bench.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { ACCEPTED, waitForAbort } from "../../../test/support/scripted-provider.ts";
import { findResults } from "#notifications/log/store.ts";
import { CHUNK_MAX, createPendingDevices } from "../delivery.ts";
import { decodePending } from "../store/tuples.ts";

async function listJobs({ context }: DeliveryBench) {
  const rows = await context.database.db
    .selectFrom("send_job")
    .select(["owner", "marked", "crashes", "pending"])
    .orderBy("id")
    .execute();
  return rows.map(({ pending, ...row }) => {
    return { ...row, pending: pending === null ? null : decodePending(pending) };
  });
}

/** Makes attempts at an endpoint record the stored jobs, as the next process would find them after a crash. */
function recordJobs(
  bench: DeliveryBench,
  endpoint: string,
): Awaited<ReturnType<typeof listJobs>>[] {
  const snapshots: Awaited<ReturnType<typeof listJobs>>[] = [];
  bench.provider.script(endpoint, async () => {
    snapshots.push(await listJobs(bench));
    return ACCEPTED;
  });
  return snapshots;
}

test("the second crash at one device ends only its delivery, and resets the count for the others", async (t) => {
  const bench = await startDeliveryBench(t);
  const badId = await addDevice(bench, "bad");
  const goodId = await addDevice(bench, "good");
  const snapshots = recordJobs(bench, "good");
  const pending = createPendingDevices([badId, goodId], 0).map((device) =>
    device.deviceId === badId ? { ...device, crashes: 1 } : device,
  );
  const work = { kind: "devices", pending } as const;
  const suspect = { deviceId: badId, crashes: 1 };
  const id = await insertCrashedJob(bench, [badId, goodId], { work, suspect });
  await runWorkerOnce(bench.delivery.worker);
  const results = await findResults(bench.context, { notificationId: id, limit: 9 });
  assert.deepEqual(
    new Map(results.map(({ deviceId, state }) => [deviceId, state])),
    new Map([
      [badId, "failed"],
      [goodId, "accepted"],
    ]),
  );
  const job = snapshots[0]?.[0];
  assert.equal(job?.marked, JSON.stringify([goodId, 0]));
  // The first device's result was recorded before the next attempt could crash the process.
  assert.deepEqual(
    job?.pending?.map(({ deviceId }) => deviceId),
    [goodId],
  );
});

test("an attempt that does not crash resets the job's count of crashes", async (t) => {
  const bench = await startDeliveryBench(t);
  const firstId = await addDevice(bench, "a");
  const secondId = await addDevice(bench, "b");
  const thirdId = await addDevice(bench, "c");
  const snapshotsAtSecond = recordJobs(bench, "b");
  const snapshotsAtThird = recordJobs(bench, "c");
  await insertCrashedJob(bench, [firstId, secondId, thirdId], {
    suspect: { deviceId: firstId, crashes: 0 },
  });
  await runWorkerOnce(bench.delivery.worker);
  const jobAtSecond = snapshotsAtSecond[0]?.[0];
  assert.equal(jobAtSecond?.marked, JSON.stringify([secondId, 1]));
  const crashed = jobAtSecond?.pending?.find(({ deviceId }) => deviceId === firstId);
  assert.deepEqual([crashed?.crashes, crashed?.code], [1, "crashed"]);
  const jobAtThird = snapshotsAtThird[0]?.[0];
  assert.equal(jobAtThird?.marked, JSON.stringify([thirdId, 0]));
});

test("a job that was at work when the last process died runs after the others", async (t) => {
  const bench = await startDeliveryBench(t);
  const names = ["suspected", "other", "another"];
  for (const name of names) {
    const suspect = name === "suspected" ? { suspect: { deviceId: null, crashes: 0 } } : {};
    await insertCrashedJob(bench, [await addDevice(bench, name)], suspect);
  }
  await runWorkerOnce(bench.delivery.worker);
  const endpoints = bench.provider.attempts.map(({ endpoint }) => endpoint);
  assert.deepEqual(endpoints, ["other", "another", "suspected"]);
});

test("a job whose next step waits when the process stops is released without a suspect", async (t) => {
  const bench = await startDeliveryBench(t);
  const { context, delivery, provider } = bench;
  provider.script("slow", async (_message, signal) => {
    await waitForAbort(signal);
    return ACCEPTED;
  });
  await insertCrashedJob(bench, [await addDevice(bench, "slow")]);
  void delivery.worker.claimDue();
  await eventually(
    async () => provider.attempts.length,
    (count) => count > 0,
  );
  context.clock.advance(1);
  const range = { after: "", upTo: "" };
  await insertCrashedJob(bench, [], { work: { kind: "expand", range } });
  await insertCrashedJob(bench, [await addDevice(bench, "other")]);
  void delivery.worker.claimDue();
  await eventually(
    () => listJobs(bench),
    (jobs) => jobs.length === 3 && jobs.every(({ owner }) => owner !== ""),
  );
  await delivery.worker.stop(0);
  const remaining = (await listJobs(bench)).map(({ owner, marked, crashes }) => [
    owner,
    marked,
    crashes,
  ]);
  const released = ["", null, 3];
  assert.deepEqual(remaining, [released, released]);
});

test("a range that outgrew its chunk is split again in quarantine too", async (t) => {
  const bench = await startDeliveryBench(t);
  const { delivery, provider } = bench;
  // One page more than a chunk is read to detect that the range is too large.
  for (let index = 0; index < CHUNK_MAX + 150; index += 1) await addDevice(bench, `a/${index}`);
  await insertCrashedJob(bench, [], { work: { kind: "range", range: { after: "", upTo: "" } } });
  await runWorkerOnce(delivery.worker);
  assert.equal(provider.attempts.length, 0);
  while ((await delivery.getQueueStats()).jobs > 0) await runWorkerOnce(delivery.worker);
  assert.equal(provider.attempts.length, CHUNK_MAX + 150);
});
