import assert from "node:assert/strict";
import { test } from "node:test";
import { hasPrompt, NO_PROMPT, toPromptFields } from "./prompt-draft.ts";

const toFields = (fields: Partial<Parameters<typeof toPromptFields>[0]>) =>
  toPromptFields({ ...NO_PROMPT, priority: "", ...fields });

test("a draft without choices that allows no text has no prompt", () => {
  assert.equal(hasPrompt(NO_PROMPT), false);
  assert.deepEqual(toFields({ answersNeeded: 3, expireAfter: 300, choices: " \n" }), {});
});

test("a prompt has one choice per line, and only the fields that differ from the defaults", () => {
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
