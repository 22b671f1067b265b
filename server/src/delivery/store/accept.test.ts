import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { notificationTo } from "../../../test/support/notifications.ts";
import { testContext, type TestedContext } from "../../../test/support/room.ts";
import { untried } from "../delivery.ts";
import type { Idempotency } from "./delivery-store.ts";
import { createDeliveryStore } from "./create-store.ts";

const SAID = { keyHash: "hash", contentHash: "content" };
/** A chain of rotations: a node of an earlier version knows each key of it by itself alone. */
const BY_FIRST: Idempotency = { ...SAID, keyId: "first" };
const BY_SECOND: Idempotency = { ...SAID, keyId: "first", laterKeyId: "second" };
const BY_THIRD: Idempotency = { ...SAID, keyId: "first", laterKeyId: "third" };
const BY_SECOND_EARLIER: Idempotency = { ...SAID, keyId: "second" };
const DAY_MS = 86_400_000;

async function stage(t: TestContext) {
  const context = await testContext(t);
  const store = createDeliveryStore(context, "node");
  const send = async (idempotency: Idempotency) => {
    const notification = notificationTo(context, "ann");
    const work = { kind: "devices", pending: untried(["a"], 0) } as const;
    const request = { notification, lane: 0, work, idempotency, takeLease: true } as const;
    const [result] = await store.accept([request]);
    return result?.kind === "replayed" ? result.notificationId : result?.kind;
  };
  return { context, send, sent: () => sentIds(context) };
}

async function sentIds({ database }: TestedContext): Promise<readonly string[]> {
  const rows = await database.db.selectFrom("notification").select("id").execute();
  return rows.map(({ id }) => id);
}

test("a request sent with one key of a chain is a repetition with every other one", async (t) => {
  const { send, sent } = await stage(t);
  assert.equal(await send(BY_SECOND), "accepted");
  const [id] = await sent();
  for (const by of [BY_FIRST, BY_SECOND, BY_THIRD]) assert.equal(await send(by), id);
  assert.equal(await send({ ...BY_THIRD, contentHash: "other" }), "mismatch");
  assert.equal((await sent()).length, 1);
});

test("a request that a node of an earlier version took with a later key is a repetition for the chain", async (t) => {
  const { send, sent } = await stage(t);
  assert.equal(await send(BY_SECOND_EARLIER), "accepted");
  const [id] = await sent();
  for (const by of [BY_SECOND, BY_FIRST, BY_THIRD]) assert.equal(await send(by), id);
  assert.equal((await sent()).length, 1);
});

test("a request sent with a key is a repetition for a node of an earlier version", async (t) => {
  const { send, sent } = await stage(t);
  assert.equal(await send(BY_SECOND), "accepted");
  const [id] = await sent();
  assert.equal(await send(BY_SECOND_EARLIER), id);
  // A repetition that was answered counts like the first.
  assert.equal(await send(BY_THIRD), id);
  assert.equal(await send({ ...SAID, keyId: "third" }), id);
  assert.equal((await sent()).length, 1);
});

test("after a day the whole chain has forgotten", async (t) => {
  const { context, send, sent } = await stage(t);
  assert.equal(await send(BY_SECOND), "accepted");
  context.clock.advance(DAY_MS - 1);
  assert.notEqual(await send(BY_THIRD), "accepted");
  context.clock.advance(1);
  assert.equal(await send(BY_SECOND), "accepted");
  assert.equal((await sent()).length, 2);
});

test("of all keys of a chain at once, one sends", async (t) => {
  const { send, sent } = await stage(t);
  for (let round = 0; round < 5; round += 1) {
    const keyHash = `hash ${round}`;
    const all = [BY_FIRST, BY_SECOND, BY_THIRD, BY_THIRD, BY_SECOND, BY_FIRST];
    const results = await Promise.all(all.map((by) => send({ ...by, keyHash })));
    assert.equal(results.filter((result) => result === "accepted").length, 1);
    assert.equal(new Set(results).size, 2);
  }
  assert.equal((await sent()).length, 5);
});
