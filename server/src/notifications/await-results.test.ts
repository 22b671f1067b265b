import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { createNotification } from "../../test/support/notifications.ts";
import { createRoomContext } from "../../test/support/context.ts";
import { createPendingDevices, type DeliveryResult } from "#delivery/delivery.ts";
import { RemoteResults } from "#delivery/result/remote-results.ts";
import { createDeliveryStore } from "#delivery/store/create-store.ts";
import type { Watch } from "#delivery/result/watch.ts";
import { awaitResults } from "./await-results.ts";

/** Longer than a test may take, so that a test that waits for it fails. */
const SYNC_WAIT_MS = 120_000;

/** Stores a send to one phone that another node has begun; `repeat` repeats it on this node. */
async function startRepeatedSend(t: TestContext) {
  const context = await createRoomContext(t);
  const store = createDeliveryStore(context, "another node");
  const notification = createNotification(context, "ann");
  const pending = createPendingDevices(["phone"], context.now());
  const work = { kind: "devices", pending } as const;
  const request = { notification, lane: 0, work, idempotency: null, takeLease: true } as const;
  const [accepted] = await store.accept([request]);
  const lease = accepted?.kind === "accepted" ? accepted.job?.lease : undefined;
  assert.ok(lease !== undefined);
  const at = context.now();
  const acceptance = {
    provider: "fcm",
    state: "accepted",
    code: "accepted",
    detail: null,
  } as const;
  const result: DeliveryResult = { deviceId: "phone", ...acceptance, attempts: 1, at };
  const settlement = { id: "end", lease, notificationId: notification.id, results: [result] };
  const record = () =>
    store.settle([{ ...settlement, deviceStateUpdate: null, next: { kind: "done" } }]);
  const remoteResults = new RemoteResults();
  const publish = () => remoteResults.addReport(notification.id, { kind: "final", result });
  const repeat = (onWaiting: () => void) => {
    const watchRemote = (id: string, deviceIds: readonly string[]) => {
      const watch = remoteResults.watch(id, deviceIds);
      runOnFirstWait(watch, onWaiting);
      return watch;
    };
    const delivery = { watchRemote, worker: { findWatch: () => null } };
    const target = { deviceId: "phone", accountId: "ann", provider: "fcm" as const, name: "" };
    const address = { provider: "fcm", kind: "token", token: "" } as const;
    const deviceTimes = { registeredAt: at, pausedAt: null, suspectAt: null };
    const targets = [{ ...target, address, ...deviceTimes }];
    const { id: notificationId, audience } = notification;
    const sent = {
      notificationId,
      handedOver: { kind: "replayed", notificationId, targets },
      targets,
    } as const;
    const deps = { context, delivery, syncWaitMs: SYNC_WAIT_MS };
    return awaitResults(deps, { audience, sent });
  };
  return { record, publish, repeat };
}

function runOnFirstWait(watch: Watch, act: () => void): void {
  const wait = watch.wait.bind(watch);
  watch.wait = async (waitMs) => {
    watch.wait = wait;
    act();
    await wait(waitMs);
  };
}

test("a repeated send returns a result that another node publishes before recording it", async (t) => {
  const { publish, repeat } = await startRepeatedSend(t);
  const { message } = await repeat(publish);
  assert.equal(message, "Delivered to 1 of 1 device");
});

test("a repeated send reads a result from the database if it missed the publication", async (t) => {
  const { record, repeat } = await startRepeatedSend(t);
  const { message } = await repeat(() => void record());
  assert.equal(message, "Delivered to 1 of 1 device");
});
