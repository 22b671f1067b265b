import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSubscriptions } from "./subscriptions.ts";

function parse(topics: string) {
  const isReservedName = (name: string) => name === "api";
  return parseSubscriptions(topics, { ownTopic: "all-0123456789", isReservedName });
}

test("the app's own topic has every channel, and each other topic has its own", () => {
  assert.deepEqual(parse("all-0123456789,my_backups,upAbC-1,my_backups"), [
    { topic: "all-0123456789", channel: null },
    { topic: "my_backups", channel: "my-backups" },
    { topic: "upAbC-1", channel: "upAbC-1" },
  ]);
  // The own topic of another app is an ordinary one.
  assert.deepEqual(parse("all-9876543210"), [
    { topic: "all-9876543210", channel: "all-9876543210" },
  ]);
});

test("a reserved name, a key and too many topics are refused", () => {
  assert.throws(() => parse("backups,api"), { ntfyCode: 40010 });
  assert.throws(() => parse("tk_abcdefghijklmnopqrstuvwxyz012"), { ntfyCode: 40010 });
  const many = Array.from({ length: 501 }, (_, index) => `t${index}`);
  assert.throws(() => parse(many.join(",")), { ntfyCode: 40009 });
  assert.equal(parse(many.slice(1).join(",")).length, 500);
});
