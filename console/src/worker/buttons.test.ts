import assert from "node:assert/strict";
import { test } from "node:test";
import { addDetails, ANSWER_ID, createButtons, DETAILS_ACTION } from "./buttons.ts";

const answerLabel = "Antworten";
const CHROMIUM = { maxButtons: 2, hasTextButtons: true, answerLabel };
const FIREFOX = { maxButtons: 2, hasTextButtons: false, answerLabel };
const SAFARI = { maxButtons: 0, hasTextButtons: false, answerLabel };
const PAGE_BUTTON = { action: ANSWER_ID, title: answerLabel };
const TEXT_BUTTON = { ...PAGE_BUTTON, type: "text" } as const;

/** Returns a prompt with this many choices, as a push message has it. */
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

test("answers that do not all fit become one button that opens the page", () => {
  for (const browser of [CHROMIUM, FIREFOX, { ...FIREFOX, maxButtons: 1 }]) {
    assert.deepEqual(createButtons(createPrompt(3), browser), [PAGE_BUTTON]);
    const prompt = createPrompt(2, { allowsText: true });
    assert.deepEqual(createButtons(prompt, browser), [PAGE_BUTTON]);
  }
});

test("a text can be entered in the notification if the browser supports that", () => {
  const prompt = createPrompt(1, { allowsText: true });
  assert.deepEqual(createButtons(prompt, CHROMIUM), [CHOICES[0], TEXT_BUTTON]);
  assert.deepEqual(createButtons(prompt, FIREFOX), [CHOICES[0], PAGE_BUTTON]);
  const textPrompt = createPrompt(0, { allowsText: true });
  assert.deepEqual(createButtons(textPrompt, CHROMIUM), [TEXT_BUTTON]);
  assert.deepEqual(createButtons(textPrompt, FIREFOX), [PAGE_BUTTON]);
});

test("the details button comes last, and never beside a button that opens the same page", () => {
  assert.deepEqual(addDetails([], FIREFOX), [DETAILS_ACTION]);
  assert.deepEqual(addDetails([CHOICES[0]], FIREFOX), [CHOICES[0], DETAILS_ACTION]);
  assert.deepEqual(addDetails([TEXT_BUTTON], CHROMIUM), [TEXT_BUTTON, DETAILS_ACTION]);
  for (const buttons of [CHOICES, [PAGE_BUTTON]]) {
    assert.deepEqual(addDetails(buttons, FIREFOX), buttons);
  }
  assert.deepEqual(addDetails([], SAFARI), []);
});

test("createButtons never returns more buttons than the browser shows", () => {
  for (let maxButtons = 0; maxButtons <= 4; maxButtons += 1) {
    for (let count = 0; count <= 6; count += 1) {
      for (const allowsText of [false, true]) {
        const prompt = createPrompt(count, { allowsText });
        const buttons = createButtons(prompt, { ...CHROMIUM, maxButtons });
        assert.ok(buttons.length <= maxButtons);
      }
    }
  }
  assert.deepEqual(createButtons(createPrompt(2), SAFARI), []);
});
