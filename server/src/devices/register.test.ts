import assert from "node:assert/strict";
import { OPERATOR } from "#audit/event.ts";
import { test, type TestContext } from "node:test";
import { insertAccount, createRoomContext } from "../../test/support/context.ts";
import { listAudienceDevices } from "./audiences/store/audience-devices.ts";
import { DEVICES_MAX } from "./device.ts";
import { registerDevice, type RegisterDeviceInput } from "./register.ts";
import { removeDevice, retireGoneDevice } from "./store/retirement.ts";
import { listDevices, updateDevice } from "./store/devices.ts";
import { recordDeviceStateQueries } from "./store/device-state.ts";

const TOKEN = "ab".repeat(32);

async function setUp(t: TestContext) {
  const context = await createRoomContext(t);
  const deps = { context, checkWebPushAddress: () => ({ ok: true }) as const, notices: null };
  const annId = await insertAccount(context, { email: "ann@example.org" });
  const bobId = await insertAccount(context, { email: "bob@example.org" });
  const register = (accountId: string, input: Partial<RegisterDeviceInput> = {}) =>
    registerDevice(deps, {
      actor: OPERATOR,
      accountId,
      name: "Phone",
      platform: "ios",
      push: { provider: "apns", token: TOKEN },
      ...input,
    });
  const list = (accountId: string) => listDevices(context, { accountId, after: null, limit: 200 });
  return { context, annId, bobId, register, list };
}

test("an address is added once, then refreshed", async (t) => {
  const { context, annId, register, list } = await setUp(t);
  const firstRegistration = await register(annId);
  assert.equal(firstRegistration.isNew, true);
  context.clock.advance(1_000);
  const push = { provider: "apns", token: TOKEN.toUpperCase(), environment: "sandbox" } as const;
  const secondRegistration = await register(annId, { name: "Old phone", push });
  assert.equal(secondRegistration.isNew, false);
  assert.deepEqual(await list(annId), [
    {
      ...firstRegistration.device,
      name: "Old phone",
      address: { provider: "apns", token: TOKEN, environment: "sandbox" },
      registeredAt: context.now(),
    },
  ]);
});

test("a refresh renews the keys of a subscription", async (t) => {
  const { annId, register, list } = await setUp(t);
  const subscribe = (auth: string) =>
    register(annId, {
      platform: "web",
      push: {
        provider: "webpush",
        endpoint: "https://push.example.org/1",
        keys: { p256dh: "p", auth },
      },
    });
  await subscribe("old");
  await subscribe("new");
  const [device] = await list(annId);
  assert.ok(device?.address.provider === "webpush");
  assert.equal(device.address.keys.auth, "new");
});

test("a refresh without a name keeps the name that the owner chose, and the pause", async (t) => {
  const { context, annId, register, list } = await setUp(t);
  const { device } = await register(annId);
  const target = { accountId: annId, deviceId: device.id };
  await updateDevice(context, { ...target, name: "Kitchen", isPaused: true });
  await register(annId, { name: null });
  const [refreshed] = await list(annId);
  assert.equal(refreshed?.name, "Kitchen");
  assert.equal(refreshed.pausedAt, context.now());
});

test("a new device needs a name", async (t) => {
  const { annId, register } = await setUp(t);
  await assert.rejects(register(annId, { name: null }), { code: "invalid_field", field: "name" });
});

test("an app that connects by itself is not registered with a push address", async (t) => {
  const { annId, register } = await setUp(t);
  await assert.rejects(register(annId, { platform: "android", push: { provider: "stream" } }), {
    code: "invalid_field",
    field: "push.provider",
    message: /Add a phone under Devices/,
  });
});

test("two accounts with the same address have independent devices", async (t) => {
  const { context, annId, bobId, register, list } = await setUp(t);
  const { device } = await register(annId, { name: "Ann's" });
  const devicesBefore = await list(annId);
  context.clock.advance(1_000);
  const bobsRegistration = await register(bobId, { name: "Bob's" });
  assert.equal(bobsRegistration.isNew, true);
  assert.notEqual(bobsRegistration.device.id, device.id);
  assert.deepEqual(await list(annId), devicesBefore);
  await removeDevice(context, {
    actor: OPERATOR,
    accountId: bobId,
    deviceId: bobsRegistration.device.id,
  });
  assert.deepEqual(await list(annId), devicesBefore);
});

test("a removed address is added again as a new device", async (t) => {
  const { context, annId, register } = await setUp(t);
  const { device } = await register(annId);
  await removeDevice(context, { actor: OPERATOR, accountId: annId, deviceId: device.id });
  const secondRegistration = await register(annId);
  assert.equal(secondRegistration.isNew, true);
  assert.notEqual(secondRegistration.device.id, device.id);
});

test("an older report that the address is gone does not affect a newer registration", async (t) => {
  const { context, annId, register, list } = await setUp(t);
  const { device } = await register(annId);
  const asOf = context.now();
  context.clock.advance(1);
  await register(annId);
  const report = { accountId: annId, notificationId: "n", reason: "device_gone" };
  const goneReport = { ...report, deviceId: device.id };
  assert.equal(await retireGoneDevice(context, { ...goneReport, asOf }), false);
  assert.equal((await list(annId)).length, 1);
  assert.equal(await retireGoneDevice(context, { ...goneReport, asOf: context.now() }), true);
  assert.deepEqual(await list(annId), []);
});

test("a refresh clears the suspicion of an address", async (t) => {
  const { context, annId, register } = await setUp(t);
  const { device } = await register(annId);
  const at = context.now();
  const states = [{ deviceId: device.id, state: "retrying", isSuspect: true } as const];
  await context.database.atomically(recordDeviceStateQueries(context, { at, readAt: at, states }));
  const readSuspectAt = async () => {
    const audience = { kind: "account", accountId: annId } as const;
    return (await listAudienceDevices(context, audience, { limit: 1 }))[0]?.suspectAt;
  };
  assert.equal(await readSuspectAt(), at);
  await register(annId);
  assert.equal(await readSuspectAt(), null);
});

test("concurrent registrations of one address add one device", async (t) => {
  const { annId, register, list } = await setUp(t);
  const results = await Promise.all(Array.from({ length: 8 }, () => register(annId)));
  assert.equal(results.filter(({ isNew }) => isNew).length, 1);
  assert.equal((await list(annId)).length, 1);
});

function createFcmAddress(number: number) {
  return { provider: "fcm", token: `t${number}` } as const;
}

test("an account has at most 100 devices, and can still refresh each", async (t) => {
  const { context, annId, bobId, register, list } = await setUp(t);
  for (let number = 0; number < DEVICES_MAX; number += 1) {
    await register(annId, { platform: "android", push: createFcmAddress(number) });
  }
  const anotherPhone = { platform: "android", push: createFcmAddress(DEVICES_MAX) } as const;
  await assert.rejects(register(annId, anotherPhone), { code: "conflict" });
  assert.equal(
    (await register(annId, { ...anotherPhone, push: createFcmAddress(0) })).isNew,
    false,
  );
  assert.equal((await register(bobId, anotherPhone)).isNew, true);
  const [firstDevice] = await list(annId);
  await removeDevice(context, {
    actor: OPERATOR,
    accountId: annId,
    deviceId: firstDevice?.id ?? "",
  });
  assert.equal((await register(annId, anotherPhone)).isNew, true);
});

test("a platform that the provider does not reach is refused", async (t) => {
  const { annId, register } = await setUp(t);
  await assert.rejects(register(annId, { platform: "android" }), { field: "platform" });
});
