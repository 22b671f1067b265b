import assert from "node:assert/strict";
import { OPERATOR } from "#audit/event.ts";
import { test, type TestContext } from "node:test";
import { insertAccount, insertDevice, createRoomContext } from "../../../test/support/context.ts";
import { listAudienceDevices } from "../audiences/store/audience-devices.ts";
import { removeDevice } from "./retirement.ts";
import { countDevices, findDeviceNames, findDevice, updateDevice } from "./devices.ts";
import { recordDeviceStateQueries, type DeviceState } from "./device-state.ts";

async function setUp(t: TestContext) {
  const context = await createRoomContext(t);
  const accountId = await insertAccount(context);
  const addDevice = async (name: string, owner = accountId) => {
    const address = { provider: "fcm", kind: "token", token: name } as const;
    const input = { accountId: owner, platform: "android", address, name } as const;
    const device = await insertDevice(context, input);
    assert.ok(device);
    return device.id;
  };
  const recordStates = (
    states: readonly DeviceState[],
    times: { at?: number; readAt?: number } = {},
  ) => {
    const { at = context.now(), readAt = at } = times;
    return context.database.atomically(recordDeviceStateQueries(context, { at, readAt, states }));
  };
  const findOwnDevice = (deviceId: string) => findDevice(context, { accountId, deviceId });
  const readSuspectAt = async (deviceId: string) => {
    const audience = { kind: "device", accountId, deviceId } as const;
    return (await listAudienceDevices(context, audience, { limit: 1 }))[0]?.suspectAt;
  };
  return { context, accountId, addDevice, recordStates, findOwnDevice, readSuspectAt };
}

test("a state update changes only the devices that it names", async (t) => {
  const { context, addDevice, recordStates, findOwnDevice } = await setUp(t);
  const acceptedId = await addDevice("a");
  const retryingId = await addDevice("b");
  const unchangedId = await addDevice("c");
  await recordStates([
    { deviceId: acceptedId, state: "accepted", isSuspect: false },
    { deviceId: retryingId, state: "retrying", isSuspect: false },
  ]);
  assert.equal((await findOwnDevice(acceptedId))?.lastState, "accepted");
  assert.equal((await findOwnDevice(retryingId))?.lastState, "retrying");
  assert.equal((await findOwnDevice(retryingId))?.lastStateAt, context.now());
  assert.equal((await findOwnDevice(unchangedId))?.lastState, null);
});

test("devices with the same state share one statement", async (t) => {
  const { context } = await setUp(t);
  const states = Array.from({ length: 500 }, (_, index) => ({
    deviceId: `d${index}`,
    state: index % 2 === 0 ? ("accepted" as const) : ("rejected" as const),
    isSuspect: false,
  }));
  assert.equal(recordDeviceStateQueries(context, { at: 1, readAt: 1, states }).length, 2);
  assert.equal(recordDeviceStateQueries(context, { at: 1, readAt: 1, states: [] }).length, 0);
});

test("an older state does not replace a newer one", async (t) => {
  const { context, addDevice, recordStates, findOwnDevice } = await setUp(t);
  const deviceId = await addDevice("a");
  await recordStates([{ deviceId, state: "accepted", isSuspect: false }]);
  await recordStates([{ deviceId, state: "retrying", isSuspect: false }], {
    at: context.now() - 1,
  });
  assert.equal((await findOwnDevice(deviceId))?.lastState, "accepted");
});

test("an unchanged state is written at most every ten seconds, and a changed one at once", async (t) => {
  const { context, addDevice, recordStates, findOwnDevice } = await setUp(t);
  const deviceId = await addDevice("a");
  const startedAt = context.now();
  const acceptedStates = [{ deviceId, state: "accepted", isSuspect: false }] as const;
  await recordStates(acceptedStates);
  context.clock.advance(9_999);
  await recordStates(acceptedStates);
  assert.equal((await findOwnDevice(deviceId))?.lastStateAt, startedAt);
  context.clock.advance(1);
  await recordStates(acceptedStates);
  assert.equal((await findOwnDevice(deviceId))?.lastStateAt, startedAt + 10_000);
  await recordStates([{ deviceId, state: "retrying", isSuspect: false }]);
  assert.equal((await findOwnDevice(deviceId))?.lastState, "retrying");
});

test("a suspicion keeps its first time until the push service accepts a message", async (t) => {
  const { context, addDevice, recordStates, readSuspectAt } = await setUp(t);
  const deviceId = await addDevice("a");
  const startedAt = context.now();
  await recordStates([{ deviceId, state: "retrying", isSuspect: true }]);
  context.clock.advance(1_000);
  await recordStates([{ deviceId, state: "retrying", isSuspect: true }]);
  await recordStates([{ deviceId, state: "retrying", isSuspect: false }]);
  assert.equal(await readSuspectAt(deviceId), startedAt);
  await recordStates([{ deviceId, state: "accepted", isSuspect: false }]);
  assert.equal(await readSuspectAt(deviceId), null);
});

test("a suspicion of an address that was registered again is ignored", async (t) => {
  const { context, addDevice, recordStates, readSuspectAt } = await setUp(t);
  const deviceId = await addDevice("a");
  const readAt = context.now() - 1;
  await recordStates([{ deviceId, state: "retrying", isSuspect: true }], {
    at: context.now(),
    readAt,
  });
  assert.equal(await readSuspectAt(deviceId), null);
});

test("a device that is paused again keeps the time of its first pause, and can be resumed", async (t) => {
  const { context, accountId, addDevice, findOwnDevice } = await setUp(t);
  const target = { accountId, deviceId: await addDevice("a"), name: null };
  const pausedAt = context.now();
  await updateDevice(context, { ...target, isPaused: true });
  context.clock.advance(1_000);
  await updateDevice(context, { ...target, isPaused: true });
  assert.equal((await findOwnDevice(target.deviceId))?.pausedAt, pausedAt);
  await updateDevice(context, { ...target, isPaused: null });
  assert.equal((await findOwnDevice(target.deviceId))?.pausedAt, pausedAt);
  await updateDevice(context, { ...target, isPaused: false });
  assert.equal((await findOwnDevice(target.deviceId))?.pausedAt, null);
});

test("a removed device keeps its name, but is not counted", async (t) => {
  const { context, accountId, addDevice } = await setUp(t);
  const bobId = await insertAccount(context, { email: "bob@example.org" });
  const eveId = await insertAccount(context, { email: "eve@example.org" });
  const liveId = await addDevice("kept");
  const removedId = await addDevice("removed");
  await addDevice("other", bobId);
  await removeDevice(context, { actor: OPERATOR, accountId, deviceId: removedId });
  assert.deepEqual(
    await findDeviceNames(context, [removedId, liveId, "missing"]),
    new Map([
      [removedId, { name: "removed", provider: "fcm", accountId, client: null }],
      [liveId, { name: "kept", provider: "fcm", accountId, client: null }],
    ]),
  );
  const counts = await countDevices(context, [accountId, bobId, eveId]);
  assert.deepEqual(
    counts,
    new Map([
      [accountId, 1],
      [bobId, 1],
    ]),
  );
  assert.equal((await findDeviceNames(context, [])).size, 0);
  assert.equal((await countDevices(context, [])).size, 0);
});
