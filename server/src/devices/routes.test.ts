import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { createClient } from "@tocsin/sdk";
import { checkWebPushAddress } from "#providers/webpush/check-address.ts";
import { authenticateByAccountId, fetchComparableResponse } from "../../test/support/bearer.ts";
import { insertAccount, startTestServer, createRoomContext } from "../../test/support/context.ts";
import { registerDeviceRoutes } from "./routes.ts";
import { recordDeviceStateQueries } from "./store/device-state.ts";

const TOKEN = "0123456789abcdef".repeat(4);
const ENDPOINT = "https://updates.push.services.mozilla.com/wpush/v2/secret";
/** From RFC 8291 section 5. */
const SUBSCRIPTION_KEYS = {
  p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
  auth: "BTBZMqHH6r4Tts7J_aSIgg",
};
const IPHONE = {
  name: "Ann's iPhone",
  platform: "ios",
  push: { provider: "apns", token: TOKEN },
} as const;
const POLICY = { mode: "vendors", extraHosts: [], allowOrigins: [] } as const;

async function setUp(t: TestContext) {
  const context = await createRoomContext(t);
  const annId = await insertAccount(context, { email: "ann@example.org" });
  const bobId = await insertAccount(context, { email: "bob@example.org" });
  const testedDevices: unknown[] = [];
  const changedDevices: unknown[] = [];
  const baseUrl = await startTestServer(t, context, (server) =>
    registerDeviceRoutes(server, {
      context,
      authenticate: authenticateByAccountId,
      checkWebPushAddress: (address) => checkWebPushAddress({ policy: POLICY }, address),
      sendTestNotification: async (device) => {
        testedDevices.push(device);
        return { success: true, message: "Accepted by Apple." };
      },
      notices: null,
      onDeviceChanged: (device) => void changedDevices.push(device),
    }),
  );
  const createClientFor = (accessToken: string) => createClient({ baseUrl, accessToken });
  const people = { annId, bobId, ann: createClientFor(annId), bob: createClientFor(bobId) };
  return { context, baseUrl, testedDevices, changedDevices, ...people };
}

test("a device is added with 201 and refreshed with 200", async (t) => {
  const { context, baseUrl, annId, ann } = await setUp(t);
  const url = `${baseUrl}/api/app/v1/devices`;
  const request = { bearer: annId, method: "POST", body: IPHONE };
  assert.equal((await fetchComparableResponse(url, request)).status, 201);
  const registeredAt = new Date(context.now()).toISOString();
  const device = {
    id: (await ann.devices.list()).items[0]?.id,
    name: "Ann's iPhone",
    platform: "ios",
    provider: "apns",
    paused: false,
    createdAt: registeredAt,
    registeredAt,
    lastDelivery: null,
    endpointHost: null,
  };
  context.clock.advance(1_000);
  const refreshResponse = await fetchComparableResponse(url, request);
  assert.equal(refreshResponse.status, 200);
  assert.deepEqual(JSON.parse(refreshResponse.text), {
    ...device,
    registeredAt: new Date(context.now()).toISOString(),
  });
});

test("no response contains a token, an endpoint or a key", async (t) => {
  const { baseUrl, annId } = await setUp(t);
  const web = {
    name: "Firefox",
    platform: "web",
    push: { provider: "webpush", endpoint: ENDPOINT, keys: SUBSCRIPTION_KEYS },
  };
  const url = `${baseUrl}/api/app/v1/devices`;
  const send = (method: string, body?: unknown) =>
    fetchComparableResponse(url, { bearer: annId, method, body });
  const responses = [await send("POST", IPHONE), await send("POST", web), await send("GET")];
  const text = responses.map((response) => response.text).join();
  assert.match(text, /"endpointHost":"updates\.push\.services\.mozilla\.com"/);
  for (const secret of [TOKEN, "wpush", SUBSCRIPTION_KEYS.p256dh, SUBSCRIPTION_KEYS.auth]) {
    assert.equal(text.includes(secret), false, secret);
  }
});

test("a device shows the state of its last delivery", async (t) => {
  const { context, ann } = await setUp(t);
  const { id: deviceId } = await ann.devices.create(IPHONE);
  const at = context.now();
  const states = [{ deviceId, state: "accepted", isSuspect: false } as const];
  await context.database.atomically(recordDeviceStateQueries(context, { at, readAt: at, states }));
  const [device] = (await ann.devices.list()).items;
  assert.deepEqual(device?.lastDelivery, { state: "accepted", at: new Date(at).toISOString() });
});

test("a device is renamed, paused, resumed and removed", async (t) => {
  const { ann } = await setUp(t);
  const { id } = await ann.devices.create(IPHONE);
  assert.equal((await ann.devices.update(id, { name: " Kitchen " })).name, "Kitchen");
  const pausedDevice = await ann.devices.update(id, { paused: true });
  assert.deepEqual([pausedDevice.name, pausedDevice.paused], ["Kitchen", true]);
  assert.equal((await ann.devices.update(id, { paused: false })).paused, false);
  await ann.devices.remove(id);
  assert.deepEqual((await ann.devices.list()).items, []);
  await assert.rejects(ann.devices.remove(id), { status: 404, code: "not_found" });
});

test("a test notification goes to the device and returns the outcome", async (t) => {
  const { ann, annId, testedDevices } = await setUp(t);
  const { id } = await ann.devices.create(IPHONE);
  const outcome = { success: true, message: "Accepted by Apple." };
  assert.deepEqual(await ann.devices.test(id), outcome);
  assert.deepEqual(testedDevices, [{ accountId: annId, deviceId: id }]);
});

test("another account's device looks missing", async (t) => {
  const { context, baseUrl, bobId, ann, bob, testedDevices } = await setUp(t);
  const { id } = await ann.devices.create(IPHONE);
  assert.deepEqual((await bob.devices.list()).items, []);
  const requests = [
    { method: "PATCH", body: { paused: true } },
    { method: "PATCH", body: {} },
    { method: "DELETE" },
    { method: "POST", path: "/test" },
  ];
  for (const { path = "", ...request } of requests) {
    const requestDevice = (deviceId: string) =>
      fetchComparableResponse(`${baseUrl}/api/app/v1/devices/${deviceId}${path}`, {
        bearer: bobId,
        ...request,
      });
    const foreignResponse = await requestDevice(id);
    assert.equal(foreignResponse.status, 404);
    assert.deepEqual(foreignResponse, await requestDevice(context.newId()));
  }
  assert.deepEqual(testedDevices, []);
  assert.equal((await ann.devices.list()).items[0]?.paused, false);
});

test("two accounts on one phone each have their own device", async (t) => {
  const { ann, bob } = await setUp(t);
  const { actionKey: _, ...annsDevice } = await ann.devices.create(IPHONE);
  const bobsDevice = await bob.devices.create({ ...IPHONE, name: "Bob's iPhone" });
  assert.notEqual(annsDevice.id, bobsDevice.id);
  await bob.devices.remove(bobsDevice.id);
  assert.deepEqual((await ann.devices.list()).items, [annsDevice]);
});

test("an invalid field is named in the error", async (t) => {
  const { baseUrl, annId } = await setUp(t);
  const web = { provider: "webpush", endpoint: ENDPOINT, keys: SUBSCRIPTION_KEYS };
  const invalidBodies: readonly (readonly [body: unknown, field: string])[] = [
    [{ ...IPHONE, name: "" }, "name"],
    [{ ...IPHONE, name: undefined }, "name"],
    [{ ...IPHONE, platform: "toaster" }, "platform"],
    [{ ...IPHONE, platform: "android" }, "platform"],
    [{ ...IPHONE, push: undefined }, "push"],
    [{ ...IPHONE, push: { provider: "apns" } }, "push.token"],
    [{ ...IPHONE, push: { provider: "pigeon" } }, "push.provider"],
    [{ ...IPHONE, push: { ...IPHONE.push, environment: "moon" } }, "push.environment"],
    [{ ...IPHONE, push: { ...web, endpoint: "https://127.0.0.1/x" } }, "push.endpoint"],
    [{ ...IPHONE, push: { ...web, keys: { p256dh: SUBSCRIPTION_KEYS.p256dh } } }, "push.keys.auth"],
    [{ ...IPHONE, push: { ...web, keys: { ...SUBSCRIPTION_KEYS, auth: "AA" } } }, "push.keys.auth"],
  ];
  for (const [body, field] of invalidBodies) {
    const url = `${baseUrl}/api/app/v1/devices`;
    const { status, text } = await fetchComparableResponse(url, {
      bearer: annId,
      method: "POST",
      body,
    });
    assert.equal(status, 400, field);
    assert.equal(JSON.parse(text).error.field, field);
  }
});

test("the device list is paginated", async (t) => {
  const { ann } = await setUp(t);
  const names = ["a", "b", "c"];
  for (const name of names) {
    await ann.devices.create({ name, platform: "android", push: { provider: "fcm", token: name } });
  }
  const firstPage = await ann.devices.list({ limit: 2 });
  assert.ok(firstPage.nextCursor);
  const lastPage = await ann.devices.list({ limit: 2, cursor: firstPage.nextCursor });
  assert.equal(lastPage.nextCursor, null);
  assert.deepEqual(
    [...firstPage.items, ...lastPage.items].map(({ name }) => name),
    names,
  );
});

test("an anonymous request is refused", async (t) => {
  const { baseUrl } = await setUp(t);
  await assert.rejects(createClient({ baseUrl }).devices.list(), { code: "unauthenticated" });
});

test("every successful change is reported, and no failed one", async (t) => {
  const { changedDevices, annId, ann, bob } = await setUp(t);
  const { id } = await ann.devices.create(IPHONE);
  await ann.devices.create(IPHONE);
  await ann.devices.update(id, { paused: true });
  await assert.rejects(bob.devices.update(id, { paused: false }), { status: 404 });
  await assert.rejects(bob.devices.remove(id), { status: 404 });
  await ann.devices.remove(id);
  await assert.rejects(ann.devices.remove(id), { status: 404 });
  const device = { accountId: annId, deviceId: id };
  const refreshedDevice = { ...device, isNew: false };
  assert.deepEqual(changedDevices, [{ ...device, isNew: true }, refreshedDevice, device, device]);
});
