import assert from "node:assert/strict";
import { test } from "node:test";
import { RecentResponses } from "./recent-responses.ts";

const HOUR_MS = 60 * 60_000;

function setUp(startMs: number) {
  const clock = { ms: startMs };
  return { clock, responses: new RecentResponses(() => clock.ms) };
}

test("a response counts as recent for an hour", () => {
  const { clock, responses } = setUp(0);
  assert.equal(responses.hasResponded("a"), false);
  responses.record("a");
  clock.ms += HOUR_MS - 1;
  assert.equal(responses.hasResponded("a"), true);
  clock.ms += 1;
  assert.equal(responses.hasResponded("a"), false);
});

test("a host no longer counts as responding after three consecutive requests without a response", () => {
  const { responses } = setUp(0);
  responses.record("a");
  responses.recordUnanswered("a");
  responses.recordUnanswered("a");
  responses.record("a");
  responses.recordUnanswered("a");
  responses.recordUnanswered("a");
  assert.equal(responses.hasResponded("a"), true);
  responses.recordUnanswered("a");
  assert.equal(responses.hasResponded("a"), false);
});

test("only the 5000 most recently used hosts are kept", () => {
  const { responses } = setUp(0);
  responses.record("first");
  responses.record("second");
  assert.equal(responses.hasResponded("first"), true);
  for (let index = 0; index < 4_999; index += 1) responses.record(`${index}`);
  assert.equal(responses.hasResponded("first"), true);
  assert.equal(responses.hasResponded("second"), false);
});
