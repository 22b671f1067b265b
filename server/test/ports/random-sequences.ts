import type { TestContext } from "node:test";
import fc from "fast-check";
import { createDeliveryStore } from "#delivery/store/create-store.ts";
import { findResults } from "#notifications/log/store.ts";
import { createRoomContext, type RoomContext } from "../support/context.ts";
import { compareWithModel } from "./delivery-store.contract.ts";
import { stepSequences, type Step } from "./delivery-steps.ts";

const OWNER = "node-1";
/** Number of databases on which sequences run concurrently, because each mostly waits for responses. */
const DATABASE_COUNT = 3;
const PART_OPTIONS = { concurrency: true, timeout: 8 * 60_000 };

/** Runs `count` random sequences of operations on the store and on its model. The test fails if they differ. */
export async function runSequences(t: TestContext, count: number): Promise<void> {
  const parts = Array.from({ length: DATABASE_COUNT }, (_, index) =>
    t.test(`part ${index + 1} of ${DATABASE_COUNT}`, PART_OPTIONS, async (part) => {
      const context = await createRoomContext(part);
      const property = fc.asyncProperty(stepSequences, (sequence) =>
        compareStoreWithModel(context, sequence),
      );
      await fc.assert(property, { numRuns: Math.ceil(count / DATABASE_COUNT) });
    }),
  );
  await Promise.all(parts);
}

const TABLES = [
  "notification",
  "send_job",
  "send_job_wait",
  "delivery_page",
  "idempotency",
] as const;

async function compareStoreWithModel(
  context: RoomContext,
  sequence: readonly Step[],
): Promise<void> {
  const { clock, database } = context;
  await database.atomically(TABLES.map((table) => database.db.deleteFrom(table)));
  await compareWithModel(
    {
      store: createDeliveryStore(context, OWNER),
      owner: OWNER,
      now: clock.now,
      advance: (ms) => clock.advance(ms),
      readResults: (notificationId) => findResults(context, { notificationId, limit: 10_000 }),
    },
    sequence,
  );
}
