import assert from "node:assert/strict";
import { OPERATOR } from "#audit/event.ts";
import { test, type TestContext } from "node:test";
import { insertAccount, testContext } from "../../test/support/room.ts";
import { audienceDevices } from "./audiences/store.ts";
import { DEVICES_MAX } from "./device.ts";
import { registerDevice, type RegisterInput } from "./register.ts";
import { removeDevice, retireGone } from "./store/retirement.ts";
import { listDevices, updateDevice } from "./store/devices.ts";
import { recordDeviceState } from "./store/device-state.ts";

const TOKEN = "ab".repeat(32);

async function setUp(test: TestContext) {
  const context = await testContext(test);
  const deps = { context, checkWebPushAddress: () => ({ ok: true }) as const, notices: null };
  const ann = await insertAccount(context, { email: "ann@example.org" });
  const bob = await insertAccount(context, { email: "bob@example.org" });
  const register = (accountId: string, input: Partial<RegisterInput> = {}) =>
    registerDevice(deps, {
      by: OPERATOR,
      accountId,
      name: "Phone",
      platform: "ios",
      push: { provider: "apns", token: TOKEN },
      ...input,
    });
  const list = (accountId: string) => listDevices(context, { accountId, after: null, limit: 200 });
  return { context, ann, bob, register, list };
}

test("an address is added once, then refreshed", async (test) => {
  const { context, ann, register, list } = await setUp(test);
  const first = await register(ann);
  assert.equal(first.isNew, true);
  context.clock.advance(1_000);
  const push = { provider: "apns", token: TOKEN.toUpperCase(), environment: "sandbox" } as const;
  const again = await register(ann, { name: "Old phone", push });
  assert.equal(again.isNew, false);
  assert.deepEqual(await list(ann), [
    {
      ...first.device,
      name: "Old phone",
      address: { provider: "apns", token: TOKEN, environment: "sandbox" },
      registeredAt: context.now(),
    },
  ]);
});

test("a refresh renews the keys of a subscription", async (test) => {
  const { ann, register, list } = await setUp(test);
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

test("a refresh without a name keeps the name that the owner chose", async (test) => {
  const { context, ann, register, list } = await setUp(test);
  const { device } = await register(ann);
  const target = { accountId: ann, deviceId: device.id };
  await updateDevice(context, { ...target, name: "Kitchen", isPaused: true });
  await registerDevice(
    { context, checkWebPushAddress: () => ({ ok: true }), notices: null },
    {
      by: OPERATOR,
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

test("a new device needs a name", async (test) => {
  const { context, ann } = await setUp(test);
  const input = { name: null, platform: "ios", push: { provider: "apns", token: TOKEN } } as const;
  await assert.rejects(
    registerDevice(
      { context, checkWebPushAddress: () => ({ ok: true }), notices: null },
      { by: OPERATOR, accountId: ann, ...input },
    ),
    { code: "invalid_field", field: "name" },
  );
});

test("two accounts with the same address have independent devices", async (test) => {
  const { context, ann, bob, register, list } = await setUp(test);
  const { device } = await register(ann, { name: "Ann's" });
  const before = await list(ann);
  context.clock.advance(1_000);
  const bobDevice = await register(bob, { name: "Bob's" });
  assert.equal(bobDevice.isNew, true);
  assert.notEqual(bobDevice.device.id, device.id);
  assert.deepEqual(await list(ann), before);
  await removeDevice(context, { actor: OPERATOR, accountId: bob, deviceId: bobDevice.device.id });
  assert.deepEqual(await list(ann), before);
});

test("a removed address is added again as a new device", async (test) => {
  const { context, ann, register } = await setUp(test);
  const { device } = await register(ann);
  await removeDevice(context, { actor: OPERATOR, accountId: ann, deviceId: device.id });
  const again = await register(ann);
  assert.equal(again.isNew, true);
  assert.notEqual(again.device.id, device.id);
});

test("an older report that the address is gone does not affect a newer registration", async (test) => {
  const { context, ann, register, list } = await setUp(test);
  const { device } = await register(ann);
  const asOf = context.now();
  context.clock.advance(1);
  await register(ann);
  const report = { accountId: ann, notificationId: "n", reason: "device_gone" };
  const goneReport = { ...report, deviceId: device.id };
  assert.equal(await retireGone(context, { ...goneReport, asOf }), false);
  assert.equal((await list(ann)).length, 1);
  assert.equal(await retireGone(context, { ...goneReport, asOf: context.now() }), true);
  assert.deepEqual(await list(ann), []);
});

test("a refresh clears the suspicion of an address", async (test) => {
  const { context, ann, register } = await setUp(test);
  const { device } = await register(ann);
  const at = context.now();
  const states = [{ deviceId: device.id, state: "retrying", isSuspect: true } as const];
  await context.database.atomically(recordDeviceState(context, { at, readAt: at, states }));
  const suspectAt = async () => {
    const audience = { kind: "account", accountId: ann } as const;
    return (await audienceDevices(context, audience, { limit: 1 }))[0]?.suspectAt;
  };
  assert.equal(await suspectAt(), at);
  await register(ann);
  assert.equal(await suspectAt(), null);
});

test("concurrent registrations of one address add one device", async (test) => {
  const { ann, register, list } = await setUp(test);
  const results = await Promise.all(Array.from({ length: 8 }, () => register(ann)));
  assert.equal(results.filter(({ isNew }) => isNew).length, 1);
  assert.equal((await list(ann)).length, 1);
});

function fcm(number: number) {
  return { provider: "fcm", token: `t${number}` } as const;
}

test("an account has at most 100 devices, and can still refresh each", async (test) => {
  const { context, ann, bob, register, list } = await setUp(test);
  for (let number = 0; number < DEVICES_MAX; number += 1) {
    await register(ann, { platform: "android", push: fcm(number) });
  }
  const another = { platform: "android", push: fcm(DEVICES_MAX) } as const;
  await assert.rejects(register(ann, another), { code: "conflict" });
  assert.equal((await register(ann, { ...another, push: fcm(0) })).isNew, false);
  assert.equal((await register(bob, another)).isNew, true);
  const [first] = await list(ann);
  await removeDevice(context, { actor: OPERATOR, accountId: ann, deviceId: first?.id ?? "" });
  assert.equal((await register(ann, another)).isNew, true);
});

test("a platform that the provider does not reach is refused", async (test) => {
  const { ann, register } = await setUp(test);
  await assert.rejects(register(ann, { platform: "android" }), { field: "platform" });
});
