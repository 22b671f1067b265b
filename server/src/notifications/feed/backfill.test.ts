import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import {
  addDevice,
  createDeliveryNode,
  runWorkerOnce,
} from "../../../test/support/delivery-bench.ts";
import { createNotification } from "../../../test/support/notifications.ts";
import { insertAccount, createRoomContext } from "../../../test/support/context.ts";
import { ScriptedProvider } from "../../../test/support/scripted-provider.ts";
import { createPendingDevices, type Work } from "#delivery/delivery.ts";
import { createDeliveryStore } from "#delivery/store/create-store.ts";
import { createFeedBackfill } from "./backfill.ts";
import { createFeedEntryRow } from "./store.ts";

interface AcceptInput {
  readonly hasFeedEntry?: boolean;
  readonly takeLease?: boolean;
  readonly work?: Work;
}

/** Creates a delivery module that takes over notifications that another process accepted. */
async function setUp(t: TestContext) {
  const context = await createRoomContext(t);
  const accountId = await insertAccount(context);
  const published: string[] = [];
  const publish = ({ id }: { readonly id: string }) => void published.push(id);
  const provider = new ScriptedProvider();
  let commitCount = 0;
  const { database } = context;
  const countingDatabase = {
    ...database,
    atomically(...args: Parameters<typeof database.atomically>) {
      commitCount += 1;
      return database.atomically(...args);
    },
  };
  const delivery = createDeliveryNode({
    context,
    providers: [provider],
    backfillFeed: createFeedBackfill({
      context: { ...context, database: countingDatabase },
      publish,
    }),
  });
  t.after(() => delivery.worker.stop(0));
  const deviceId = await addDevice({ context, accountId, provider, delivery }, "a");
  const deviceWork: Work = { kind: "devices", pending: createPendingDevices([deviceId], 0) };
  const otherProcessStore = createDeliveryStore(context, "another");
  return {
    context,
    delivery,
    provider,
    published,
    getCommitCount: () => commitCount,
    /** Accepts a notification in another process, which starts no work. */
    accept: async ({
      hasFeedEntry = true,
      takeLease = false,
      work = deviceWork,
    }: AcceptInput = {}) => {
      const notification = createNotification(context, accountId);
      const extraRows = hasFeedEntry ? [createFeedEntryRow(notification)] : [];
      const lane = work.kind === "devices" ? 0 : 2;
      await otherProcessStore.accept([
        { notification, lane, work, idempotency: null, takeLease, extraRows },
      ]);
      return notification.id;
    },
    listEntries: async () => {
      const rows = await database.db.selectFrom("feed_entry").select("notification_id").execute();
      return rows.map(({ notification_id }) => notification_id);
    },
  };
}

test("a notification that an earlier version left without a feed entry gets one and is published", async (t) => {
  const { accept, delivery, listEntries, provider, published, getCommitCount } = await setUp(t);
  const ids = [
    await accept({ hasFeedEntry: false }),
    await accept({ hasFeedEntry: false }),
    await accept(),
  ];
  await runWorkerOnce(delivery.worker);
  assert.equal(provider.attempts.length, 3);
  assert.deepEqual((await listEntries()).toSorted(), ids.toSorted());
  assert.deepEqual(published.toSorted(), ids.slice(0, 2).toSorted());
  assert.equal(getCommitCount(), 1);
});

test("a takeover of a job with a feed entry needs no commit and publishes nothing", async (t) => {
  const { accept, delivery, listEntries, provider, published, getCommitCount } = await setUp(t);
  const id = await accept();
  await runWorkerOnce(delivery.worker);
  assert.equal(provider.attempts.length, 1);
  assert.deepEqual([await listEntries(), published, getCommitCount()], [[id], [], 0]);
});

test("a notification whose process crashed is published by the process that takes its job over", async (t) => {
  const { accept, delivery, listEntries, published } = await setUp(t);
  const id = await accept({ takeLease: true });
  await delivery.worker.start();
  await delivery.worker.waitUntilIdle();
  assert.deepEqual([await listEntries(), published], [[id], [id]]);
});

test("a bulk notification gets its feed entry and is published once, and not again for its devices", async (t) => {
  const { accept, delivery, listEntries, provider, published } = await setUp(t);
  const work: Work = { kind: "expand", range: { after: "", upTo: "" } };
  const id = await accept({ hasFeedEntry: false, work });
  await runWorkerOnce(delivery.worker);
  await runWorkerOnce(delivery.worker);
  assert.equal(provider.attempts.length, 1);
  assert.deepEqual([await listEntries(), published], [[id], [id]]);
});

test("a retry adds no feed entry and publishes nothing more", async (t) => {
  const { accept, context, delivery, listEntries, provider, published } = await setUp(t);
  const reason = { code: "transient", detail: null } as const;
  provider.script("a", async () => ({ kind: "retry", reason, afterMs: null, isCounted: true }));
  await accept({ hasFeedEntry: false });
  await runWorkerOnce(delivery.worker);
  // Deletes the entry, as the deletion of its account would.
  await context.database.db.deleteFrom("feed_entry").execute();
  context.clock.advance(60_000);
  await runWorkerOnce(delivery.worker);
  assert.ok(provider.attempts.length > 1);
  assert.deepEqual([await listEntries(), published.length], [[], 1]);
});
