import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { sql } from "kysely";
import { ON_POSTGRES } from "../../test/support/database.ts";
import { createRoomContext } from "../../test/support/context.ts";
import { TransactionLimit, TransactionLimitError } from "./transaction-limit.ts";

const LONG_WAIT_MS = 10_000;

/** Returns functions that start and end transactions by name, and the names of the started ones. */
function controlTransactions(limit: TransactionLimit) {
  const started: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<void>>();
  const start = (name: string) => {
    const end = Promise.withResolvers<void>();
    ends.set(name, end);
    return limit.use(async () => {
      started.push(name);
      await end.promise;
    });
  };
  return { started, start, end: (name: string) => ends.get(name) ?? assert.fail(name) };
}

test("transactions run up to the limit, and the others follow in order", async () => {
  const { started, start, end } = controlTransactions(
    new TransactionLimit({ limit: 2, waitMaxMs: LONG_WAIT_MS, affectsAll: () => false }),
  );
  const outcomes = ["a", "b", "c", "d"].map((name) => start(name).catch(String));
  await nextTurn();
  assert.deepEqual(started, ["a", "b"]);
  end("b").reject(new Error("b failed"));
  await nextTurn();
  assert.deepEqual(started, ["a", "b", "c"]);
  for (const name of ["a", "c", "d"]) end(name).resolve();
  assert.deepEqual(await Promise.all(outcomes), [
    undefined,
    "Error: b failed",
    undefined,
    undefined,
  ]);
  assert.deepEqual(started, ["a", "b", "c", "d"]);
  const lastTransaction = start("e");
  assert.equal(started.at(-1), "e");
  end("e").resolve();
  await lastTransaction;
});

test("a waiting transaction times out, and then takes no permit", async () => {
  const { started, start, end } = controlTransactions(
    new TransactionLimit({ limit: 1, waitMaxMs: 1, affectsAll: () => false }),
  );
  const firstTransaction = start("a");
  await assert.rejects(start("b"), TransactionLimitError);
  end("a").resolve();
  await firstTransaction;
  const thirdTransaction = start("c");
  end("c").resolve();
  await thirdTransaction;
  assert.deepEqual(started, ["a", "c"]);
});

test("a failure that applies to all rejects the waiting transactions, too", async () => {
  const { started, start, end } = controlTransactions(
    new TransactionLimit({ limit: 1, waitMaxMs: LONG_WAIT_MS, affectsAll: () => true }),
  );
  const outcomes = ["a", "b", "c"].map((name) => start(name).catch(String));
  end("a").reject(new Error("lost"));
  assert.deepEqual(await Promise.all(outcomes), Array(3).fill("Error: lost"));
  assert.deepEqual(started, ["a"]);
});

test("transactions that wait for one lock do not block other queries", ON_POSTGRES, async (t) => {
  const { database } = await createRoomContext(t);
  const { db, engine } = database;
  const locked = Promise.withResolvers<void>();
  const unlock = Promise.withResolvers<void>();
  const holder = database.transaction(async (within) => {
    await engine.lockName("a").execute(within);
    locked.resolve();
    await unlock.promise;
  });
  await locked.promise;
  const waitingTransactions = Array.from({ length: 50 }, () =>
    database.transaction((within) => engine.lockName("a").execute(within)),
  );
  const { rows } = await sql<{ one: number }>`select 1 as one`.execute(db);
  assert.deepEqual(rows, [{ one: 1 }]);
  unlock.resolve();
  await Promise.all([holder, ...waitingTransactions]);
});
