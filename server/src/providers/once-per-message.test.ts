import assert from "node:assert/strict";
import test from "node:test";
import { messageWith } from "../../test/support/push-message.ts";
import { oncePerMessage } from "./once-per-message.ts";

test("it is made once for each message, and null counts as made", () => {
  let count = 0;
  const make = oncePerMessage(({ title }) => {
    count += 1;
    return title === "" ? null : title;
  });
  const [one, alike, empty] = [
    messageWith({ title: "one" }),
    messageWith({ title: "one" }),
    messageWith({ title: "" }),
  ];
  assert.deepEqual(
    [make(one), make(one), make(alike), make(empty), make(empty)],
    ["one", "one", "one", null, null],
  );
  assert.equal(count, 3);
});
