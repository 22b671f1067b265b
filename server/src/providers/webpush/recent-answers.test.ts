import assert from "node:assert/strict";
import { test } from "node:test";
import { RecentAnswers } from "./recent-answers.ts";

const HOUR_MS = 60 * 60_000;

function answeredAt(startMs: number) {
  const clock = { ms: startMs };
  return { clock, answers: new RecentAnswers(() => clock.ms) };
}

test("a host answered lately for an hour after its answer", () => {
  const { clock, answers } = answeredAt(0);
  assert.equal(answers.has("a"), false);
  answers.note("a");
  clock.ms += HOUR_MS - 1;
  assert.equal(answers.has("a"), true);
  clock.ms += 1;
  assert.equal(answers.has("a"), false);
});

test("after three requests in a row without an answer, a host no longer counts as answering", () => {
  const { answers } = answeredAt(0);
  answers.note("a");
  answers.noteUnanswered("a");
  answers.noteUnanswered("a");
  answers.note("a");
  answers.noteUnanswered("a");
  answers.noteUnanswered("a");
  assert.equal(answers.has("a"), true);
  answers.noteUnanswered("a");
  assert.equal(answers.has("a"), false);
});

test("only so many hosts are remembered, those that are in use", () => {
  const { answers } = answeredAt(0);
  answers.note("first");
  answers.note("second");
  assert.equal(answers.has("first"), true);
  for (let index = 0; index < 4_999; index += 1) answers.note(`${index}`);
  assert.equal(answers.has("first"), true);
  assert.equal(answers.has("second"), false);
});
