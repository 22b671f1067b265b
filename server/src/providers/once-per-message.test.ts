import assert from "node:assert/strict";
import test from "node:test";
import { oncePerMessage } from "./once-per-message.ts";
import type { Message } from "./provider.ts";

function message(title: string): Message {
  return {
    notificationId: "n",
    title,
    body: "",
    sound: null,
    channel: "feed",
    link: null,
    image: null,
    timeSensitive: false,
    createdAt: 0,
    expiresAt: 1,
  };
}

test("it is made once for each message, and null counts as made", () => {
  let count = 0;
  const make = oncePerMessage(({ title }) => {
    count += 1;
    return title === "" ? null : title;
  });
  const [one, alike, empty] = [message("one"), message("one"), message("")];
  assert.deepEqual(
    [make(one), make(one), make(alike), make(empty), make(empty)],
    ["one", "one", "one", null, null],
  );
  assert.equal(count, 3);
});
