import assert from "node:assert/strict";
import { test } from "node:test";
import { Answered } from "./answered.ts";

const HOUR_MS = 60 * 60_000;

function answeredAt(startMs: number) {
  const clock = { ms: startMs };
  return { clock, answered: new Answered(() => clock.ms) };
}

test("a host answered lately for an hour after its answer", () => {
  const { clock, answered } = answeredAt(0);
  assert.equal(answered.has("a"), false);
  answered.note("a");
  clock.ms += HOUR_MS - 1;
  assert.equal(answered.has("a"), true);
  clock.ms += 1;
  assert.equal(answered.has("a"), false);
});

test("three requests in a row without an answer, and nothing is known of a host", () => {
  const { answered } = answeredAt(0);
  answered.note("a");
  answered.noteSilence("a");
  answered.noteSilence("a");
  answered.note("a");
  answered.noteSilence("a");
  answered.noteSilence("a");
  assert.equal(answered.has("a"), true);
  answered.noteSilence("a");
  assert.equal(answered.has("a"), false);
});

test("only so many hosts are remembered, those first that answered last", () => {
  const { answered } = answeredAt(0);
  answered.note("first");
  answered.note("second");
  answered.note("first");
  for (let index = 0; index < 4_999; index += 1) answered.note(`${index}`);
  assert.equal(answered.has("first"), true);
  assert.equal(answered.has("second"), false);
});
