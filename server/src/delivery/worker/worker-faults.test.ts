import assert from "node:assert/strict";
import test from "node:test";
import type { Context } from "#context.ts";
import { formatPosition } from "#devices/audiences/audience.ts";
import { listDevicesInRange } from "#devices/audiences/store/audience-devices.ts";
import { findResults } from "#notifications/log/store.ts";
import {
  acceptNotification,
  addDevice,
  createAcceptRequest,
  startDeliveryBench,
  readStates,
  runWorkerOnce,
} from "../../../test/support/delivery-bench.ts";
import { createUnavailableError } from "../../../test/support/database.ts";
import { insertAccount } from "../../../test/support/context.ts";
import { ACCEPTED } from "../../../test/support/scripted-provider.ts";
import { CHUNK_MAX } from "../delivery.ts";
import { createDeliveryStore } from "../store/create-store.ts";

/** Inserts a team of the accounts; returns its id. */
async function insertTeam(context: Context, accountIds: readonly string[]): Promise<string> {
  const { database, newId, now } = context;
  const teamId = newId();
  const members = accountIds.map((account_id) => ({ id: newId(), account_id, team_id: teamId }));
  const membership = { role: "member", joined_at: now(), left_at: null } as const;
  await database.atomically([
    database.db.insertInto("team").values({ id: teamId, name: "Ops", created_at: now() }),
    database.db
      .insertInto("team_member")
      .values(members.map((member) => ({ ...member, ...membership }))),
  ]);
  return teamId;
}

const HOUR_MS = 3_600_000;

test("a wake-up during a claim does not cancel later ones", async (t) => {
  const bench = await startDeliveryBench(t);
  const { context, delivery, provider } = bench;
  const deviceId = await addDevice(bench, "a");
  const { database } = context;
  await database.transaction(async () => {
    // The claim waits for the database, and the timer of a wake-up fires meanwhile.
    const claiming = delivery.worker.claimDue();
    delivery.worker.wakeAt(context.now());
    await new Promise((resolve) => setTimeout(resolve, 20));
    return { claiming };
  });
  const store = createDeliveryStore(context, "node-2");
  await store.accept([{ ...createAcceptRequest(bench, [deviceId]), takeLease: false }]);
  const requestSent = Promise.withResolvers<void>();
  provider.script("a", async () => {
    requestSent.resolve();
    return ACCEPTED;
  });
  delivery.worker.wakeAt(context.now());
  await requestSent.promise;
});

test("a device that joins a chunk after the split displaces no other", async (t) => {
  const bench = await startDeliveryBench(t);
  const { context, accountId, delivery } = bench;
  const bob = await insertAccount(context, { email: "bob@example.org" });
  const teamId = await insertTeam(context, [accountId, bob]);
  for (let index = 0; index < CHUNK_MAX / 2; index += 1) {
    await addDevice(bench, `ann ${index}`);
    await addDevice({ ...bench, accountId: bob }, `bob ${index}`);
  }
  const audience = { kind: "team", teamId } as const;
  const devices = await listDevicesInRange(context, audience, {
    after: "",
    upTo: null,
    limit: 1_000,
  });
  const last = devices.at(-1);
  const range = { after: "", upTo: last === undefined ? "" : formatPosition(last) };
  const base = createAcceptRequest(bench, []);
  const notification = { ...base.notification, audience, deviceCount: CHUNK_MAX };
  const request = { ...base, notification, lane: 2, work: { kind: "range", range } } as const;
  await createDeliveryStore(context, "node-2").accept([{ ...request, takeLease: false }]);
  await addDevice(bench, "late");
  for (let round = 0; round < 3; round += 1) {
    await runWorkerOnce(delivery.worker);
  }
  const { id: notificationId } = notification;
  const results = await findResults(context, { notificationId, limit: 1_000 });
  const reached = new Set(results.map(({ deviceId }) => deviceId));
  assert.deepEqual(
    devices.filter(({ deviceId }) => !reached.has(deviceId)),
    [],
  );
  assert.equal((await delivery.getQueueStats()).jobs, 0);
});

test("a temporary failure to backfill the feed sends nothing twice", async (t) => {
  let failures = 1;
  const backfillFeed = async () => {
    failures -= 1;
    if (failures >= 0) throw createUnavailableError();
  };
  const bench = await startDeliveryBench(t, { backfillFeed });
  const { context, delivery } = bench;
  const request = createAcceptRequest(bench, [await addDevice(bench, "a")]);
  await createDeliveryStore(context, "node-2").accept([{ ...request, takeLease: false }]);
  await runWorkerOnce(delivery.worker);
  assert.equal(failures, -1);
  assert.deepEqual(await readStates(bench, request.notification.id), ["accepted"]);
  assert.equal(bench.provider.attempts.length, 1);
});

test("the feed is backfilled only for an unstarted job of another process", async (t) => {
  let backfillCount = 0;
  const bench = await startDeliveryBench(t, {
    backfillFeed: async () => void (backfillCount += 1),
  });
  const { context, delivery, provider } = bench;
  const deviceId = await addDevice(bench, "a");
  const reason = { code: "transient", detail: null } as const;
  provider.script("a", async () => ({ kind: "retry", reason, afterMs: null, isCounted: true }));
  await acceptNotification(bench, [deviceId]);
  await delivery.worker.waitUntilIdle();
  context.clock.advance(HOUR_MS);
  provider.script("a", async () => ACCEPTED);
  await runWorkerOnce(delivery.worker);
  assert.deepEqual([backfillCount, provider.attempts.length], [0, 2]);
  const request = createAcceptRequest(bench, [deviceId]);
  await createDeliveryStore(context, "node-2").accept([{ ...request, takeLease: false }]);
  await runWorkerOnce(delivery.worker);
  assert.deepEqual([backfillCount, provider.attempts.length], [1, 3]);
});

for (const [change, jumpMs] of [
  ["jumps ahead, as after a laptop was closed,", 8 * HOUR_MS],
  ["is set back", -8 * HOUR_MS],
] as const) {
  test(`a clock that ${change} repeats no running attempt`, async (t) => {
    const bench = await startDeliveryBench(t);
    const { context, delivery, provider } = bench;
    const deviceId = await addDevice(bench, "a");
    const attemptBegun = Promise.withResolvers<void>();
    const mayRespond = Promise.withResolvers<void>();
    provider.script("a", async () => {
      attemptBegun.resolve();
      await mayRespond.promise;
      return ACCEPTED;
    });
    const id = await acceptNotification(bench, [deviceId]);
    await attemptBegun.promise;
    // Lets the worker record the clock's reading before the jump.
    await delivery.worker.claimDue();
    context.clock.advance(jumpMs);
    await delivery.worker.claimDue();
    mayRespond.resolve();
    await delivery.worker.waitUntilIdle();
    assert.equal(provider.attempts.length, 1);
    assert.deepEqual(await readStates(bench, id), ["accepted"]);
    assert.equal((await delivery.getQueueStats()).jobs, 0);
  });
}

test("a device that cannot be retired yet does not end other attempts", async (t) => {
  const bench = await startDeliveryBench(t);
  const { context, delivery, provider } = bench;
  const deviceIds = [await addDevice(bench, "gone"), await addDevice(bench, "slow")];
  const { database } = context;
  const atomically = database.atomically.bind(database);
  const gate = Promise.withResolvers<void>();
  const failed = Promise.withResolvers<void>();
  const reason = { code: "device_gone", detail: null } as const;
  provider.script("gone", async () => {
    Object.assign(database, {
      atomically: async () => {
        Object.assign(database, { atomically });
        failed.resolve();
        throw createUnavailableError();
      },
    });
    return { kind: "gone", goneAt: context.now(), reason };
  });
  provider.script("slow", async () => {
    await gate.promise;
    return ACCEPTED;
  });
  const id = await acceptNotification(bench, deviceIds);
  await failed.promise;
  assert.equal((await delivery.getQueueStats()).jobs, 1);
  gate.resolve();
  await delivery.worker.waitUntilIdle();
  assert.deepEqual(await readStates(bench, id), ["accepted"]);
  provider.script("gone", async () => ({ kind: "gone", goneAt: context.now(), reason }));
  context.clock.advance(30_000);
  await runWorkerOnce(delivery.worker);
  assert.deepEqual((await readStates(bench, id)).toSorted(), ["accepted", "gone"]);
});
