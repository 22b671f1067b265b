import assert from "node:assert/strict";
import { test } from "node:test";
import { createMailboxMessage } from "../../../../test/support/memory-apps.ts";
import { createParameterReader } from "../parameters.ts";
import { hasConditions, parseFilter } from "./filter.ts";

const MESSAGE = createMailboxMessage({
  title: "💀 Disk",
  body: "full",
  extras: '{"priority":4,"tags":["skull","db-1"]}',
});

function matches(query: Readonly<Record<string, string>>, message = MESSAGE): boolean {
  return parseFilter(createParameterReader({ headers: {}, query }))(message);
}

test("a filter compares id, text and title as a whole", () => {
  assert.equal(matches({}), true);
  assert.equal(matches({ id: MESSAGE.notificationId.toUpperCase() }), true);
  assert.equal(matches({ id: "x" }), false);
  assert.equal(matches({ m: "full" }), true);
  assert.equal(matches({ message: "ful" }), false);
  // The app never sees the emoji of tags.
  assert.equal(matches({ title: "Disk" }), true);
  assert.equal(matches({ title: "💀 Disk" }), false);
});

test("a filter accepts a message with one of its priorities, and with all of its tags", () => {
  assert.equal(matches({ priority: "high,max" }), true);
  assert.equal(matches({ p: "3" }), false);
  // A message without a priority has the default one.
  assert.equal(matches({ p: "default" }, createMailboxMessage()), true);
  assert.equal(matches({ tags: "db-1,skull" }), true);
  assert.equal(matches({ tags: "db-1,other" }), false);
  assert.equal(matches({ title: "Disk", tags: "other" }), false);
});

test("a filter with an invalid priority is refused with 40007", () => {
  assert.throws(() => matches({ priority: "9" }), { ntfyCode: 40007 });
});

test("only a request with conditions leaves messages out", () => {
  const parse = (query: Readonly<Record<string, string>>) =>
    parseFilter(createParameterReader({ headers: {}, query }));
  assert.equal(hasConditions(parse({ since: "all", poll: "1" })), false);
  for (const name of ["id", "message", "title", "tags"]) {
    assert.equal(hasConditions(parse({ [name]: "x" })), true, name);
  }
  assert.equal(hasConditions(parse({ priority: "5" })), true);
});
