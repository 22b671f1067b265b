import test from "node:test";
import fc from "fast-check";
import { compareWithModel } from "../../../test/ports/delivery-store.contract.ts";
import { steps, type Step } from "../../../test/ports/delivery-steps.ts";
import { testContext, type TestedContext } from "../../../test/support/room.ts";
import { findResults } from "#notifications/log/store.ts";
import { createDeliveryStore } from "./create-store.ts";

const OWNER = "node-1";
const WHOLE = 10_000;
/** Continuous integration has minutes for everything, and runs it with every change: chance adds up. */
const IN_CI = 1_000;
const RUNS = process.env["CI"] === undefined ? WHOLE : IN_CI;
/** Databases that sequences run on at the same time: one mostly waits for its answers. */
const SIDES = 3;
const LIMIT = { concurrency: true, timeout: 480_000 };

test(
  `each store agrees with the model over ${RUNS} random sequences of operations`,
  LIMIT,
  async (t) => {
    if (RUNS < WHOLE)
      t.diagnostic(`${RUNS} of ${WHOLE} sequences: CI runs a part of them each time.`);
    const sides = Array.from({ length: SIDES }, (_, side) =>
      t.test(`part ${side + 1} of ${SIDES}`, LIMIT, async (part) => {
        const context = await testContext(part);
        const property = fc.asyncProperty(steps, (sequence) => compare(context, sequence));
        await fc.assert(property, { numRuns: Math.ceil(RUNS / SIDES) });
      }),
    );
    await Promise.all(sides);
  },
);

const TABLES = [
  "notification",
  "send_job",
  "send_job_wait",
  "delivery_page",
  "idempotency",
] as const;

async function compare(context: TestedContext, sequence: readonly Step[]): Promise<void> {
  const { clock, database } = context;
  await database.atomically(TABLES.map((table) => database.db.deleteFrom(table)));
  await compareWithModel(
    {
      store: createDeliveryStore(context, OWNER),
      owner: OWNER,
      now: clock.now,
      advance: (ms) => clock.advance(ms),
      resultsOf: (notificationId) => findResults(context, { notificationId, limit: 10_000 }),
    },
    sequence,
  );
}
