import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { reportFigure } from "../../../test/attacks/bar.ts";
import { ON_POSTGRES } from "../../../test/support/database.ts";
import { recordQueries } from "../../../test/support/query-plans.ts";
import { createRoomContext } from "../../../test/support/context.ts";
import { createRateLimitError } from "#http/rate-limit.ts";
import { SharedRateLimit } from "./shared-rate-limit.ts";

const MINUTE_MS = 60_000;
const STEP_MS = 20;

/** Starts the limits of several nodes on one database. */
async function startLimits(
  t: TestContext,
  { count, perSecond, burst }: { count: number; perSecond: number; burst: number },
) {
  const context = await createRoomContext(t);
  const nodes = { count };
  const limits = Array.from(
    { length: count },
    () => new SharedRateLimit({ context, nodes, perSecond, burst, createRateLimitError }),
  );
  /** Returns the cost if the node admits the request, or else 0. */
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

/** Sends requests for a minute of the test clock, as fast as the steps allow, and returns the number admitted. */
async function countAdmitted(
  t: TestContext,
  { context, limits, tryAt }: Awaited<ReturnType<typeof startLimits>>,
  nodeIndexes: readonly number[],
): Promise<number> {
  // With mocked timers, usage is reported only here, however slow the machine is.
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let count = 0;
  for (let ms = 0; ms < MINUTE_MS; ms += STEP_MS) {
    for (const index of nodeIndexes)
      for (let request = 0; request < 20; request += 1) count += tryAt(index);
    context.clock.advance(STEP_MS);
    // Each node reports at its own times.
    for (const [index, limit] of limits.entries()) {
      if ((ms + index * 340) % 1_000 === 0) await limit.report();
    }
  }
  t.mock.timers.reset();
  return count;
}

test(
  "over a minute, three nodes together admit about as many requests as one would",
  ON_POSTGRES,
  async (t) => {
    for (const { perSecond, burst } of [
      { perSecond: 50, burst: 1_000 },
      { perSecond: 50, burst: 50 },
      { perSecond: 5, burst: 500 },
    ]) {
      const limit = perSecond * 60 + burst;
      for (const nodeIndexes of [[0, 1, 2], [1], [0, 2]]) {
        const fixture = await startLimits(t, { count: 3, perSecond, burst });
        const share = (await countAdmitted(t, fixture, nodeIndexes)) / limit;
        const message = `${share} of ${perSecond}/s and ${burst} at ${nodeIndexes.length} nodes`;
        assert.ok(share > 0.9 && share < 1.1, message);
        reportFigure(
          t,
          `${(share * 100).toFixed(1)} % of ${perSecond}/s and ${burst} at ${nodeIndexes.length} nodes`,
        );
      }
    }
  },
);

test("a single node admits exactly the burst, and reports nothing", ON_POSTGRES, async (t) => {
  const { context, limits, tryAt } = await startLimits(t, { count: 1, perSecond: 1, burst: 5 });
  const granted = Array.from({ length: 7 }, () => tryAt(0));
  assert.deepEqual(granted, [1, 1, 1, 1, 1, 0, 0]);
  assert.throws(() => limits[0]?.take("key", 1), { code: "rate_limited", retryAfterMs: 1_000 });
  context.clock.advance(1_000);
  assert.deepEqual([tryAt(0), tryAt(0)], [1, 0]);
  await limits[0]?.report();
  const rows = await context.database.db.selectFrom("rate_bucket").selectAll().execute();
  assert.deepEqual(rows, []);
});

test(
  "concurrent reports of a node, as with a slow database, are counted once",
  ON_POSTGRES,
  async (t) => {
    const { context, limits, tryAt } = await startLimits(t, { count: 2, perSecond: 1, burst: 100 });
    assert.equal(tryAt(0, 10), 10);
    await Promise.all([limits[0]?.report(), limits[0]?.report()]);
    const rows = await context.database.db.selectFrom("rate_bucket").select("level").execute();
    assert.deepEqual(rows, [{ level: 10 }]);
  },
);

test(
  "requests that a single node admitted are reported once a second node starts",
  ON_POSTGRES,
  async (t) => {
    const fixture = await startLimits(t, { count: 2, perSecond: 1, burst: 10 });
    const { nodes, limits, tryAt } = fixture;
    nodes.count = 1;
    for (let index = 0; index < 10; index += 1) assert.equal(tryAt(0), 1);
    nodes.count = 2;
    await limits[0]?.report();
    assert.equal(tryAt(1), 1);
    await limits[1]?.report();
    assert.equal(tryAt(1), 0);
  },
);

test(
  "a request that costs more than a node's share is admitted if the limit allows it",
  ON_POSTGRES,
  async (t) => {
    const { limits, tryAt } = await startLimits(t, { count: 3, perSecond: 1, burst: 100 });
    assert.equal(tryAt(0, 90), 90);
    await limits[0]?.report();
    assert.equal(tryAt(0, 90), 0);
  },
);

test(
  "a node writes at most once a second, for any number of keys and requests",
  ON_POSTGRES,
  async (t) => {
    const context = await createRoomContext(t);
    const { context: recorded, captureQueries } = recordQueries(context);
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const nodes = { count: 2 };
    const limit = new SharedRateLimit({
      context: recorded,
      nodes,
      perSecond: 10,
      burst: 1_000,
      createRateLimitError,
    });
    const seconds = 3;
    const queries = await captureQueries(async () => {
      for (let ms = 0; ms < seconds * 1_000; ms += 100) {
        for (let request = 0; request < 60; request += 1) limit.take(`key ${request % 20}`, 1);
        context.clock.advance(100);
        t.mock.timers.tick(100);
        // Lets a report that has started finish before the clock advances.
        await context.database.db.selectFrom("rate_bucket").select("key").execute();
      }
      await limit.stop();
    });
    const writes = queries.filter(({ sql }) => sql.includes("rate_bucket"));
    assert.ok(writes.length >= 1 && writes.length <= seconds, `${writes.length} in ${seconds} s`);
    reportFigure(t, `${writes.length} writes in ${seconds} s for 20 keys`);
    const rows = await context.database.db.selectFrom("rate_bucket").select("key").execute();
    assert.equal(rows.length, 20);
  },
);
