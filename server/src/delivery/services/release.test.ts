import assert from "node:assert/strict";
import test from "node:test";
import {
  accept,
  addDevice,
  startBench,
  statesOf,
  workOnce,
  type Bench,
} from "../../../test/support/delivery-bench.ts";
import { ACCEPTED } from "../../../test/support/scripted-provider.ts";
import type { Outcome } from "#providers/provider.ts";
import { eventually } from "../../../test/support/eventually.ts";

const MINUTE_MS = 60_000;

function failing(code: "transient" | "unreachable"): Outcome {
  const reason = { code, detail: null };
  return { kind: "retry", reason, afterMs: null, counted: code === "transient" };
}

async function pass({ context, delivery }: Bench, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    context.clock.advance(MINUTE_MS);
    await workOnce(delivery.worker);
  }
}

/** Runs all work that is due now. */
async function settle({ delivery }: Bench): Promise<void> {
  for (let round = 0; round < 10; round += 1) {
    await workOnce(delivery.worker);
  }
}

test("a job whose devices wait for two services is released by either", async (t) => {
  const bench = await startBench(t);
  const { provider } = bench;
  const devices = [await addDevice(bench, "x/1"), await addDevice(bench, "y/1")];
  for (const name of ["x/1", "y/1"]) provider.script(name, async () => failing("unreachable"));
  const ids: string[] = [];
  for (let count = 0; count < 6; count += 1) ids.push(await accept(bench, devices));
  await settle(bench);
  await pass(bench, 30);
  provider.script("y/1", async () => ACCEPTED);
  await accept(bench, [await addDevice(bench, "y/2")]);
  await settle(bench);
  for (const id of ids) assert.deepEqual(await statesOf(bench, id), ["accepted"]);
});

test("a job whose probe releases the service delivers its other devices immediately", async (t) => {
  const bench = await startBench(t);
  const { provider, delivery } = bench;
  const badDevice = await addDevice(bench, "s/bad");
  provider.script("s/bad", async () => failing("transient"));
  await accept(bench, [badDevice]);
  await settle(bench);
  await pass(bench, 60);
  assert.equal(delivery.heldServices()[0]?.cause, "failing");
  const team: string[] = [];
  for (let index = 0; index < 50; index += 1) team.push(await addDevice(bench, `s/${index}`));
  const id = await accept(bench, team);
  await eventually(
    () => statesOf(bench, id),
    (states) => states.length === 50,
  );
});

test("a device that is refused by itself is retried only now and then", async (t) => {
  const bench = await startBench(t);
  const { provider } = bench;
  const device = await addDevice(bench, "bad/1");
  const reason = { code: "provider_misconfigured", detail: "403" } as const;
  provider.script("bad/1", async () => ({ kind: "refused", reason, mayBeDevice: true }));
  for (let count = 0; count < 3; count += 1) await accept(bench, [device]);
  await settle(bench);
  // One request for the device, although it has three messages.
  const count = () => provider.attempts.length;
  assert.equal(count(), 1);
  await pass(bench, 6);
  await settle(bench);
  assert.equal(count(), 2);
  await pass(bench, 24 * 60);
  assert.ok(count() < 40, `${count()} requests in a day`);
});

test("a device waits while a probe hangs, and other due jobs still run", async (t) => {
  const bench = await startBench(t);
  const { context, provider, delivery } = bench;
  const reason = { code: "provider_misconfigured", detail: "403" } as const;
  const device = await addDevice(bench, "bad/1");
  provider.script("bad/1", async () => ({ kind: "refused", reason }));
  for (let count = 0; count < 70; count += 1) await accept(bench, [device]);
  await settle(bench);
  const gate = Promise.withResolvers<void>();
  provider.script("bad/1", async () => {
    await gate.promise;
    return ACCEPTED;
  });
  context.clock.advance(6 * MINUTE_MS);
  await delivery.worker.takeDue();
  const good = await accept(bench, [await addDevice(bench, "good/1")]);
  while ((await statesOf(bench, good)).length === 0) await delivery.worker.takeDue();
  assert.equal(provider.attempts.filter(({ endpoint }) => endpoint === "bad/1").length, 2);
  const { due } = await delivery.stats();
  assert.ok(due <= 1, `${due} jobs are due`);
  gate.resolve();
});
