import assert from "node:assert/strict";
import { OPERATOR } from "#audit/event.ts";
import test from "node:test";
import { insertAccount, insertDevice, testContext } from "../../test/support/room.ts";
import { createGroup } from "./groups/save.ts";
import { findGroup, insertGroup, listGroups, updateGroup } from "./groups/store.ts";
import { countDevices, insertDevice as insertDeviceWithin } from "./store/devices.ts";

/** The interleaving is random, so each case runs several times. */
const ROUNDS = 10;
const SIDES = 5;
const MOST = 3;

async function atOnce(act: (round: number, side: number) => Promise<unknown>): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    await Promise.all(Array.from({ length: SIDES }, (_, side) => act(round, side)));
  }
}

function deviceOf(accountId: string, token: string) {
  const address = { provider: "fcm", kind: "token", token } as const;
  return { accountId, platform: "android", address, name: token } as const;
}

test("devices and groups that are added at once are no more than there may be", async (t) => {
  const context = await testContext(t);
  const accounts = await Promise.all(
    Array.from({ length: ROUNDS }, (_, round) =>
      insertAccount(context, { email: `person${round}@example.org` }),
    ),
  );
  await atOnce(async (round, side) => {
    const accountId = accounts[round] ?? "";
    const device = deviceOf(accountId, `${round} ${side}`);
    await insertDeviceWithin(context, {
      ...device,
      by: OPERATOR,
      most: MOST,
      noticeUrl: null,
    });
    await insertGroup(context, { accountId, name: "g", deviceIds: [], most: MOST });
  });
  for (const accountId of accounts) {
    assert.equal((await countDevices(context, [accountId])).get(accountId), MOST);
    const groups = await listGroups(context, { accountId, after: null, limit: SIDES });
    assert.equal(groups.length, MOST);
  }
});

test("of those who change the devices of a group at once, the last one does", async (t) => {
  const context = await testContext(t);
  const accountId = await insertAccount(context);
  const added = await Promise.all(
    Array.from({ length: SIDES + 1 }, (_, index) =>
      insertDevice(context, deviceOf(accountId, `${index}`)),
    ),
  );
  const ids = added.map((device) => device?.id ?? "").toSorted();
  const { id: groupId } = await createGroup(context, { accountId, name: "g", deviceIds: ids });
  for (let round = 0; round < ROUNDS; round += 1) {
    await Promise.all(
      Array.from({ length: SIDES }, (_, side) => {
        const deviceIds = ids.slice(side, side + 2);
        return updateGroup(context, { accountId, groupId, name: null, deviceIds });
      }),
    );
    const { deviceIds = [] } = (await findGroup(context, { accountId, groupId })) ?? {};
    const first = ids.indexOf(deviceIds[0] ?? "");
    assert.ok(first >= 0);
    assert.deepEqual(deviceIds, ids.slice(first, first + 2));
  }
});
