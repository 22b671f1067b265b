import assert from "node:assert/strict";
import { OPERATOR } from "#audit/event.ts";
import { test, type TestContext } from "node:test";
import { createClient } from "@tocsin/sdk";
import { authenticateById, fetchComparable } from "../../../test/support/bearer.ts";
import { insertAccount, insertDevice, listen, testContext } from "../../../test/support/room.ts";
import { removeDevice } from "../store/retirement.ts";
import { GROUPS_MAX, GROUP_DEVICES_MAX } from "./group.ts";
import { registerGroupRoutes } from "./routes.ts";
import { groupExists, insertGroup, listGroups } from "./store.ts";

async function setUp(test: TestContext) {
  const context = await testContext(test);
  const ann = await insertAccount(context, { email: "ann@example.org" });
  const bob = await insertAccount(context, { email: "bob@example.org" });
  const add = async (accountId: string, token: string) => {
    const address = { provider: "fcm", kind: "token", token } as const;
    const input = { accountId, platform: "android", address, name: token } as const;
    const device = await insertDevice(context, input);
    assert.ok(device);
    return device.id;
  };
  const baseUrl = await listen(test, context, (server) =>
    registerGroupRoutes(server, { context, authenticate: authenticateById }),
  );
  const client = (accessToken: string) => createClient({ baseUrl, accessToken });
  return { context, baseUrl, add, annId: ann, bobId: bob, ann: client(ann), bob: client(bob) };
}

test("a group is created, listed, changed and removed", async (test) => {
  const { add, annId, ann } = await setUp(test);
  const [first, second] = [await add(annId, "a"), await add(annId, "b")];
  const group = await ann.groups.create({ name: " Home ", deviceIds: [second, first, second] });
  assert.deepEqual(group, { id: group.id, name: "Home", deviceIds: [first, second] });
  assert.match(group.id, /^[A-Za-z0-9_-]+$/);
  assert.deepEqual((await ann.groups.list()).items, [group]);
  assert.deepEqual(await ann.groups.update(group.id, { name: "House" }), {
    ...group,
    name: "House",
  });
  const changed = await ann.groups.update(group.id, { deviceIds: [second] });
  assert.deepEqual(changed, { id: group.id, name: "House", deviceIds: [second] });
  assert.deepEqual((await ann.groups.list()).items, [changed]);
  assert.deepEqual(await ann.groups.update(group.id, {}), changed);
  await ann.groups.remove(group.id);
  assert.deepEqual((await ann.groups.list()).items, []);
});

test("a group can be created empty, or emptied later", async (test) => {
  const { add, annId, ann } = await setUp(test);
  const deviceId = await add(annId, "a");
  assert.deepEqual((await ann.groups.create({ name: "g", deviceIds: [] })).deviceIds, []);
  const { id } = await ann.groups.create({ name: "g", deviceIds: [deviceId] });
  assert.deepEqual((await ann.groups.update(id, { deviceIds: [] })).deviceIds, []);
  assert.deepEqual(
    (await ann.groups.list()).items.map(({ deviceIds }) => deviceIds),
    [[], []],
  );
});

test("a removed, missing or other account's device cannot be in a group, with one refusal for all", async (test) => {
  const { context, baseUrl, add, annId, bobId, ann } = await setUp(test);
  const [mine, removed, theirs] = [
    await add(annId, "a"),
    await add(annId, "b"),
    await add(bobId, "a"),
  ];
  await removeDevice(context, { actor: OPERATOR, accountId: annId, deviceId: removed });
  const group = await ann.groups.create({ name: "g", deviceIds: [mine] });
  for (const [method, path] of [
    ["POST", ""],
    ["PATCH", `/${group.id}`],
  ] as const) {
    const requestWith = (other: string) =>
      fetchComparable(`${baseUrl}/api/app/v1/groups${path}`, {
        bearer: annId,
        method,
        body: { name: "h", deviceIds: [mine, other] },
      });
    const missing = await requestWith(context.newId());
    assert.equal(missing.status, 400);
    assert.match(missing.text, /"field":"deviceIds"/);
    assert.deepEqual(await requestWith(theirs), missing);
    assert.deepEqual(await requestWith(removed), missing);
  }
  assert.deepEqual((await ann.groups.list()).items, [group]);
});

test("a removed device leaves its groups", async (test) => {
  const { context, add, annId, ann } = await setUp(test);
  const [remaining, removed] = [await add(annId, "a"), await add(annId, "b")];
  await ann.groups.create({ name: "g", deviceIds: [remaining, removed] });
  await removeDevice(context, { actor: OPERATOR, accountId: annId, deviceId: removed });
  assert.deepEqual((await ann.groups.list()).items[0]?.deviceIds, [remaining]);
});

test("another account's group looks missing", async (test) => {
  const { context, baseUrl, add, annId, bobId, ann, bob } = await setUp(test);
  const group = await ann.groups.create({ name: "g", deviceIds: [await add(annId, "a")] });
  const bobDevice = await add(bobId, "a");
  assert.deepEqual((await bob.groups.list()).items, []);
  const requests = [
    { method: "PATCH", body: { name: "mine" } },
    { method: "PATCH", body: { deviceIds: [bobDevice] } },
    { method: "PATCH", body: {} },
    { method: "DELETE" },
  ];
  for (const request of requests) {
    const responseFor = (groupId: string) =>
      fetchComparable(`${baseUrl}/api/app/v1/groups/${groupId}`, { bearer: bobId, ...request });
    const hidden = await responseFor(group.id);
    assert.equal(hidden.status, 404);
    assert.deepEqual(hidden, await responseFor(context.newId()));
  }
  assert.deepEqual((await ann.groups.list()).items, [group]);
  assert.equal(await groupExists(context, { accountId: bobId, groupId: group.id }), false);
  assert.equal(await groupExists(context, { accountId: annId, groupId: group.id }), true);
});

test("an account has at most 200 groups", async (test) => {
  const { context, annId, bobId, ann, bob } = await setUp(test);
  for (let count = 0; count < GROUPS_MAX; count += 1) {
    await insertGroup(context, { accountId: annId, name: "g", deviceIds: [], most: GROUPS_MAX });
  }
  const newGroup = { name: "one more", deviceIds: [] };
  const countOf = async (accountId: string) =>
    (await listGroups(context, { accountId, after: null, limit: 2 * GROUPS_MAX })).length;
  await assert.rejects(ann.groups.create(newGroup), { status: 409, code: "conflict" });
  assert.equal(await countOf(annId), GROUPS_MAX);
  await bob.groups.create(newGroup);
  assert.equal(await countOf(bobId), 1);
});

test("an invalid field is named in the error", async (test) => {
  const { ann, context } = await setUp(test);
  const refusal = { status: 400, code: "invalid_field" };
  await assert.rejects(ann.groups.create({ name: " ", deviceIds: [] }), {
    ...refusal,
    field: "name",
  });
  const tooMany = Array.from({ length: GROUP_DEVICES_MAX + 1 }, () => context.newId());
  const group = { name: "g", deviceIds: tooMany };
  await assert.rejects(ann.groups.create(group), { ...refusal, field: "deviceIds" });
});

test("a list is paginated, and each group has its devices", async (test) => {
  const { add, annId, ann } = await setUp(test);
  const deviceId = await add(annId, "a");
  const created: unknown[] = [];
  for (const name of ["a", "b", "c"]) {
    created.push(await ann.groups.create({ name, deviceIds: name === "b" ? [] : [deviceId] }));
  }
  const first = await ann.groups.list({ limit: 2 });
  assert.ok(first.nextCursor);
  const last = await ann.groups.list({ limit: 2, cursor: first.nextCursor });
  assert.equal(last.nextCursor, null);
  assert.deepEqual([...first.items, ...last.items], created);
});
