import assert from "node:assert/strict";
import test from "node:test";
import { StatementNames } from "./statement-names.ts";

const TEXT = "insert into item (name) values ($1)";

function seenOften(names: StatementNames, text: string): string | null {
  names.nameOf(text);
  names.nameOf(text);
  return names.nameOf(text);
}

test("a statement has a name from the third time on, always the same, and no other has it", () => {
  const names = new StatementNames();
  assert.deepEqual([names.nameOf(TEXT), names.nameOf(TEXT)], [null, null]);
  const name = names.nameOf(TEXT);
  assert.match(name ?? "", /^[\w-]{32}$/);
  assert.equal(names.nameOf(TEXT), name);
  assert.notEqual(seenOften(names, `${TEXT} returning name`), name);
});

test("a statement that answers whatever columns there are has none, nor has one that is very long", () => {
  const names = new StatementNames();
  for (const text of [
    "select * from item where name = $1",
    'select "item".* from item where name = $1',
    "delete from item where name = $1 returning *",
    `${TEXT}${", ($2)".repeat(2_000)}`,
  ]) {
    assert.equal(seenOften(names, text), null, text.slice(0, 40));
  }
  assert.notEqual(seenOften(names, "update item set count = count*2 where name = $1"), null);
});

test("there are so many names at most, and who was not seen for long is forgotten", () => {
  const names = new StatementNames();
  names.nameOf(TEXT);
  names.nameOf(TEXT);
  for (let index = 0; index < 3_000; index += 1) names.nameOf(`${TEXT} -- once ${index}`);
  assert.equal(names.nameOf(TEXT), null);
  const given = Array.from({ length: 400 }, (_, index) => seenOften(names, `${TEXT} -- ${index}`));
  assert.equal(given.filter((name) => name !== null).length, 250);
});
