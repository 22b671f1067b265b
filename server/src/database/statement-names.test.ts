import assert from "node:assert/strict";
import test from "node:test";
import { StatementNames } from "./statement-names.ts";

const TEXT = "insert into item (name) values ($1)";

function nameAfterThreeUses(names: StatementNames, text: string): string | null {
  names.nameOf(text);
  names.nameOf(text);
  return names.nameOf(text);
}

test("a statement gets a stable, unique name at its third use", () => {
  const names = new StatementNames();
  assert.deepEqual([names.nameOf(TEXT), names.nameOf(TEXT)], [null, null]);
  const name = names.nameOf(TEXT);
  assert.match(name ?? "", /^[\w-]{32}$/);
  assert.equal(names.nameOf(TEXT), name);
  assert.notEqual(nameAfterThreeUses(names, `${TEXT} returning name`), name);
});

test("a statement that selects a star, or is very long, gets no name", () => {
  const names = new StatementNames();
  for (const text of [
    "select * from item where name = $1",
    'select "item".* from item where name = $1',
    "delete from item where name = $1 returning *",
    `${TEXT}${", ($2)".repeat(2_000)}`,
  ]) {
    assert.equal(nameAfterThreeUses(names, text), null, text.slice(0, 40));
  }
  assert.notEqual(
    nameAfterThreeUses(names, "update item set count = count*2 where name = $1"),
    null,
  );
});

test("the number of names is limited, and rarely used statements are forgotten", () => {
  const names = new StatementNames();
  names.nameOf(TEXT);
  names.nameOf(TEXT);
  for (let index = 0; index < 3_000; index += 1) names.nameOf(`${TEXT} -- once ${index}`);
  assert.equal(names.nameOf(TEXT), null);
  const assignedNames = Array.from({ length: 400 }, (_, index) =>
    nameAfterThreeUses(names, `${TEXT} -- ${index}`),
  );
  assert.equal(assignedNames.filter((name) => name !== null).length, 250);
});
