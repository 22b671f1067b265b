import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { reportFigure } from "../../../test/bars/bar.ts";
import { ON_POSTGRES } from "../../../test/support/database.ts";
import { recordQueries } from "../../../test/support/query-plans.ts";
import { testContext } from "../../../test/support/room.ts";
import { rateExceeded } from "#http/rate-limit.ts";
import { SharedRateLimit } from "./shared-rate-limit.ts";

const MINUTE_MS = 60_000;
const STEP_MS = 20;

/** Nodes on one database, all with the same limit. */
async function startLimits(
  t: TestContext,
  { count, perSecond, burst }: { count: number; perSecond: number; burst: number },
) {
  const context = await testContext(t);
  const nodes = { count };
  const limits = Array.from(
    { length: count },
    () => new SharedRateLimit({ context, nodes, perSecond, burst, rateExceeded }),
  );
  const tryAt = (index: number, cost = 1) => {
    try {
      limits[index]?.take("key", cost);
      return cost;
    } catch {
      return 0;
    }
  };
  t.after(() => Promise.all(limits.map((limit) => limit.stop())));
  return { context, limits, nodes, tryAt };
}

/** Asks without pause for a minute of the set clock, as fast as a step allows, and returns the number allowed. */
async function passed(
  t: TestContext,
  { context, limits, tryAt }: Awaited<ReturnType<typeof startLimits>>,
  asked: readonly number[],
): Promise<number> {
  // With timers mocked, use is reported only here, however long the machine takes.
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let count = 0;
  for (let ms = 0; ms < MINUTE_MS; ms += STEP_MS) {
    for (const index of asked) for (let again = 0; again < 20; again += 1) count += tryAt(index);
    context.clock.advance(STEP_MS);
    // Each node reports at moments of its own.
    for (const [index, limit] of limits.entries()) {
      if ((ms + index * 340) % 1_000 === 0) await limit.tell();
    }
  }
  t.mock.timers.reset();
  return count;
}

test(
  "over a minute three nodes together let pass what one would, whoever is asked",
  ON_POSTGRES,
  async (t) => {
    for (const { perSecond, burst } of [
      { perSecond: 50, burst: 1_000 },
      { perSecond: 50, burst: 50 },
      { perSecond: 5, burst: 500 },
    ]) {
      const limit = perSecond * 60 + burst;
      for (const asked of [[0, 1, 2], [1], [0, 2]]) {
        const bench = await startLimits(t, { count: 3, perSecond, burst });
        const share = (await passed(t, bench, asked)) / limit;
        const what = `${share} of ${perSecond}/s and ${burst} at ${asked.length} nodes`;
        assert.ok(share > 0.9 && share < 1.1, what);
        reportFigure(
          t,
          `${(share * 100).toFixed(1)} % of ${perSecond}/s and ${burst} at ${asked.length} nodes`,
        );
      }
    }
  },
);

test("alone, a node gives out exactly the burst, and tells nobody", ON_POSTGRES, async (t) => {
  const { context, limits, tryAt } = await startLimits(t, { count: 1, perSecond: 1, burst: 5 });
  const granted = Array.from({ length: 7 }, () => tryAt(0));
  assert.deepEqual(granted, [1, 1, 1, 1, 1, 0, 0]);
  assert.throws(() => limits[0]?.take("key", 1), { code: "rate_limited", retryAfterMs: 1_000 });
  context.clock.advance(1_000);
  assert.deepEqual([tryAt(0), tryAt(0)], [1, 0]);
  await limits[0]?.tell();
  const rows = await context.database.db.selectFrom("rate_bucket").selectAll().execute();
  assert.deepEqual(rows, []);
});

test(
  "a node that publishes twice at once, as where the database is slow, is counted once",
  ON_POSTGRES,
  async (t) => {
    const { context, limits, tryAt } = await startLimits(t, { count: 2, perSecond: 1, burst: 100 });
    assert.equal(tryAt(0, 10), 10);
    await Promise.all([limits[0]?.tell(), limits[0]?.tell()]);
    const rows = await context.database.db.selectFrom("rate_bucket").select("level").execute();
    assert.deepEqual(rows, [{ level: 10 }]);
  },
);

test(
  "the requests that one node admitted before another came are known once they are two",
  ON_POSTGRES,
  async (t) => {
    const bench = await startLimits(t, { count: 2, perSecond: 1, burst: 10 });
    const { nodes, limits, tryAt } = bench;
    nodes.count = 1;
    for (let index = 0; index < 10; index += 1) assert.equal(tryAt(0), 1);
    nodes.count = 2;
    await limits[0]?.tell();
    assert.equal(tryAt(1), 1);
    await limits[1]?.tell();
    assert.equal(tryAt(1), 0);
  },
);

test(
  "one request that costs more than a node's part passes where there is room for it",
  ON_POSTGRES,
  async (t) => {
    const { limits, tryAt } = await startLimits(t, { count: 3, perSecond: 1, burst: 100 });
    assert.equal(tryAt(0, 90), 90);
    await limits[0]?.tell();
    assert.equal(tryAt(0, 90), 0);
  },
);

test("a node writes once a second, however many keys ask however often", ON_POSTGRES, async (t) => {
  const context = await testContext(t);
  const { context: recorded, queriesOf } = recordQueries(context);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const nodes = { count: 2 };
  const limit = new SharedRateLimit({
    context: recorded,
    nodes,
    perSecond: 10,
    burst: 1_000,
    rateExceeded,
  });
  const seconds = 3;
  const asked = await queriesOf(async () => {
    for (let ms = 0; ms < seconds * 1_000; ms += 100) {
      for (let ask = 0; ask < 60; ask += 1) limit.take(`key ${ask % 20}`, 1);
      context.clock.advance(100);
      t.mock.timers.tick(100);
      // Lets a report that has begun finish before the clock goes on.
      await context.database.db.selectFrom("rate_bucket").select("key").execute();
    }
    await limit.stop();
  });
  const writes = asked.filter(({ sql }) => sql.includes("rate_bucket"));
  assert.ok(writes.length >= 1 && writes.length <= seconds, `${writes.length} in ${seconds} s`);
  reportFigure(t, `${writes.length} writes in ${seconds} s for 20 keys`);
  const rows = await context.database.db.selectFrom("rate_bucket").select("key").execute();
  assert.equal(rows.length, 20);
});
