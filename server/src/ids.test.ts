import assert from "node:assert/strict";
import { test } from "node:test";
import { createIds, toMinId, parseIdTime } from "./ids.ts";

const UUID_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** Position of the digit that contains the variant. All digits after it are random. */
const VARIANT_POSITION = 19;
const LAST_HYPHEN_POSITION = 23;

test("ids are increasing UUIDs of version 7, even after a clock rollback", () => {
  const clock = { now: Date.UTC(2026, 0, 1) };
  const newId = createIds(() => clock.now);
  const ids: string[] = [];
  for (const stepMs of [0, 1, 0, -60_000, 5, 86_400_000]) {
    clock.now += stepMs;
    for (let count = 0; count < 10_000; count += 1) ids.push(newId());
  }
  assert.deepEqual(
    ids.filter((id) => !UUID_7.test(id)),
    [],
  );
  assert.deepEqual(ids.toSorted(), ids);
  // The random part must be unique by itself: another process may use the same time and counter.
  assert.equal(new Set(ids.map((id) => id.slice(VARIANT_POSITION))).size, ids.length);
});

test("each of the four variants occurs, and every digit at each random position", () => {
  const newId = createIds(() => Date.UTC(2026, 0, 1));
  const ids = Array.from({ length: 5_000 }, newId);
  const { length } = ids[0] ?? assert.fail();
  for (let position = VARIANT_POSITION; position < length; position += 1) {
    if (position === LAST_HYPHEN_POSITION) continue;
    const digits = new Set(ids.map((id) => id[position]));
    assert.equal(digits.size, position === VARIANT_POSITION ? 4 : 16, `position ${position}`);
  }
});

test("an id contains its creation time and sorts after the least id of that time", () => {
  const at = Date.UTC(2026, 10, 22, 12);
  const id = createIds(() => at)();
  assert.equal(parseIdTime(id), at);
  assert.ok(id > toMinId(at) && id < toMinId(at + 1));
});
