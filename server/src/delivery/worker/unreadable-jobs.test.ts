import assert from "node:assert/strict";
import test from "node:test";
import { abandon, addDevice, startBench, workOnce } from "../../../test/support/delivery-bench.ts";
import { findResults } from "#notifications/log/store.ts";

const READING = { deviceId: null, deaths: 1 };

test("a list at whose reading two processes died in a row ends, each device with a result", async (t) => {
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
  test(`a job of the kind ${kind} at whose reading two processes died in a row ends; after one it goes on`, async (t) => {
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

  test(`the reading of a job of the kind ${kind} is marked while it lasts`, async (t) => {
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
        const answers = await atomically(...input);
        const [row] = await read("send_job").select("marked").execute();
        if (row !== undefined && row.marked !== marks.at(-1)) marks.push(row.marked);
        return answers;
      },
    });
    await workOnce(delivery.worker);
    assert.deepEqual(marks.slice(0, 2), ["[null,0]", null]);
  });
}
