import assert from "node:assert/strict";
import test from "node:test";
import { abandon, addDevice, startBench, workOnce } from "../../../test/support/delivery-bench.ts";
import { findResults } from "#notifications/log/store.ts";

const READING = { deviceId: null, deaths: 1 };

test("a list whose reading crashed two processes in a row ends with a result for each device", async (t) => {
  const bench = await startBench(t);
  const devices = [await addDevice(bench, "a"), await addDevice(bench, "b")];
  const id = await abandon(bench, devices, { suspect: READING });
  await workOnce(bench.delivery.worker);
  const results = await findResults(bench.context, { notificationId: id, limit: 9 });
  assert.deepEqual(
    results.map(({ state, code }) => [state, code]),
    devices.map(() => ["failed", "crashed"]),
  );
  assert.equal(bench.provider.attempts.length, 0);
  assert.equal((await bench.delivery.stats()).jobs, 0);
});

for (const kind of ["range", "expand"] as const) {
  test(`a job of the kind ${kind} ends after two crashes in a row while it is read, not after one`, async (t) => {
    const bench = await startBench(t);
    const { delivery, provider } = bench;
    await addDevice(bench, "a");
    const work = { kind, range: { after: "", upTo: "" } } as const;
    await abandon(bench, [], { work, suspect: READING });
    await workOnce(delivery.worker);
    assert.deepEqual([(await delivery.stats()).jobs, provider.attempts.length], [0, 0]);
    await abandon(bench, [], { work, suspect: { ...READING, deaths: 0 } });
    for (let round = 0; round < 2; round += 1) await workOnce(delivery.worker);
    assert.deepEqual([(await delivery.stats()).jobs, provider.attempts.length], [0, 1]);
  });

  test(`a job of the kind ${kind} is marked while it is read`, async (t) => {
    const bench = await startBench(t);
    const { context, delivery } = bench;
    await addDevice(bench, "a");
    await abandon(bench, [], { work: { kind, range: { after: "", upTo: "" } } });
    const { database } = context;
    const marks: (string | null)[] = [];
    const read = database.db.selectFrom.bind(database.db);
    const atomically = database.atomically.bind(database);
    Object.assign(database, {
      async atomically(...input: Parameters<typeof atomically>) {
        const results = await atomically(...input);
        const [row] = await read("send_job").select("marked").execute();
        if (row !== undefined && row.marked !== marks.at(-1)) marks.push(row.marked);
        return results;
      },
    });
    await workOnce(delivery.worker);
    assert.deepEqual(marks.slice(0, 2), ["[null,0]", null]);
  });
}
