import assert from "node:assert/strict";
import { test } from "node:test";
import { RecentAnswers } from "./recent-answers.ts";

const HOUR_MS = 60 * 60_000;

function setUp(startMs: number) {
  const clock = { ms: startMs };
  return { clock, answers: new RecentAnswers(() => clock.ms) };
}

test("an answer counts as recent for an hour", () => {
  const { clock, answers } = setUp(0);
  assert.equal(answers.has("a"), false);
  answers.note("a");
  clock.ms += HOUR_MS - 1;
  assert.equal(answers.has("a"), true);
  clock.ms += 1;
  assert.equal(answers.has("a"), false);
});

test("three consecutive requests without an answer forget the host's last answer", () => {
  const { answers } = setUp(0);
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

test("only the 5000 most recently used hosts are kept", () => {
  const { answers } = setUp(0);
  answers.note("first");
  answers.note("second");
  assert.equal(answers.has("first"), true);
  for (let index = 0; index < 4_999; index += 1) answers.note(`${index}`);
  assert.equal(answers.has("first"), true);
  assert.equal(answers.has("second"), false);
});
