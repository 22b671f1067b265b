import assert from "node:assert/strict";
import { test } from "node:test";
import { PendingMessages } from "./pending-messages.ts";

const message = { channel: "a", topic: null, expiresAtMs: 100, content: "x" };

test("messages wait in order until they are acknowledged", () => {
  const pending = new PendingMessages<string>();
  pending.hold({ ...message, id: "1", content: "first" });
  pending.hold({ ...message, id: "2", content: "second" });
  pending.hold({ ...message, id: "3", content: "third" });
  pending.acknowledge("2");
  pending.acknowledge("unknown");
  assert.deepEqual(pending.waiting(0), ["first", "third"]);
});

test("an expired message is not waited for", () => {
  const pending = new PendingMessages<string>();
  pending.hold({ ...message, id: "1", expiresAtMs: 100, content: "old" });
  pending.hold({ ...message, id: "2", expiresAtMs: 101, content: "fresh" });
  assert.deepEqual(pending.waiting(100), ["fresh"]);
});

test("a topic replaces what waits for the same subscription and nothing else", () => {
  const pending = new PendingMessages<string>();
  pending.hold({ ...message, id: "1", topic: "disk", content: "disk 90 %" });
  pending.hold({ ...message, id: "2", topic: "disk", channel: "b", content: "elsewhere" });
  pending.hold({ ...message, id: "3", content: "no topic" });
  pending.hold({ ...message, id: "4", topic: "disk", content: "disk 95 %" });
  assert.deepEqual(pending.waiting(0), ["elsewhere", "no topic", "disk 95 %"]);
});
