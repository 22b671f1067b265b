import assert from "node:assert/strict";
import { test } from "node:test";
import { topicOf } from "./topic.ts";

test("every topic is 32 characters of base64url, equal for equal ids only", () => {
  const ids = ["", "01J", "01JD3K9Z6Q8X5T2V7B4N1M0HCA", "é".repeat(200)];
  for (const id of ids) assert.match(topicOf(id), /^[\w-]{32}$/u);
  assert.equal(new Set(ids.map(topicOf)).size, ids.length);
  assert.equal(topicOf("01J"), topicOf("01J"));
});
