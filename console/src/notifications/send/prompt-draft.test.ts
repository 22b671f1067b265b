import assert from "node:assert/strict";
import { test } from "node:test";
import { isAsking, NO_QUESTION, toQuestionFields } from "./question.ts";

const toFields = (fields: Partial<Parameters<typeof toQuestionFields>[0]>) =>
  toQuestionFields({ ...NO_QUESTION, priority: "", ...fields });

test("a draft without choices and text asks nothing", () => {
  assert.equal(isAsking(NO_QUESTION), false);
  assert.deepEqual(toFields({ answersNeeded: 3, expireAfter: 300, choices: " \n" }), {});
});

test("a question has one choice per line, and only the fields that differ from the defaults", () => {
  assert.deepEqual(toFields({ choices: " yes, please \n\nno\n" }), {
    choices: ["yes, please", "no"],
  });
  assert.deepEqual(toFields({ allowText: true, answersNeeded: 3 }), { allowText: true });
  assert.deepEqual(toFields({ choices: "yes\nno", answersNeeded: 3, expireAfter: 300 }), {
    choices: ["yes", "no"],
    answersNeeded: 3,
    expireAfter: 300,
  });
});

test("an emergency that stays open for a day rings as often as the server allows", () => {
  const choices = "yes\nno";
  const expected = { choices: ["yes", "no"], expireAfter: 86_400 };
  assert.deepEqual(toFields({ choices, expireAfter: 86_400 }), expected);
  assert.deepEqual(toFields({ choices, expireAfter: 86_400, priority: "emergency" }), {
    ...expected,
    repeatEvery: 864,
  });
  assert.deepEqual(toFields({ choices, priority: "emergency" }), { choices: ["yes", "no"] });
});
