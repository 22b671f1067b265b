import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { createNotification } from "../../../test/support/notifications.ts";
import { createRoomContext, type RoomContext } from "../../../test/support/context.ts";
import { createPendingDevices } from "../delivery.ts";
import type { IdempotencyRecord } from "./delivery-store.ts";
import { createDeliveryStore } from "./create-store.ts";

const HASHES = { keyHash: "hash", contentHash: "content" };
/** API keys of one rotation chain. A node of an earlier version treats each key as independent. */
const BY_FIRST: IdempotencyRecord = { ...HASHES, keyId: "first" };
const BY_SECOND: IdempotencyRecord = { ...HASHES, keyId: "first", laterKeyId: "second" };
const BY_THIRD: IdempotencyRecord = { ...HASHES, keyId: "first", laterKeyId: "third" };
const BY_SECOND_EARLIER: IdempotencyRecord = { ...HASHES, keyId: "second" };
const DAY_MS = 86_400_000;

async function setUp(t: TestContext) {
  const context = await createRoomContext(t);
  const store = createDeliveryStore(context, "node");
  const send = async (idempotency: IdempotencyRecord) => {
    const notification = createNotification(context, "ann");
    const work = { kind: "devices", pending: createPendingDevices(["a"], 0) } as const;
    const request = { notification, lane: 0, work, idempotency, takeLease: true } as const;
    const [result] = await store.accept([request]);
    return result?.kind === "replayed" ? result.notificationId : result?.kind;
  };
  return { context, send, listSent: () => listSentIds(context) };
}

async function listSentIds({ database }: RoomContext): Promise<readonly string[]> {
  const rows = await database.db.selectFrom("notification").select("id").execute();
  return rows.map(({ id }) => id);
}

test("a request sent with one key of a chain is replayed for every other key", async (t) => {
  const { send, listSent } = await setUp(t);
  assert.equal(await send(BY_SECOND), "accepted");
  const [id] = await listSent();
  for (const idempotency of [BY_FIRST, BY_SECOND, BY_THIRD])
    assert.equal(await send(idempotency), id);
  assert.equal(await send({ ...BY_THIRD, contentHash: "other" }), "mismatch");
  assert.equal((await listSent()).length, 1);
});

test("a request that an earlier version stored with a later key is replayed for the chain", async (t) => {
  const { send, listSent } = await setUp(t);
  assert.equal(await send(BY_SECOND_EARLIER), "accepted");
  const [id] = await listSent();
  for (const idempotency of [BY_SECOND, BY_FIRST, BY_THIRD])
    assert.equal(await send(idempotency), id);
  assert.equal((await listSent()).length, 1);
});

test("a request sent with a later key is replayed by a node of an earlier version", async (t) => {
  const { send, listSent } = await setUp(t);
  assert.equal(await send(BY_SECOND), "accepted");
  const [id] = await listSent();
  assert.equal(await send(BY_SECOND_EARLIER), id);
  // A replayed request is stored for its key too.
  assert.equal(await send(BY_THIRD), id);
  assert.equal(await send({ ...HASHES, keyId: "third" }), id);
  assert.equal((await listSent()).length, 1);
});

test("an idempotency key expires after a day for the whole chain", async (t) => {
  const { context, send, listSent } = await setUp(t);
  assert.equal(await send(BY_SECOND), "accepted");
  context.clock.advance(DAY_MS - 1);
  assert.notEqual(await send(BY_THIRD), "accepted");
  context.clock.advance(1);
  assert.equal(await send(BY_SECOND), "accepted");
  assert.equal((await listSent()).length, 2);
});

test("concurrent requests with all keys of a chain send once", async (t) => {
  const { send, listSent } = await setUp(t);
  for (let round = 0; round < 5; round += 1) {
    const keyHash = `hash ${round}`;
    const idempotencies = [BY_FIRST, BY_SECOND, BY_THIRD, BY_THIRD, BY_SECOND, BY_FIRST];
    const results = await Promise.all(
      idempotencies.map((idempotency) => send({ ...idempotency, keyHash })),
    );
    assert.equal(results.filter((result) => result === "accepted").length, 1);
    assert.equal(new Set(results).size, 2);
  }
  assert.equal((await listSent()).length, 5);
});
