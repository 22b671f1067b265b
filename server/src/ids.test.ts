import assert from "node:assert/strict";
import { test } from "node:test";
import { createIds, toMinId, parseIdTime } from "./ids.ts";

const UUID_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test("ids are increasing UUIDs of version 7, even after a clock rollback", () => {
  const clock = { now: Date.UTC(2026, 0, 1) };
  const newId = createIds(() => clock.now);
  const ids: string[] = [];
  for (const step of [0, 1, 0, -60_000, 5, 86_400_000]) {
    clock.now += step;
    for (let count = 0; count < 10_000; count += 1) ids.push(newId());
  }
  assert.deepEqual(
    ids.filter((id) => !UUID_7.test(id)),
    [],
  );
  assert.deepEqual(ids.toSorted(), ids);
  // The random part must be unique by itself: another process may use the same time and counter.
  assert.equal(new Set(ids.map((id) => id.slice(19))).size, ids.length);
});

test("every variant and every random digit occurs", () => {
  const newId = createIds(() => Date.UTC(2026, 0, 1));
  const ids = Array.from({ length: 5_000 }, newId);
  for (let position = 19; position < 36; position += 1) {
    if (position === 23) continue;
    const digits = new Set(ids.map((id) => id[position]));
    assert.equal(digits.size, position === 19 ? 4 : 16, `place ${position}`);
  }
});

test("an id contains its creation time and sorts after the least id of that time", () => {
  const at = Date.UTC(2026, 10, 22, 12);
  const id = createIds(() => at)();
  assert.equal(parseIdTime(id), at);
  assert.ok(id > toMinId(at) && id < toMinId(at + 1));
});
