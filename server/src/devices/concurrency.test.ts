import assert from "node:assert/strict";
import { OPERATOR } from "#audit/event.ts";
import test from "node:test";
import { insertAccount, insertDevice, createRoomContext } from "../../test/support/context.ts";
import { hashActionKey } from "./action-keys/action-key.ts";
import { createGroup } from "./groups/create.ts";
import { findGroup, insertGroup, listGroups, updateGroup } from "./groups/store.ts";
import { countDevices, insertDevice as insertDeviceWithLimit } from "./store/devices.ts";

/** The interleaving is random, so each case runs several times. */
const ROUNDS = 10;
const CALLERS = 5;
const ROWS_MAX = 3;

async function runConcurrently(
  action: (round: number, caller: number) => Promise<unknown>,
): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    await Promise.all(Array.from({ length: CALLERS }, (_, caller) => action(round, caller)));
  }
}

function createDeviceInput(accountId: string, token: string) {
  const address = { provider: "fcm", kind: "token", token } as const;
  return { accountId, platform: "android", address, name: token } as const;
}

test("devices and groups that are added concurrently stay within their limits", async (t) => {
  const context = await createRoomContext(t);
  const accountIds = await Promise.all(
    Array.from({ length: ROUNDS }, (_, round) =>
      insertAccount(context, { email: `person${round}@example.org` }),
    ),
  );
  await runConcurrently(async (round, caller) => {
    const accountId = accountIds[round] ?? "";
    const device = createDeviceInput(accountId, `${round} ${caller}`);
    await insertDeviceWithLimit(context, {
      ...device,
      actor: OPERATOR,
      max: ROWS_MAX,
      noticeUrl: null,
      actionKeyHash: hashActionKey(`${round} ${caller}`),
    });
    await insertGroup(context, { accountId, name: "g", deviceIds: [], max: ROWS_MAX });
  });
  for (const accountId of accountIds) {
    assert.equal((await countDevices(context, [accountId])).get(accountId), ROWS_MAX);
    const groups = await listGroups(context, { accountId, after: null, limit: CALLERS });
    assert.equal(groups.length, ROWS_MAX);
  }
});

test("concurrent changes of a group's devices leave it with the devices of one change", async (t) => {
  const context = await createRoomContext(t);
  const accountId = await insertAccount(context);
  const addedDevices = await Promise.all(
    Array.from({ length: CALLERS + 1 }, (_, index) =>
      insertDevice(context, createDeviceInput(accountId, `${index}`)),
    ),
  );
  const ids = addedDevices.map((device) => device?.id ?? "").toSorted();
  const { id: groupId } = await createGroup(context, { accountId, name: "g", deviceIds: ids });
  for (let round = 0; round < ROUNDS; round += 1) {
    await Promise.all(
      Array.from({ length: CALLERS }, (_, caller) => {
        const deviceIds = ids.slice(caller, caller + 2);
        return updateGroup(context, { accountId, groupId, name: null, deviceIds });
      }),
    );
    const { deviceIds = [] } = (await findGroup(context, { accountId, groupId })) ?? {};
    const firstIndex = ids.indexOf(deviceIds[0] ?? "");
    assert.ok(firstIndex >= 0);
    assert.deepEqual(deviceIds, ids.slice(firstIndex, firstIndex + 2));
  }
});
