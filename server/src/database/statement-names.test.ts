import assert from "node:assert/strict";
import test from "node:test";
import { StatementNames } from "./statement-names.ts";

const TEXT = "insert into item (name) values ($1)";

function getNameAfterThreeUses(names: StatementNames, text: string): string | null {
  names.getName(text);
  names.getName(text);
  return names.getName(text);
}

test("a statement gets a stable, unique name at its third use", () => {
  const names = new StatementNames();
  assert.deepEqual([names.getName(TEXT), names.getName(TEXT)], [null, null]);
  const name = names.getName(TEXT);
  assert.match(name ?? "", /^[\w-]{32}$/);
  assert.equal(names.getName(TEXT), name);
  assert.notEqual(getNameAfterThreeUses(names, `${TEXT} returning name`), name);
});

test("a statement that selects a star, or is very long, gets no name", () => {
  const names = new StatementNames();
  for (const text of [
    "select * from item where name = $1",
    'select "item".* from item where name = $1',
    "delete from item where name = $1 returning *",
    `${TEXT}${", ($2)".repeat(2_000)}`,
  ]) {
    assert.equal(getNameAfterThreeUses(names, text), null, text.slice(0, 40));
  }
  assert.notEqual(
    getNameAfterThreeUses(names, "update item set count = count*2 where name = $1"),
    null,
  );
});

test("the number of names is limited, and rarely used statements are forgotten", () => {
  const names = new StatementNames();
  names.getName(TEXT);
  names.getName(TEXT);
  // More statements than are counted displace the first one.
  for (let index = 0; index < 3_000; index += 1) names.getName(`${TEXT} -- once ${index}`);
  assert.equal(names.getName(TEXT), null);
  const assignedNames = Array.from({ length: 400 }, (_, index) =>
    getNameAfterThreeUses(names, `${TEXT} -- ${index}`),
  );
  assert.equal(assignedNames.filter((name) => name !== null).length, 250);
});
