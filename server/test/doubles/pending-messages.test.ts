import assert from "node:assert/strict";
import { test } from "node:test";
import { PendingMessages } from "./pending-messages.ts";

const message = { subscriptionId: "a", topic: null, expiresAtMs: 100, content: "x" };

test("messages wait in order until they are acknowledged", () => {
  const pending = new PendingMessages<string>();
  pending.add({ ...message, id: "1", content: "first" });
  pending.add({ ...message, id: "2", content: "second" });
  pending.add({ ...message, id: "3", content: "third" });
  pending.acknowledge("2");
  pending.acknowledge("unknown");
  assert.deepEqual(pending.listUnexpired(0), ["first", "third"]);
});

test("an expired message is dropped", () => {
  const pending = new PendingMessages<string>();
  pending.add({ ...message, id: "1", expiresAtMs: 100, content: "old" });
  pending.add({ ...message, id: "2", expiresAtMs: 101, content: "fresh" });
  assert.deepEqual(pending.listUnexpired(100), ["fresh"]);
});

test("a message replaces only a pending message with the same topic and subscription", () => {
  const pending = new PendingMessages<string>();
  pending.add({ ...message, id: "1", topic: "disk", content: "disk 90 %" });
  pending.add({ ...message, id: "2", topic: "disk", subscriptionId: "b", content: "elsewhere" });
  pending.add({ ...message, id: "3", content: "no topic" });
  pending.add({ ...message, id: "4", topic: "disk", content: "disk 95 %" });
  assert.deepEqual(pending.listUnexpired(0), ["elsewhere", "no topic", "disk 95 %"]);
});
