import assert from "node:assert/strict";
import test from "node:test";
import {
  addDevice,
  createAcceptRequest,
  startDeliveryBench,
  readStates,
} from "../../../test/support/delivery-bench.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { DAY_MS } from "#schema/timestamp.ts";
import { createDeliveryStore } from "../store/create-store.ts";

test("an expired job ends without an attempt on a node that did not accept it", async (t) => {
  const bench = await startDeliveryBench(t);
  const { context, delivery, provider } = bench;
  const deviceId = await addDevice(bench, "https://push.example/1");
  const request = createAcceptRequest(bench, [deviceId]);
  await createDeliveryStore(context, "node-0").accept([{ ...request, takeLease: false }]);
  context.clock.advance(DAY_MS + 1);
  await delivery.worker.start();
  const states = await eventually(
    () => readStates(bench, request.notification.id),
    (states) => states.length > 0,
  );
  assert.deepEqual(states, ["expired"]);
  assert.equal(provider.attempts.length, 0);
  assert.equal((await delivery.getQueueStats()).jobs, 0);
});
