import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { addDevice, createNode, workOnce } from "../../../test/support/delivery-bench.ts";
import { notificationTo } from "../../../test/support/notifications.ts";
import { insertAccount, testContext } from "../../../test/support/room.ts";
import { ScriptedProvider } from "../../../test/support/scripted-provider.ts";
import { untried, type Work } from "#delivery/delivery.ts";
import { createDeliveryStore } from "#delivery/store/create-store.ts";
import { createLateFiling } from "./file-late.ts";
import { feedEntry } from "./store.ts";

interface Accepted {
  readonly isFiled?: boolean;
  readonly takeLease?: boolean;
  readonly work?: Work;
}

/** Starts a process that takes over notifications that another one accepted. */
async function setUp(t: TestContext) {
  const context = await testContext(t);
  const accountId = await insertAccount(context);
  const published: string[] = [];
  const publish = ({ id }: { readonly id: string }) => void published.push(id);
  const provider = new ScriptedProvider();
  let commits = 0;
  const { database } = context;
  const counting = {
    ...database,
    atomically(...args: Parameters<typeof database.atomically>) {
      commits += 1;
      return database.atomically(...args);
    },
  };
  const delivery = createNode({
    context,
    providers: [provider],
    fileLate: createLateFiling({ context: { ...context, database: counting }, publish }),
  });
  t.after(() => delivery.worker.stop(0));
  const device = await addDevice({ context, accountId, provider, delivery }, "a");
  const toDevice: Work = { kind: "devices", pending: untried([device], 0) };
  const otherStore = createDeliveryStore(context, "another");
  return {
    context,
    delivery,
    provider,
    published,
    commits: () => commits,
    /** Accepts a notification in another process, which starts no work. */
    accept: async ({ isFiled = true, takeLease = false, work = toDevice }: Accepted = {}) => {
      const notification = notificationTo(context, accountId);
      const alongside = isFiled ? [feedEntry(notification)] : [];
      const lane = work.kind === "devices" ? 0 : 2;
      await otherStore.accept([
        { notification, lane, work, idempotency: null, takeLease, alongside },
      ]);
      return notification.id;
    },
    entries: async () => {
      const rows = await database.db.selectFrom("feed_entry").select("notification_id").execute();
      return rows.map(({ notification_id }) => notification_id);
    },
  };
}

test("a job that an earlier version left unfiled is filed and published when it is taken over", async (t) => {
  const { accept, delivery, entries, provider, published, commits } = await setUp(t);
  const ids = [await accept({ isFiled: false }), await accept({ isFiled: false }), await accept()];
  await workOnce(delivery.worker);
  assert.equal(provider.attempts.length, 3);
  assert.deepEqual((await entries()).toSorted(), ids.toSorted());
  assert.deepEqual(published.toSorted(), ids.slice(0, 2).toSorted());
  assert.equal(commits(), 1);
});

test("taking over a filed job needs no commit and does not publish it again", async (t) => {
  const { accept, delivery, entries, provider, published, commits } = await setUp(t);
  const id = await accept();
  await workOnce(delivery.worker);
  assert.equal(provider.attempts.length, 1);
  assert.deepEqual([await entries(), published, commits()], [[id], [], 0]);
});

test("a job whose process crashed is published by the process that takes it over", async (t) => {
  const { accept, delivery, entries, published } = await setUp(t);
  const id = await accept({ takeLease: true });
  await delivery.worker.start();
  await delivery.worker.idle();
  assert.deepEqual([await entries(), published], [[id], [id]]);
});

test("a bulk notification is filed once, before it is expanded", async (t) => {
  const { accept, delivery, entries, provider, published } = await setUp(t);
  const work: Work = { kind: "expand", range: { after: "", upTo: "" } };
  const id = await accept({ isFiled: false, work });
  await workOnce(delivery.worker);
  await workOnce(delivery.worker);
  assert.equal(provider.attempts.length, 1);
  assert.deepEqual([await entries(), published], [[id], [id]]);
});

test("a retry files and publishes nothing", async (t) => {
  const { accept, context, delivery, entries, provider, published } = await setUp(t);
  const reason = { code: "transient", detail: null } as const;
  provider.script("a", async () => ({ kind: "retry", reason, afterMs: null, counted: true }));
  await accept({ isFiled: false });
  await workOnce(delivery.worker);
  // As if its account was deleted in the meantime.
  await context.database.db.deleteFrom("feed_entry").execute();
  context.clock.advance(60_000);
  await workOnce(delivery.worker);
  assert.ok(provider.attempts.length > 1);
  assert.deepEqual([await entries(), published.length], [[], 1]);
});
