import assert from "node:assert/strict";
import test from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  addBrowser,
  delayResponse,
  leaseFor,
  queueAttempts,
  startAttempts,
  tryOnce,
} from "../../../test/support/attempt-bench.ts";
import { notificationTo } from "../../../test/support/notifications.ts";
import { ACCEPTED, untilAborted } from "../../../test/support/scripted-provider.ts";
import { refreshDevice } from "#devices/store/devices.ts";
import type { Message, Outcome } from "#providers/provider.ts";
import { BULK } from "../delivery.ts";

const MINUTE_MS = 60_000;
const REFUSED: Outcome = {
  kind: "refused",
  reason: { code: "provider_misconfigured", detail: null },
};
const AMBIGUOUS: Outcome = {
  kind: "retry",
  reason: { code: "ambiguous", detail: null },
  afterMs: null,
  counted: true,
};

test("a probe that was not sent leaves its service held, and the next message probes", async (t) => {
  const bench = await startAttempts(t);
  const { context, provider, deps } = bench;
  const [first, second] = [await addBrowser(bench, "a/1"), await addBrowser(bench, "a/2")];
  provider.script("a/1", async () => REFUSED);
  await tryOnce(bench, first);
  context.clock.advance(5 * MINUTE_MS);
  const held = leaseFor(bench);
  provider.scriptPlace("a/1", async () => held.lose());
  assert.equal(await tryOnce(bench, first, { held }), null);
  assert.deepEqual([provider.attempts.length, provider.taken], [1, 0]);
  assert.deepEqual(deps.breakers.held(), [{ service: "a", cause: "credentials" }]);
  await tryOnce(bench, second);
  assert.equal(provider.attempts.length, 2);
  assert.deepEqual(deps.breakers.held(), []);
});

test("an attempt that was aborted with its lease does not affect the service's breaker", async (t) => {
  const bench = await startAttempts(t);
  const { provider, deps } = bench;
  const device = await addBrowser(bench, "a/1");
  for (let count = 0; count < 5; count += 1) {
    const held = leaseFor(bench);
    provider.script("a/1", async (_message, signal) => {
      const aborted = untilAborted(signal);
      held.lose();
      await aborted;
      return AMBIGUOUS;
    });
    const tried = await tryOnce(bench, device, { held });
    assert.equal(tried?.report.kind, "pending");
  }
  assert.deepEqual(deps.breakers.held(), []);
  provider.script("a/1", async () => AMBIGUOUS);
  for (let count = 0; count < 5; count += 1) await tryOnce(bench, device);
  assert.deepEqual(deps.breakers.held(), [{ service: "a", cause: "failing" }]);
});

test("a message for a device with four under way is postponed and delays no other", async (t) => {
  const bench = await startAttempts(t);
  const { context } = bench;
  const device = await addBrowser(bench, "a/1");
  const { begun, respond } = delayResponse(bench, "a/1");
  let released = 0;
  const letNext = () => (released += 1);
  const first = tryOnce(bench, device, { letNext });
  await begun;
  // `letNext` is called although the attempt continues, because it has its place.
  assert.equal(released, 1);
  const tries = [first, ...(await queueAttempts(bench, device, 3))];
  context.clock.advance(3_000);
  const tried = await tryOnce(bench, device);
  assert.ok(tried?.report.kind === "pending");
  // From half up to one and a half times the duration of the running attempt, rounded up to a second.
  const waitMs = tried.report.pending.runAt - context.now();
  assert.ok(waitMs >= 1_500 && waitMs <= 5_500, `${waitMs} ms`);
  assert.equal(tried.deviceState, null);
  respond();
  const reports = (await Promise.all(tries)).map((one) => one?.report.kind);
  assert.deepEqual(reports, ["final", "final", "final", "final"]);
});

test("a lease that is about to end prevents the request for a place and the mark", async (t) => {
  const bench = await startAttempts(t);
  const { provider } = bench;
  const device = await addBrowser(bench, "a/1");
  const held = leaseFor(bench, 4_999);
  const mark = () => assert.fail("It is marked.");
  assert.equal(await tryOnce(bench, device, { held, mark }), null);
  assert.deepEqual([provider.asked, provider.attempts], [[], []]);
});

test("an attempt that cannot be marked is not made", async (t) => {
  const bench = await startAttempts(t);
  const device = await addBrowser(bench, "a/1");
  assert.equal(await tryOnce(bench, device, { mark: async () => false }), null);
  assert.deepEqual(bench.provider.attempts, []);
  const tried = await tryOnce(bench, device, { mark: async () => true });
  assert.equal(tried?.report.kind, "final");
});

test("a failing service is probed early by a new message, but not by a waiting one", async (t) => {
  const bench = await startAttempts(t);
  const { provider, deps } = bench;
  const device = await addBrowser(bench, "a/1");
  provider.script("a/1", async () => AMBIGUOUS);
  for (let count = 0; count < 5; count += 1) await tryOnce(bench, device);
  assert.equal(deps.breakers.held().length, 1);
  const waiting = await tryOnce(bench, device, { before: { code: "transient" } });
  assert.equal(provider.attempts.length, 5);
  assert.ok(waiting?.report.kind === "pending");
  assert.equal(waiting.report.pending.waitsFor?.service, "a");
  provider.script("a/1", async () => ACCEPTED);
  assert.equal((await tryOnce(bench, device))?.report.kind, "final");
  assert.equal(provider.attempts.length, 6);
});

test("a bulk message enters and is paced as bulk, even if its notification was sent otherwise before", async (t) => {
  const bench = await startAttempts(t);
  const { context, accountId, provider } = bench;
  const device = await addBrowser(bench, "a/1");
  const places: boolean[] = [];
  const messages: Message[] = [];
  provider.scriptPlace("a/1", async ({ isBulk }) => places.push(isBulk));
  provider.script("a/1", async (message) => {
    messages.push(message);
    return ACCEPTED;
  });
  const notification = notificationTo(context, accountId);
  await tryOnce(bench, device, { notification });
  await tryOnce(bench, device, { notification, lane: BULK });
  await tryOnce(bench, device, { notification, lane: BULK });
  assert.deepEqual(places, [false, true, true]);
  assert.deepEqual(
    messages.map(({ turn }) => turn !== undefined),
    [false, true, true],
  );
  // The message is encoded once for all devices of the lane.
  assert.equal(messages[1], messages[2]);
  await messages[1]?.turn?.();
});

test("an attempt that is not bulk slows bulk down", async (t) => {
  const bench = await startAttempts(t);
  const { bulkPacer } = bench.deps;
  const device = await addBrowser(bench, "a/1");
  await tryOnce(bench, device, { lane: BULK });
  await bulkPacer.turn();
  await tryOnce(bench, device);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let hasTurn = false;
  const turn = bulkPacer.turn().then(() => (hasTurn = true));
  await nextTurn();
  assert.equal(hasTurn, false);
  t.mock.timers.tick(4);
  await turn;
});

test("a device that changed its address during the wait for a place gets the message there", async (t) => {
  const bench = await startAttempts(t);
  const { context, accountId, provider } = bench;
  const device = await addBrowser(bench, "a/1");
  const keys = { p256dh: "new", auth: "new" };
  provider.scriptPlace("a/1", async () => {
    const address = { provider: "webpush", endpoint: "a/1", keys } as const;
    await refreshDevice(context, { accountId, platform: "web", address, name: null });
    context.clock.advance(1_000);
  });
  const sent: unknown[] = [];
  const send = provider.send.bind(provider);
  provider.send = async (message, address, signal) => {
    sent.push(address.provider === "webpush" ? address.keys : null);
    return send(message, address, signal);
  };
  await tryOnce(bench, device);
  assert.deepEqual(sent, [keys]);
});
