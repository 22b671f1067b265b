import assert from "node:assert/strict";
import test from "node:test";
import {
  insertCrashedJob,
  addDevice,
  startDeliveryBench,
  runWorkerOnce,
} from "../../../test/support/delivery-bench.ts";
import { findResults } from "#notifications/log/store.ts";

const FIRST_CRASH_WHILE_READING = { deviceId: null, crashes: 0 };
const SECOND_CRASH_WHILE_READING = { deviceId: null, crashes: 1 };

test("two crashes in a row while a device list is read fail every device as crashed", async (t) => {
  const bench = await startDeliveryBench(t);
  const deviceIds = [await addDevice(bench, "a"), await addDevice(bench, "b")];
  const id = await insertCrashedJob(bench, deviceIds, { suspect: SECOND_CRASH_WHILE_READING });
  await runWorkerOnce(bench.delivery.worker);
  const results = await findResults(bench.context, { notificationId: id, limit: 9 });
  assert.deepEqual(
    results.map(({ state, code }) => [state, code]),
    deviceIds.map(() => ["failed", "crashed"]),
  );
  assert.equal(bench.provider.attempts.length, 0);
  assert.equal((await bench.delivery.getQueueStats()).jobs, 0);
});

for (const kind of ["range", "expand"] as const) {
  test(`a ${kind} job is given up after two crashes in a row during its first step, but not after one`, async (t) => {
    const bench = await startDeliveryBench(t);
    const { delivery, provider } = bench;
    await addDevice(bench, "a");
    const work = { kind, range: { after: "", upTo: "" } } as const;
    await insertCrashedJob(bench, [], { work, suspect: SECOND_CRASH_WHILE_READING });
    await runWorkerOnce(delivery.worker);
    assert.deepEqual([(await delivery.getQueueStats()).jobs, provider.attempts.length], [0, 0]);
    await insertCrashedJob(bench, [], { work, suspect: FIRST_CRASH_WHILE_READING });
    for (let round = 0; round < 2; round += 1) await runWorkerOnce(delivery.worker);
    assert.deepEqual([(await delivery.getQueueStats()).jobs, provider.attempts.length], [0, 1]);
  });

  test(`a ${kind} job is marked only while it is ${kind === "range" ? "read" : "expanded"}`, async (t) => {
    const bench = await startDeliveryBench(t);
    const { context, delivery } = bench;
    await addDevice(bench, "a");
    await insertCrashedJob(bench, [], { work: { kind, range: { after: "", upTo: "" } } });
    const { database } = context;
    const marks: (string | null)[] = [];
    const selectFrom = database.db.selectFrom.bind(database.db);
    const atomically = database.atomically.bind(database);
    Object.assign(database, {
      async atomically(...input: Parameters<typeof atomically>) {
        const results = await atomically(...input);
        const [row] = await selectFrom("send_job").select("marked").execute();
        if (row !== undefined && row.marked !== marks.at(-1)) marks.push(row.marked);
        return results;
      },
    });
    await runWorkerOnce(delivery.worker);
    assert.deepEqual(marks.slice(0, 2), ["[null,0]", null]);
  });
}
