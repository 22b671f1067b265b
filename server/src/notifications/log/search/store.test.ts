import assert from "node:assert/strict";
import test from "node:test";
import { insertSent } from "../../../../test/support/sent.ts";
import { insertNotifications, notificationTo } from "../../../../test/support/notifications.ts";
import { testContext } from "../../../../test/support/room.ts";
import { searchSent, type LogFilter } from "./store.ts";

const ANY: LogFilter = {
  fate: null,
  channel: null,
  keyId: null,
  deviceId: null,
  code: null,
  text: null,
  from: null,
  to: null,
};

test("a search by code finds only deliveries with that code and outcome", async (t) => {
  const context = await testContext(t);
  const results = [
    ["gone", "device_gone"],
    ["accepted", "accepted"],
    ["expired", "expired"],
    ["rejected", "device_invalid"],
  ] as const;
  const sent = new Map<string, string>();
  for (const [state, code] of results) {
    const { id } = await insertSent(context, "ann", {
      change: { title: `"${state}","device_gone",` },
      results: [{ deviceId: "d", state, code, detail: '"gone","device_gone",' }],
    });
    sent.set(id, code);
  }
  const codesBy = async (filter: Partial<LogFilter>) => {
    const search = { audienceIds: ["ann"], filter: { ...ANY, ...filter }, limit: 10, after: null };
    return (await searchSent(context, search)).notifications.map(({ id }) => sent.get(id));
  };
  assert.deepEqual(await codesBy({ code: "device_gone" }), ["device_gone"]);
  assert.deepEqual(await codesBy({ code: "device_gone", fate: "failed" }), ["device_gone"]);
  assert.deepEqual(await codesBy({ code: "device_gone", fate: "delivered" }), []);
  assert.deepEqual(await codesBy({ code: "expired", fate: "waiting" }), []);
});

test("a search for a rare text stops at a limit and continues from there", async (t) => {
  const context = await testContext(t);
  const rare = notificationTo(context, "ann", { title: "Rare" });
  const others = Array.from({ length: 26_000 }, () => notificationTo(context, "ann"));
  await insertNotifications(context, [rare, ...others]);
  const search = { audienceIds: ["ann", "team"], filter: { ...ANY, text: "rare" }, limit: 10 };
  const first = await searchSent(context, { ...search, after: null });
  assert.deepEqual(first.notifications, []);
  assert.ok(first.brokenOffAt !== null);
  const second = await searchSent(context, { ...search, after: first.brokenOffAt });
  assert.deepEqual(
    second.notifications.map(({ id }) => id),
    [rare.id],
  );
  assert.equal(second.brokenOffAt, null);
  // A search that an index answers examines no entries.
  const all = { ...search, filter: ANY, after: null };
  assert.equal((await searchSent(context, all)).notifications.length, 10);
});
