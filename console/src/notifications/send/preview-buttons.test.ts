import assert from "node:assert/strict";
import { test } from "node:test";
import { EMPTY_DRAFT } from "./draft.ts";
import { getActReason, listButtonLabels, type DraftWithButtons } from "./preview-buttons.ts";

const list = (fields: Partial<DraftWithButtons>) =>
  listButtonLabels({ ...EMPTY_DRAFT, ...fields }, "Answer");

test("a draft without a prompt and below the priority of an emergency has no button", () => {
  assert.deepEqual(list({ priority: "high" }), []);
  assert.equal(getActReason({ ...EMPTY_DRAFT, priority: "high" }), null);
});

test("a prompt has its choices as buttons, or one button if a browser cannot show them all", () => {
  assert.deepEqual(list({ choices: "yes\n\nno" }), ["yes", "no"]);
  assert.deepEqual(list({ choices: "yes\nno\nlater" }), ["Answer"]);
  assert.deepEqual(list({ choices: "yes\nno", allowText: true }), ["Answer"]);
  assert.deepEqual(list({ allowText: true }), ["Answer"]);
});

test("an emergency has a button to acknowledge, unless it has a prompt", () => {
  assert.deepEqual(list({ priority: "emergency" }), ["Acknowledge"]);
  assert.deepEqual(list({ priority: "emergency", choices: "yes\nno" }), ["yes", "no"]);
  const draft = { ...EMPTY_DRAFT, priority: "emergency" };
  assert.equal(getActReason(draft), "incident");
  assert.equal(getActReason({ ...draft, allowText: true }), "prompt");
});

test("a link that a click opens leaves a button for the details if there is room", () => {
  const link = "https://example.org/disk";
  assert.deepEqual(list({ link }), ["Details"]);
  assert.deepEqual(list({ link, priority: "emergency" }), ["Acknowledge", "Details"]);
  assert.deepEqual(list({ link, choices: "yes\nno" }), ["yes", "no"]);
  assert.deepEqual(list({ link: "tel:112" }), []);
  assert.deepEqual(list({ link: "https:" }), []);
});
