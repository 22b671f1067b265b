import assert from "node:assert/strict";
import test from "node:test";
import { createCallbackFixture, SOURCE_ID } from "../../test/support/callback-fixture.ts";
import { eventually } from "../../test/support/eventually.ts";
import { createRoomContext } from "../../test/support/context.ts";
import { createRowSeal, NO_SEAL } from "#secrets/row-seal.ts";
import {
  countUnsealedSecrets,
  createSecret,
  draftSecret,
  findSecrets,
  hasSecret,
  pruneSecrets,
  sealUnsealedSecrets,
  SECRET_OVERLAP_MS,
} from "./store/secrets.ts";

/** More round trips than a new connection and a transaction take. */
const ROUND_TRIPS = 1_000;

test("a new secret has the form of Standard Webhooks, belongs to one source, and is not stored as plain text", async (t) => {
  const context = await createRoomContext(t);
  assert.equal(await hasSecret(context, "a"), false);
  const secret = await createSecret(context, "a");
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.equal(await hasSecret(context, "a"), true);
  assert.equal(await hasSecret(context, "b"), false);
  const rows = await context.database.db.selectFrom("callback_secret").selectAll().execute();
  assert.ok(!JSON.stringify(rows).includes(secret.slice("whsec_".length)));
});

test("a replaced secret stays valid for a day, and an older one ends at once", async (t) => {
  const { context, receiver, createSender, store, listRows } = await createCallbackFixture(t);
  const [first = ""] = receiver.secrets;
  const sender = createSender();
  sender.start();
  const callAndList = async () => {
    await store();
    sender.announce();
    const calls = await receiver.waitForCalls(receiver.calls.length + 1);
    await eventually(listRows, (rows) => rows.length === 0);
    return calls.at(-1)?.acceptedSecrets;
  };
  assert.deepEqual(await callAndList(), [first]);
  const second = await createSecret(context, SOURCE_ID);
  receiver.secrets.push(second);
  assert.deepEqual(await callAndList(), [first, second]);
  const third = await createSecret(context, SOURCE_ID);
  receiver.secrets.push(third);
  assert.deepEqual(await callAndList(), [second, third]);
  context.clock.advance(SECRET_OVERLAP_MS - 1);
  assert.deepEqual(await callAndList(), [second, third]);
  assert.equal(await pruneSecrets(context, 10), 0);
  context.clock.advance(1);
  assert.deepEqual(await callAndList(), [third]);
  assert.equal(await pruneSecrets(context, 10), 1);
  await sender.stop();
  assert.deepEqual(await findSecrets(context, SOURCE_ID), { secrets: [third], unreadableCount: 0 });
});

test("of many secrets created concurrently, one stays valid, and another one is valid for a day", async (t) => {
  const context = await createRoomContext(t);
  const created = await Promise.all(Array.from({ length: 8 }, () => createSecret(context, "a")));
  const { secrets } = await findSecrets(context, "a");
  assert.equal(secrets.length, 2);
  assert.ok(secrets.every((secret) => created.includes(secret)));
  context.clock.advance(SECRET_OVERLAP_MS);
  assert.equal((await findSecrets(context, "a")).secrets.length, 1);
});

test("creating a secret waits for a transaction that creates another one", async (t) => {
  const context = await createRoomContext(t);
  const { database } = context;
  const { statements } = draftSecret(context, "a");
  const waiting: Promise<string>[] = [];
  await database.transaction(async (db) => {
    for (const statement of statements) await db.executeQuery(statement.compile());
    waiting.push(createSecret(context, "a"));
    // Time enough for a transaction that does not wait.
    for (let trip = 0; trip < ROUND_TRIPS; trip += 1)
      await db.selectFrom("callback_secret").select("id").execute();
  });
  const second = await waiting.at(-1);
  context.clock.advance(SECRET_OVERLAP_MS);
  assert.deepEqual((await findSecrets(context, "a")).secrets, [second]);
});

test("unsealed secrets can be sealed later, and one that is deleted meanwhile does not count", async (t) => {
  const context = await createRoomContext(t);
  const { database } = context;
  const seal = createRowSeal({ secret: "s".repeat(43), isSealing: true });
  const unsealedContext = { ...context, seal: NO_SEAL };
  const secret = await createSecret(unsealedContext, "a");
  await createSecret(unsealedContext, "b");
  assert.equal(await countUnsealedSecrets(database), 2);
  const databaseOfRevocation = {
    ...database,
    async atomically(queries: Parameters<typeof database.atomically>[0]) {
      await database.db.deleteFrom("callback_secret").where("source_id", "=", "b").execute();
      return database.atomically(queries);
    },
  };
  const counts = await sealUnsealedSecrets(databaseOfRevocation, { seal, max: 100 });
  assert.deepEqual(counts, { readCount: 2, sealedCount: 1 });
  assert.equal(await countUnsealedSecrets(database), 0);
  assert.deepEqual((await findSecrets({ ...context, seal }, "a")).secrets, [secret]);
});
