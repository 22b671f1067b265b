import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { sql } from "kysely";
import { ON_POSTGRES } from "../../test/support/database.ts";
import { testContext } from "../../test/support/room.ts";
import { TransactionLimit, TransactionLimitError } from "./transaction-limit.ts";

const LONG_MS = 10_000;

/** Starts runs by name. Each one ends when the test ends it. */
function setUp(limit: TransactionLimit) {
  const started: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<void>>();
  const run = (name: string) => {
    const end = Promise.withResolvers<void>();
    ends.set(name, end);
    return limit.use(async () => {
      started.push(name);
      await end.promise;
    });
  };
  return { started, run, end: (name: string) => ends.get(name) ?? assert.fail(name) };
}

test("transactions run up to the limit, and the others follow in order", async () => {
  const { started, run, end } = setUp(
    new TransactionLimit({ limit: 2, waitMaxMs: LONG_MS, isForAll: () => false }),
  );
  const all = ["a", "b", "c", "d"].map((name) => run(name).catch(String));
  await turn();
  assert.deepEqual(started, ["a", "b"]);
  end("b").reject(new Error("b failed"));
  await turn();
  assert.deepEqual(started, ["a", "b", "c"]);
  for (const name of ["a", "c", "d"]) end(name).resolve();
  assert.deepEqual(await Promise.all(all), [undefined, "Error: b failed", undefined, undefined]);
  assert.deepEqual(started, ["a", "b", "c", "d"]);
  const extra = run("e");
  assert.equal(started.at(-1), "e");
  end("e").resolve();
  await extra;
});

test("a waiting transaction times out, and then takes no permit", async () => {
  const { started, run, end } = setUp(
    new TransactionLimit({ limit: 1, waitMaxMs: 1, isForAll: () => false }),
  );
  const first = run("a");
  await assert.rejects(run("b"), TransactionLimitError);
  end("a").resolve();
  await first;
  const third = run("c");
  end("c").resolve();
  await third;
  assert.deepEqual(started, ["a", "c"]);
});

test("a failure that applies to all rejects the waiting transactions, too", async () => {
  const { started, run, end } = setUp(
    new TransactionLimit({ limit: 1, waitMaxMs: LONG_MS, isForAll: () => true }),
  );
  const all = ["a", "b", "c"].map((name) => run(name).catch(String));
  end("a").reject(new Error("lost"));
  assert.deepEqual(await Promise.all(all), Array(3).fill("Error: lost"));
  assert.deepEqual(started, ["a"]);
});

test("transactions that wait for one lock do not block other queries", ON_POSTGRES, async (t) => {
  const { database } = await testContext(t);
  const { db, engine } = database;
  const locked = Promise.withResolvers<void>();
  const unlock = Promise.withResolvers<void>();
  const holder = database.transaction(async (within) => {
    await engine.hold("one").execute(within);
    locked.resolve();
    await unlock.promise;
  });
  await locked.promise;
  const waiting = Array.from({ length: 50 }, () =>
    database.transaction((within) => engine.hold("one").execute(within)),
  );
  const { rows } = await sql<{ one: number }>`select 1 as one`.execute(db);
  assert.deepEqual(rows, [{ one: 1 }]);
  unlock.resolve();
  await Promise.all([holder, ...waiting]);
});
