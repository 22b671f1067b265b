import assert from "node:assert/strict";
import test from "node:test";
import {
  addDevice,
  requestFor,
  startBench,
  statesOf,
} from "../../../test/support/delivery-bench.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { createDeliveryStore } from "../store/create-store.ts";

test("L11: what has expired is ended without an attempt, whoever takes it", async (t) => {
  const bench = await startBench(t);
  const { context, delivery, provider } = bench;
  const device = await addDevice(bench, "https://push.example/1");
  const request = requestFor(bench, [device]);
  await createDeliveryStore(context, "node-0").accept([{ ...request, takeLease: false }]);
  context.clock.advance(86_400_001);
  await delivery.worker.start();
  const states = await eventually(
    () => statesOf(bench, request.notification.id),
    (found) => found.length > 0,
  );
  assert.deepEqual(states, ["expired"]);
  assert.equal(provider.attempts.length, 0);
  assert.equal((await delivery.stats()).jobs, 0);
});
