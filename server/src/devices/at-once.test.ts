import assert from "node:assert/strict";
import { OPERATOR } from "#audit/event.ts";
import test from "node:test";
import { insertAccount, insertDevice, testContext } from "../../test/support/room.ts";
import { createGroup } from "./groups/save.ts";
import { findGroup, insertGroup, listGroups, updateGroup } from "./groups/store.ts";
import { countDevices, insertDevice as insertDeviceWithin } from "./store/devices.ts";

/** The interleaving is random, so each case runs several times. */
const ROUNDS = 10;
const CALLERS = 5;
const LIMIT = 3;

async function runConcurrently(
  act: (round: number, caller: number) => Promise<unknown>,
): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    await Promise.all(Array.from({ length: CALLERS }, (_, caller) => act(round, caller)));
  }
}

function newDevice(accountId: string, token: string) {
  const address = { provider: "fcm", kind: "token", token } as const;
  return { accountId, platform: "android", address, name: token } as const;
}

test("devices and groups that are added concurrently stay within their limits", async (t) => {
  const context = await testContext(t);
  const accounts = await Promise.all(
    Array.from({ length: ROUNDS }, (_, round) =>
      insertAccount(context, { email: `person${round}@example.org` }),
    ),
  );
  await runConcurrently(async (round, caller) => {
    const accountId = accounts[round] ?? "";
    const device = newDevice(accountId, `${round} ${caller}`);
    await insertDeviceWithin(context, {
      ...device,
      by: OPERATOR,
      most: LIMIT,
      noticeUrl: null,
    });
    await insertGroup(context, { accountId, name: "g", deviceIds: [], most: LIMIT });
  });
  for (const accountId of accounts) {
    assert.equal((await countDevices(context, [accountId])).get(accountId), LIMIT);
    const groups = await listGroups(context, { accountId, after: null, limit: CALLERS });
    assert.equal(groups.length, LIMIT);
  }
});

test("of concurrent changes of a group's devices, the last one wins", async (t) => {
  const context = await testContext(t);
  const accountId = await insertAccount(context);
  const added = await Promise.all(
    Array.from({ length: CALLERS + 1 }, (_, index) =>
      insertDevice(context, newDevice(accountId, `${index}`)),
    ),
  );
  const ids = added.map((device) => device?.id ?? "").toSorted();
  const { id: groupId } = await createGroup(context, { accountId, name: "g", deviceIds: ids });
  for (let round = 0; round < ROUNDS; round += 1) {
    await Promise.all(
      Array.from({ length: CALLERS }, (_, caller) => {
        const deviceIds = ids.slice(caller, caller + 2);
        return updateGroup(context, { accountId, groupId, name: null, deviceIds });
      }),
    );
    const { deviceIds = [] } = (await findGroup(context, { accountId, groupId })) ?? {};
    const first = ids.indexOf(deviceIds[0] ?? "");
    assert.ok(first >= 0);
    assert.deepEqual(deviceIds, ids.slice(first, first + 2));
  }
});
