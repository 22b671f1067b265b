import assert from "node:assert/strict";
import { OPERATOR } from "#audit/event.ts";
import { test, type TestContext } from "node:test";
import { insertAccount, insertDevice, testContext } from "../../../test/support/room.ts";
import { audienceDevices } from "../audiences/store.ts";
import { removeDevice } from "./retirement.ts";
import { countDevices, deviceNames, findDevice, updateDevice } from "./devices.ts";
import { recordDeviceState, type DeviceState } from "./device-state.ts";

async function setUp(test: TestContext) {
  const context = await testContext(test);
  const accountId = await insertAccount(context);
  const add = async (name: string, owner = accountId) => {
    const address = { provider: "fcm", kind: "token", token: name } as const;
    const input = { accountId: owner, platform: "android", address, name } as const;
    const device = await insertDevice(context, input);
    assert.ok(device);
    return device.id;
  };
  const record = (states: readonly DeviceState[], times: { at?: number; readAt?: number } = {}) => {
    const { at = context.now(), readAt = at } = times;
    return context.database.atomically(recordDeviceState(context, { at, readAt, states }));
  };
  const find = (deviceId: string) => findDevice(context, { accountId, deviceId });
  const suspectAt = async (deviceId: string) => {
    const audience = { kind: "device", accountId, deviceId } as const;
    return (await audienceDevices(context, audience, { limit: 1 }))[0]?.suspectAt;
  };
  return { context, accountId, add, record, find, suspectAt };
}

test("a state update changes only the devices that it names", async (test) => {
  const { context, add, record, find } = await setUp(test);
  const [accepted, retrying, unchanged] = [await add("a"), await add("b"), await add("c")];
  await record([
    { deviceId: accepted, state: "accepted", isSuspect: false },
    { deviceId: retrying, state: "retrying", isSuspect: false },
  ]);
  assert.equal((await find(accepted))?.lastState, "accepted");
  assert.equal((await find(retrying))?.lastState, "retrying");
  assert.equal((await find(retrying))?.lastStateAt, context.now());
  assert.equal((await find(unchanged))?.lastState, null);
});

test("devices with the same state share one statement", async (test) => {
  const { context } = await setUp(test);
  const states = Array.from({ length: 500 }, (_, index) => ({
    deviceId: `d${index}`,
    state: index % 2 === 0 ? ("accepted" as const) : ("rejected" as const),
    isSuspect: false,
  }));
  assert.equal(recordDeviceState(context, { at: 1, readAt: 1, states }).length, 2);
  assert.equal(recordDeviceState(context, { at: 1, readAt: 1, states: [] }).length, 0);
});

test("an older state does not replace a newer one", async (test) => {
  const { context, add, record, find } = await setUp(test);
  const deviceId = await add("a");
  await record([{ deviceId, state: "accepted", isSuspect: false }]);
  await record([{ deviceId, state: "retrying", isSuspect: false }], { at: context.now() - 1 });
  assert.equal((await find(deviceId))?.lastState, "accepted");
});

test("an unchanged state is written at most every ten seconds", async (test) => {
  const { context, add, record, find } = await setUp(test);
  const deviceId = await add("a");
  const startedAt = context.now();
  const accepted = [{ deviceId, state: "accepted", isSuspect: false }] as const;
  await record(accepted);
  context.clock.advance(9_999);
  await record(accepted);
  assert.equal((await find(deviceId))?.lastStateAt, startedAt);
  context.clock.advance(1);
  await record(accepted);
  assert.equal((await find(deviceId))?.lastStateAt, startedAt + 10_000);
  await record([{ deviceId, state: "retrying", isSuspect: false }]);
  assert.equal((await find(deviceId))?.lastState, "retrying");
});

test("a suspicion keeps its first time until the push service accepts a message", async (test) => {
  const { context, add, record, suspectAt } = await setUp(test);
  const deviceId = await add("a");
  const startedAt = context.now();
  await record([{ deviceId, state: "retrying", isSuspect: true }]);
  context.clock.advance(1_000);
  await record([{ deviceId, state: "retrying", isSuspect: true }]);
  await record([{ deviceId, state: "retrying", isSuspect: false }]);
  assert.equal(await suspectAt(deviceId), startedAt);
  await record([{ deviceId, state: "accepted", isSuspect: false }]);
  assert.equal(await suspectAt(deviceId), null);
});

test("a suspicion of an address that was registered again is ignored", async (test) => {
  const { context, add, record, suspectAt } = await setUp(test);
  const deviceId = await add("a");
  const readAt = context.now() - 1;
  await record([{ deviceId, state: "retrying", isSuspect: true }], { at: context.now(), readAt });
  assert.equal(await suspectAt(deviceId), null);
});

test("pausing a paused device keeps its first time, and a device is resumed", async (test) => {
  const { context, accountId, add, find } = await setUp(test);
  const target = { accountId, deviceId: await add("a"), name: null };
  const pausedAt = context.now();
  await updateDevice(context, { ...target, isPaused: true });
  context.clock.advance(1_000);
  await updateDevice(context, { ...target, isPaused: true });
  assert.equal((await find(target.deviceId))?.pausedAt, pausedAt);
  await updateDevice(context, { ...target, isPaused: null });
  assert.equal((await find(target.deviceId))?.pausedAt, pausedAt);
  await updateDevice(context, { ...target, isPaused: false });
  assert.equal((await find(target.deviceId))?.pausedAt, null);
});

test("a removed device keeps its name, but is not counted", async (test) => {
  const { context, accountId, add } = await setUp(test);
  const bob = await insertAccount(context, { email: "bob@example.org" });
  const eve = await insertAccount(context, { email: "eve@example.org" });
  const [live, removed] = [await add("kept"), await add("removed")];
  await add("other", bob);
  await removeDevice(context, { actor: OPERATOR, accountId, deviceId: removed });
  assert.deepEqual(
    await deviceNames(context, [removed, live, "missing"]),
    new Map([
      [removed, { name: "removed", provider: "fcm", accountId }],
      [live, { name: "kept", provider: "fcm", accountId }],
    ]),
  );
  const counts = await countDevices(context, [accountId, bob, eve]);
  assert.deepEqual(
    counts,
    new Map([
      [accountId, 1],
      [bob, 1],
    ]),
  );
  assert.equal((await deviceNames(context, [])).size, 0);
  assert.equal((await countDevices(context, [])).size, 0);
});
