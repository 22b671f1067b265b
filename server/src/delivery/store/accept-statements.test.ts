import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { OPERATOR } from "#audit/event.ts";
import { StatementNames } from "#database/statement-names.ts";
import { removeDevice } from "#devices/store/retirement.ts";
import { createFeedEntryRow } from "#notifications/feed/store.ts";
import { ON_POSTGRES } from "../../../test/support/database.ts";
import { waitForLockWaiters } from "../../../test/support/lock-waiters.ts";
import { createNotification } from "../../../test/support/notifications.ts";
import { insertAccount, insertDevice, createRoomContext } from "../../../test/support/context.ts";
import { planRequest } from "./accept-plan.ts";
import { createDeliveryStore } from "./create-store.ts";
import type { AcceptRequest } from "./delivery-store.ts";
import { insertAcceptedQuery } from "./insert-accepted.ts";
import { decodePending } from "./tuples.ts";

async function setUp(t: TestContext) {
  const context = await createRoomContext(t);
  const accountId = await insertAccount(context);
  const addDevice = async (token: string) => {
    const address = { provider: "fcm", kind: "token", token } as const;
    const device = { accountId, platform: "android", address, name: token } as const;
    return (await insertDevice(context, device))?.id ?? "";
  };
  const createRequest = (max = 99): AcceptRequest => {
    const audience = { kind: "account", accountId } as const;
    const notification = createNotification(context, "", { audience, deviceCount: null });
    const idempotency = { keyId: "key", keyHash: "hash", contentHash: "content" };
    const extraRows = [createFeedEntryRow(notification)];
    const work = { kind: "audience", max } as const;
    return { notification, lane: 0, work, idempotency, takeLease: true, extraRows };
  };
  /** Stores the key of the requests in a transaction that stays open, so that their commits wait. */
  const lockKey = async () => {
    const transaction = await context.database.db.startTransaction().execute();
    const row = { key_id: "key", key_hash: "hash", content_hash: "content" };
    const values = { ...row, notification_id: "other", created_at: context.now() };
    await transaction.insertInto("idempotency").values(values).execute();
    return transaction;
  };
  return { context, accountId, addDevice, createRequest, lockKey };
}

test(
  "a device that is removed while a commit waits is not in the result, the job or the count",
  ON_POSTGRES,
  async (t) => {
    const { context, accountId, addDevice, createRequest, lockKey } = await setUp(t);
    const removedId = await addDevice("a");
    const otherId = await addDevice("b");
    const transaction = await lockKey();
    const accepting = createDeliveryStore(context, "node").accept([createRequest()]);
    await waitForLockWaiters(context);
    await removeDevice(context, { actor: OPERATOR, accountId, deviceId: removedId });
    await transaction.rollback().execute();
    const [result] = await accepting;
    assert.ok(result?.kind === "accepted");
    const listIds = (devices: readonly { readonly deviceId: string }[]) =>
      devices.map(({ deviceId }) => deviceId);
    assert.deepEqual(listIds(result.targets ?? []), [otherId]);
    const { db } = context.database;
    const { pending } = await db.selectFrom("send_job").select("pending").executeTakeFirstOrThrow();
    assert.deepEqual(listIds(decodePending(pending ?? "[]")), [otherId]);
    const counts = await db.selectFrom("notification").select("device_count").execute();
    assert.deepEqual(counts, [{ device_count: 1 }]);
  },
);

test(
  "a request on another node may use the idempotency key of a refused request",
  ON_POSTGRES,
  async (t) => {
    const { context, addDevice, createRequest, lockKey } = await setUp(t);
    await addDevice("a");
    const transaction = await lockKey();
    const results = [createRequest(0), createRequest(1)].map((request, index) =>
      createDeliveryStore(context, `node-${index}`).accept([request]),
    );
    await waitForLockWaiters(context, 2);
    await transaction.rollback().execute();
    const kinds = (await Promise.all(results)).flat().map(({ kind }) => kind);
    assert.deepEqual(kinds, ["too_many", "accepted"]);
  },
);

test(
  "the statement is the same for any number of requests, and is prepared",
  ON_POSTGRES,
  async (t) => {
    const { context, createRequest } = await setUp(t);
    const getSql = (count: number) => {
      const requests = Array.from({ length: count }, () => createRequest());
      const planned = requests.map((request) => planRequest(context, request, "node"));
      return insertAcceptedQuery(context, planned).compile().sql;
    };
    assert.equal(getSql(1), getSql(128));
    const names = new StatementNames();
    assert.notEqual([1, 2, 3].map(() => names.getName(getSql(1))).at(-1), null);
  },
);
