import assert from "node:assert/strict";
import test from "node:test";
import { insertNotifications, notificationTo } from "../../../../test/support/notifications.ts";
import { testContext } from "../../../../test/support/room.ts";
import { searchSent, type LogFilter } from "./store.ts";

const ANY: LogFilter = {
  fate: null,
  channel: null,
  keyId: null,
  deviceId: null,
  text: null,
  from: null,
  to: null,
};

test("a search for what is rare is broken off after so many, and goes on from there", async (t) => {
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
  // What the index finds by itself looks through nothing.
  const all = { ...search, filter: ANY, after: null };
  assert.equal((await searchSent(context, all)).notifications.length, 10);
});
