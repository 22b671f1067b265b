import assert from "node:assert/strict";
import { OPERATOR } from "#audit/event.ts";
import { test, type TestContext } from "node:test";
import { createClient } from "@tocsin/sdk";
import { authenticateByAccountId, fetchComparableResponse } from "../../../test/support/bearer.ts";
import {
  insertAccount,
  insertDevice,
  startTestServer,
  createRoomContext,
} from "../../../test/support/context.ts";
import { removeDevice } from "../store/retirement.ts";
import { GROUPS_MAX, GROUP_DEVICES_MAX } from "./group.ts";
import { registerGroupRoutes } from "./routes.ts";
import { groupExists, insertGroup, listGroups } from "./store.ts";

async function setUp(t: TestContext) {
  const context = await createRoomContext(t);
  const annId = await insertAccount(context, { email: "ann@example.org" });
  const bobId = await insertAccount(context, { email: "bob@example.org" });
  const addDevice = async (accountId: string, token: string) => {
    const address = { provider: "fcm", kind: "token", token } as const;
    const input = { accountId, platform: "android", address, name: token } as const;
    const device = await insertDevice(context, input);
    assert.ok(device);
    return device.id;
  };
  const baseUrl = await startTestServer(t, context, (server) =>
    registerGroupRoutes(server, { context, authenticate: authenticateByAccountId }),
  );
  const createClientFor = (accessToken: string) => createClient({ baseUrl, accessToken });
  return {
    context,
    baseUrl,
    addDevice,
    annId,
    bobId,
    ann: createClientFor(annId),
    bob: createClientFor(bobId),
  };
}

test("a group is created, listed, changed and removed", async (t) => {
  const { addDevice, annId, ann } = await setUp(t);
  const firstId = await addDevice(annId, "a");
  const secondId = await addDevice(annId, "b");
  const group = await ann.groups.create({
    name: " Home ",
    deviceIds: [secondId, firstId, secondId],
  });
  assert.deepEqual(group, { id: group.id, name: "Home", deviceIds: [firstId, secondId] });
  assert.match(group.id, /^[A-Za-z0-9_-]+$/);
  assert.deepEqual((await ann.groups.list()).items, [group]);
  assert.deepEqual(await ann.groups.update(group.id, { name: "House" }), {
    ...group,
    name: "House",
  });
  const changedGroup = await ann.groups.update(group.id, { deviceIds: [secondId] });
  assert.deepEqual(changedGroup, { id: group.id, name: "House", deviceIds: [secondId] });
  assert.deepEqual((await ann.groups.list()).items, [changedGroup]);
  assert.deepEqual(await ann.groups.update(group.id, {}), changedGroup);
  await ann.groups.remove(group.id);
  assert.deepEqual((await ann.groups.list()).items, []);
});

test("a group can be created empty, or emptied later", async (t) => {
  const { addDevice, annId, ann } = await setUp(t);
  const deviceId = await addDevice(annId, "a");
  assert.deepEqual((await ann.groups.create({ name: "g", deviceIds: [] })).deviceIds, []);
  const { id } = await ann.groups.create({ name: "g", deviceIds: [deviceId] });
  assert.deepEqual((await ann.groups.update(id, { deviceIds: [] })).deviceIds, []);
  assert.deepEqual(
    (await ann.groups.list()).items.map(({ deviceIds }) => deviceIds),
    [[], []],
  );
});

test("a removed, missing or other account's device cannot be in a group, and the refusals are equal", async (t) => {
  const { context, baseUrl, addDevice, annId, bobId, ann } = await setUp(t);
  const ownDeviceId = await addDevice(annId, "a");
  const removedDeviceId = await addDevice(annId, "b");
  const foreignDeviceId = await addDevice(bobId, "a");
  await removeDevice(context, { actor: OPERATOR, accountId: annId, deviceId: removedDeviceId });
  const group = await ann.groups.create({ name: "g", deviceIds: [ownDeviceId] });
  for (const [method, path] of [
    ["POST", ""],
    ["PATCH", `/${group.id}`],
  ] as const) {
    const requestGroupWith = (otherDeviceId: string) =>
      fetchComparableResponse(`${baseUrl}/api/app/v1/groups${path}`, {
        bearer: annId,
        method,
        body: { name: "h", deviceIds: [ownDeviceId, otherDeviceId] },
      });
    const missingDeviceResponse = await requestGroupWith(context.newId());
    assert.equal(missingDeviceResponse.status, 400);
    assert.match(missingDeviceResponse.text, /"field":"deviceIds"/);
    assert.deepEqual(await requestGroupWith(foreignDeviceId), missingDeviceResponse);
    assert.deepEqual(await requestGroupWith(removedDeviceId), missingDeviceResponse);
  }
  assert.deepEqual((await ann.groups.list()).items, [group]);
});

test("a removed device leaves its groups", async (t) => {
  const { context, addDevice, annId, ann } = await setUp(t);
  const remainingId = await addDevice(annId, "a");
  const removedId = await addDevice(annId, "b");
  await ann.groups.create({ name: "g", deviceIds: [remainingId, removedId] });
  await removeDevice(context, { actor: OPERATOR, accountId: annId, deviceId: removedId });
  assert.deepEqual((await ann.groups.list()).items[0]?.deviceIds, [remainingId]);
});

test("another account's group looks missing", async (t) => {
  const { context, baseUrl, addDevice, annId, bobId, ann, bob } = await setUp(t);
  const group = await ann.groups.create({ name: "g", deviceIds: [await addDevice(annId, "a")] });
  const bobDeviceId = await addDevice(bobId, "a");
  assert.deepEqual((await bob.groups.list()).items, []);
  const requests = [
    { method: "PATCH", body: { name: "mine" } },
    { method: "PATCH", body: { deviceIds: [bobDeviceId] } },
    { method: "PATCH", body: {} },
    { method: "DELETE" },
  ];
  for (const request of requests) {
    const requestGroup = (groupId: string) =>
      fetchComparableResponse(`${baseUrl}/api/app/v1/groups/${groupId}`, {
        bearer: bobId,
        ...request,
      });
    const foreignResponse = await requestGroup(group.id);
    assert.equal(foreignResponse.status, 404);
    assert.deepEqual(foreignResponse, await requestGroup(context.newId()));
  }
  assert.deepEqual((await ann.groups.list()).items, [group]);
  assert.equal(await groupExists(context, { accountId: bobId, groupId: group.id }), false);
  assert.equal(await groupExists(context, { accountId: annId, groupId: group.id }), true);
});

test("an account has at most 200 groups", async (t) => {
  const { context, annId, bobId, ann, bob } = await setUp(t);
  for (let count = 0; count < GROUPS_MAX; count += 1) {
    await insertGroup(context, { accountId: annId, name: "g", deviceIds: [], max: GROUPS_MAX });
  }
  const newGroup = { name: "one more", deviceIds: [] };
  const countGroups = async (accountId: string) =>
    (await listGroups(context, { accountId, after: null, limit: 2 * GROUPS_MAX })).length;
  await assert.rejects(ann.groups.create(newGroup), { status: 409, code: "conflict" });
  assert.equal(await countGroups(annId), GROUPS_MAX);
  await bob.groups.create(newGroup);
  assert.equal(await countGroups(bobId), 1);
});

test("an invalid field is named in the error", async (t) => {
  const { ann, context } = await setUp(t);
  const refusal = { status: 400, code: "invalid_field" };
  await assert.rejects(ann.groups.create({ name: " ", deviceIds: [] }), {
    ...refusal,
    field: "name",
  });
  const tooManyIds = Array.from({ length: GROUP_DEVICES_MAX + 1 }, () => context.newId());
  const group = { name: "g", deviceIds: tooManyIds };
  await assert.rejects(ann.groups.create(group), { ...refusal, field: "deviceIds" });
});

test("a list is paginated, and each group has its devices", async (t) => {
  const { addDevice, annId, ann } = await setUp(t);
  const deviceId = await addDevice(annId, "a");
  const created: unknown[] = [];
  for (const name of ["a", "b", "c"]) {
    created.push(await ann.groups.create({ name, deviceIds: name === "b" ? [] : [deviceId] }));
  }
  const firstPage = await ann.groups.list({ limit: 2 });
  assert.ok(firstPage.nextCursor);
  const lastPage = await ann.groups.list({ limit: 2, cursor: firstPage.nextCursor });
  assert.equal(lastPage.nextCursor, null);
  assert.deepEqual([...firstPage.items, ...lastPage.items], created);
});
