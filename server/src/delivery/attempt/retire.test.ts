import assert from "node:assert/strict";
import test from "node:test";
import { addBrowser, startAttempts, tryOnce } from "../../../test/support/attempt-bench.ts";
import { OPERATOR } from "#audit/event.ts";
import { audienceDevices } from "#devices/audiences/store.ts";
import { removeDevice } from "#devices/store/retirement.ts";

const reason = { code: "device_gone", detail: "410" } as const;

test("a device whose address is gone is retired, and its owner's pages are notified", async (t) => {
  const bench = await startAttempts(t);
  const { context, accountId, provider, changed } = bench;
  const device = await addBrowser(bench, "a/1");
  provider.script("a/1", async () => ({ kind: "gone", asOf: context.now(), reason }));
  const tried = await tryOnce(bench, device);
  assert.ok(tried?.report.kind === "final");
  assert.equal(tried.report.result.state, "gone");
  assert.deepEqual(changed, [device]);
  const remaining = await audienceDevices(context, { kind: "account", accountId }, { limit: 1 });
  assert.deepEqual(remaining, []);
});

test("a device that is removed during its attempt is gone and not retried", async (t) => {
  const bench = await startAttempts(t);
  const { context, accountId, provider, changed } = bench;
  const device = await addBrowser(bench, "a/1");
  provider.script("a/1", async () => {
    await removeDevice(context, { accountId, deviceId: device, actor: OPERATOR });
    return { kind: "gone", asOf: context.now(), reason };
  });
  const tried = await tryOnce(bench, device);
  assert.ok(tried?.report.kind === "final");
  assert.deepEqual([tried.report.result.state, changed], ["gone", []]);
});

test("a device that registered again is tried immediately and keeps its history", async (t) => {
  const bench = await startAttempts(t);
  const { context, provider } = bench;
  const device = await addBrowser(bench, "a/1");
  provider.script("a/1", async () => ({ kind: "gone", asOf: 0, reason }));
  const tried = await tryOnce(bench, device);
  assert.ok(tried?.report.kind === "pending");
  const { attempts, tries, code, runAt, history } = tried.report.pending;
  assert.deepEqual([attempts, tries, code, runAt], [1, 1, "transient", context.now()]);
  const step = { kind: "gone", at: context.now(), code: "device_gone", detail: "410" };
  assert.deepEqual(history?.attempts, [{ ...step, nextAt: runAt }]);
  const second = await tryOnce(bench, device, { before: tried.report.pending });
  assert.ok(second?.report.kind === "pending");
  assert.ok(second.report.pending.runAt > context.now());
  assert.equal(second.report.pending.history?.attempts.length, 2);
});
