import assert from "node:assert/strict";
import { test } from "node:test";
import { ANSWER_ACTION, createButtons } from "./buttons.ts";

const CHROMIUM = { maxButtons: 2, hasTextButtons: true };
const FIREFOX = { maxButtons: 2, hasTextButtons: false };
const SAFARI = { maxButtons: 0, hasTextButtons: false };

/** Returns the acting of a prompt with so many choices. */
function createPrompt(count: number, { allowsText = false } = {}) {
  const actions = Array.from(
    { length: count },
    (_, index) => [`${index}`, `Choice ${index}`] as const,
  );
  return { incident: null, prompt: "p", actions, allowsText };
}

const CHOICES = [
  { action: "0", title: "Choice 0" },
  { action: "1", title: "Choice 1" },
] as const;

test("choices are buttons if the browser shows all of them", () => {
  for (const browser of [CHROMIUM, FIREFOX]) {
    assert.deepEqual(createButtons(createPrompt(2), browser), CHOICES);
    assert.deepEqual(createButtons(createPrompt(0), browser), []);
  }
});

test("more choices than buttons become one button that opens the page", () => {
  for (const browser of [CHROMIUM, FIREFOX, { ...FIREFOX, maxButtons: 1 }]) {
    assert.deepEqual(createButtons(createPrompt(3), browser), [ANSWER_ACTION]);
    assert.deepEqual(createButtons(createPrompt(2, { allowsText: true }), browser), [
      ANSWER_ACTION,
    ]);
  }
});

test("a text is an answer in the notification where the browser can take one", () => {
  const prompt = createPrompt(1, { allowsText: true });
  const textButton = { ...ANSWER_ACTION, type: "text" };
  assert.deepEqual(createButtons(prompt, CHROMIUM), [CHOICES[0], textButton]);
  assert.deepEqual(createButtons(prompt, FIREFOX), [CHOICES[0], ANSWER_ACTION]);
});

test("a browser never gets more buttons than it shows", () => {
  for (let maxButtons = 0; maxButtons <= 4; maxButtons += 1) {
    for (let count = 0; count <= 6; count += 1) {
      for (const allowsText of [false, true]) {
        const prompt = createPrompt(count, { allowsText });
        const buttons = createButtons(prompt, { maxButtons, hasTextButtons: true });
        assert.ok(buttons.length <= maxButtons);
      }
    }
  }
  assert.deepEqual(createButtons(createPrompt(2), SAFARI), []);
});
