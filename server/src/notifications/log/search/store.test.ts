import assert from "node:assert/strict";
import test from "node:test";
import { insertSentNotification } from "../../../../test/support/sent-notifications.ts";
import { insertNotifications, createNotification } from "../../../../test/support/notifications.ts";
import { createRoomContext } from "../../../../test/support/context.ts";
import { searchSentNotifications, type LogFilter } from "./store.ts";

const ANY: LogFilter = {
  stateFilter: null,
  channel: null,
  keyId: null,
  deviceId: null,
  code: null,
  text: null,
  fromAt: null,
  untilAt: null,
};

test("a search by code and result finds only notifications with such a delivery", async (t) => {
  const context = await createRoomContext(t);
  const results = [
    ["gone", "device_gone"],
    ["accepted", "accepted"],
    ["expired", "expired"],
    ["rejected", "device_invalid"],
  ] as const;
  const codesById = new Map<string, string>();
  for (const [state, code] of results) {
    const { id } = await insertSentNotification(context, "ann", {
      overrides: { title: `"${state}","device_gone",` },
      results: [{ deviceId: "d", state, code, detail: '"gone","device_gone",' }],
    });
    codesById.set(id, code);
  }
  const findCodes = async (filter: Partial<LogFilter>) => {
    const search = { audienceIds: ["ann"], filter: { ...ANY, ...filter }, limit: 10, after: null };
    return (await searchSentNotifications(context, search)).notifications.map(({ id }) =>
      codesById.get(id),
    );
  };
  assert.deepEqual(await findCodes({ code: "device_gone" }), ["device_gone"]);
  assert.deepEqual(await findCodes({ code: "device_gone", stateFilter: "failed" }), [
    "device_gone",
  ]);
  assert.deepEqual(await findCodes({ code: "device_gone", stateFilter: "delivered" }), []);
  assert.deepEqual(await findCodes({ code: "expired", stateFilter: "waiting" }), []);
});

test("a search for a rare text stops at a limit and continues from there", async (t) => {
  const context = await createRoomContext(t);
  const rareNotification = createNotification(context, "ann", { title: "Rare" });
  const otherNotifications = Array.from({ length: 26_000 }, () =>
    createNotification(context, "ann"),
  );
  await insertNotifications(context, [rareNotification, ...otherNotifications]);
  const search = { audienceIds: ["ann", "team"], filter: { ...ANY, text: "rare" }, limit: 10 };
  const firstResult = await searchSentNotifications(context, { ...search, after: null });
  assert.deepEqual(firstResult.notifications, []);
  assert.ok(firstResult.continueAfter !== null);
  const secondResult = await searchSentNotifications(context, {
    ...search,
    after: firstResult.continueAfter,
  });
  assert.deepEqual(
    secondResult.notifications.map(({ id }) => id),
    [rareNotification.id],
  );
  assert.equal(secondResult.continueAfter, null);
  // An index answers a search without a filter, so no limit stops it.
  const unfilteredSearch = { ...search, filter: ANY, after: null };
  assert.equal((await searchSentNotifications(context, unfilteredSearch)).notifications.length, 10);
});
