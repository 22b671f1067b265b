import assert from "node:assert/strict";
import { test } from "node:test";
import { isAsking, NO_QUESTION, toQuestionFields } from "./question.ts";

const ask = (fields: Partial<Parameters<typeof toQuestionFields>[0]>) =>
  toQuestionFields({ ...NO_QUESTION, priority: "", ...fields });

test("a draft without choices and text asks nothing", () => {
  assert.equal(isAsking(NO_QUESTION), false);
  assert.deepEqual(ask({ answersNeeded: 3, expireAfter: 300, choices: " \n" }), {});
});

test("a question has one choice per line, and only the fields that differ from the defaults", () => {
  assert.deepEqual(ask({ choices: " yes, please \n\nno\n" }), { choices: ["yes, please", "no"] });
  assert.deepEqual(ask({ allowText: true, answersNeeded: 3 }), { allowText: true });
  assert.deepEqual(ask({ choices: "yes\nno", answersNeeded: 3, expireAfter: 300 }), {
    choices: ["yes", "no"],
    answersNeeded: 3,
    expireAfter: 300,
  });
});

test("an emergency that asks for long rings in as many rounds as the server allows", () => {
  const choices = "yes\nno";
  const expected = { choices: ["yes", "no"], expireAfter: 86_400 };
  assert.deepEqual(ask({ choices, expireAfter: 86_400 }), expected);
  assert.deepEqual(ask({ choices, expireAfter: 86_400, priority: "emergency" }), {
    ...expected,
    repeatEvery: 864,
  });
  assert.deepEqual(ask({ choices, priority: "emergency" }), { choices: ["yes", "no"] });
});
