import assert from "node:assert/strict";
import { OPERATOR } from "#audit/event.ts";
import { test, type TestContext } from "node:test";
import { insertAccount, createRoomContext } from "../../test/support/room.ts";
import { listAudienceDevices } from "./audiences/store.ts";
import { DEVICES_MAX } from "./device.ts";
import { registerDevice, type RegisterDeviceInput } from "./register.ts";
import { removeDevice, retireGoneDevice } from "./store/retirement.ts";
import { listDevices, updateDevice } from "./store/devices.ts";
import { recordDeviceState } from "./store/device-state.ts";

const TOKEN = "ab".repeat(32);

async function setUp(t: TestContext) {
  const context = await createRoomContext(t);
  const deps = { context, checkWebPushAddress: () => ({ ok: true }) as const, notices: null };
  const ann = await insertAccount(context, { email: "ann@example.org" });
  const bob = await insertAccount(context, { email: "bob@example.org" });
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
  return { context, ann, bob, register, list };
}

test("an address is added once, then refreshed", async (t) => {
  const { context, ann, register, list } = await setUp(t);
  const first = await register(ann);
  assert.equal(first.isNew, true);
  context.clock.advance(1_000);
  const push = { provider: "apns", token: TOKEN.toUpperCase(), environment: "sandbox" } as const;
  const secondRegistration = await register(ann, { name: "Old phone", push });
  assert.equal(secondRegistration.isNew, false);
  assert.deepEqual(await list(ann), [
    {
      ...first.device,
      name: "Old phone",
      address: { provider: "apns", token: TOKEN, environment: "sandbox" },
      registeredAt: context.now(),
    },
  ]);
});

test("a refresh renews the keys of a subscription", async (t) => {
  const { ann, register, list } = await setUp(t);
  const subscribe = (auth: string) =>
    register(ann, {
      platform: "web",
      push: {
        provider: "webpush",
        endpoint: "https://push.example.org/1",
        keys: { p256dh: "p", auth },
      },
    });
  await subscribe("old");
  await subscribe("new");
  const [device] = await list(ann);
  assert.ok(device?.address.provider === "webpush");
  assert.equal(device.address.keys.auth, "new");
});

test("a refresh without a name keeps the name that the owner chose", async (t) => {
  const { context, ann, register, list } = await setUp(t);
  const { device } = await register(ann);
  const target = { accountId: ann, deviceId: device.id };
  await updateDevice(context, { ...target, name: "Kitchen", isPaused: true });
  await registerDevice(
    { context, checkWebPushAddress: () => ({ ok: true }), notices: null },
    {
      actor: OPERATOR,
      accountId: ann,
      name: null,
      platform: "ios",
      push: { provider: "apns", token: TOKEN },
    },
  );
  const [refreshed] = await list(ann);
  assert.equal(refreshed?.name, "Kitchen");
  assert.equal(refreshed.pausedAt, context.now());
});

test("a new device needs a name", async (t) => {
  const { context, ann } = await setUp(t);
  const input = { name: null, platform: "ios", push: { provider: "apns", token: TOKEN } } as const;
  await assert.rejects(
    registerDevice(
      { context, checkWebPushAddress: () => ({ ok: true }), notices: null },
      { actor: OPERATOR, accountId: ann, ...input },
    ),
    { code: "invalid_field", field: "name" },
  );
});

test("two accounts with the same address have independent devices", async (t) => {
  const { context, ann, bob, register, list } = await setUp(t);
  const { device } = await register(ann, { name: "Ann's" });
  const devicesBefore = await list(ann);
  context.clock.advance(1_000);
  const bobDevice = await register(bob, { name: "Bob's" });
  assert.equal(bobDevice.isNew, true);
  assert.notEqual(bobDevice.device.id, device.id);
  assert.deepEqual(await list(ann), devicesBefore);
  await removeDevice(context, { actor: OPERATOR, accountId: bob, deviceId: bobDevice.device.id });
  assert.deepEqual(await list(ann), devicesBefore);
});

test("a removed address is added again as a new device", async (t) => {
  const { context, ann, register } = await setUp(t);
  const { device } = await register(ann);
  await removeDevice(context, { actor: OPERATOR, accountId: ann, deviceId: device.id });
  const secondRegistration = await register(ann);
  assert.equal(secondRegistration.isNew, true);
  assert.notEqual(secondRegistration.device.id, device.id);
});

test("an older report that the address is gone does not affect a newer registration", async (t) => {
  const { context, ann, register, list } = await setUp(t);
  const { device } = await register(ann);
  const asOf = context.now();
  context.clock.advance(1);
  await register(ann);
  const report = { accountId: ann, notificationId: "n", reason: "device_gone" };
  const goneReport = { ...report, deviceId: device.id };
  assert.equal(await retireGoneDevice(context, { ...goneReport, asOf }), false);
  assert.equal((await list(ann)).length, 1);
  assert.equal(await retireGoneDevice(context, { ...goneReport, asOf: context.now() }), true);
  assert.deepEqual(await list(ann), []);
});

test("a refresh clears the suspicion of an address", async (t) => {
  const { context, ann, register } = await setUp(t);
  const { device } = await register(ann);
  const at = context.now();
  const states = [{ deviceId: device.id, state: "retrying", isSuspect: true } as const];
  await context.database.atomically(recordDeviceState(context, { at, readAt: at, states }));
  const readSuspectAt = async () => {
    const audience = { kind: "account", accountId: ann } as const;
    return (await listAudienceDevices(context, audience, { limit: 1 }))[0]?.suspectAt;
  };
  assert.equal(await readSuspectAt(), at);
  await register(ann);
  assert.equal(await readSuspectAt(), null);
});

test("concurrent registrations of one address add one device", async (t) => {
  const { ann, register, list } = await setUp(t);
  const results = await Promise.all(Array.from({ length: 8 }, () => register(ann)));
  assert.equal(results.filter(({ isNew }) => isNew).length, 1);
  assert.equal((await list(ann)).length, 1);
});

function createFcmAddress(number: number) {
  return { provider: "fcm", token: `t${number}` } as const;
}

test("an account has at most 100 devices, and can still refresh each", async (t) => {
  const { context, ann, bob, register, list } = await setUp(t);
  for (let number = 0; number < DEVICES_MAX; number += 1) {
    await register(ann, { platform: "android", push: createFcmAddress(number) });
  }
  const another = { platform: "android", push: createFcmAddress(DEVICES_MAX) } as const;
  await assert.rejects(register(ann, another), { code: "conflict" });
  assert.equal((await register(ann, { ...another, push: createFcmAddress(0) })).isNew, false);
  assert.equal((await register(bob, another)).isNew, true);
  const [first] = await list(ann);
  await removeDevice(context, { actor: OPERATOR, accountId: ann, deviceId: first?.id ?? "" });
  assert.equal((await register(ann, another)).isNew, true);
});

test("a platform that the provider does not reach is refused", async (t) => {
  const { ann, register } = await setUp(t);
  await assert.rejects(register(ann, { platform: "android" }), { field: "platform" });
});
