import assert from "node:assert/strict";
import { test } from "node:test";
import { parseTokenLabel } from "./account.ts";

test("the label of a token is a line of at most 100 characters", () => {
  for (const [body, label] of [
    ["", ""],
    ["{}", ""],
    ['{"label":null,"expires":0}', ""],
    ['{"Label":" Home\\nAssistant "}', "Home Assistant"],
    [`{"label":"${"x".repeat(101)}"}`, "x".repeat(100)],
  ] as const) {
    assert.equal(parseTokenLabel(Buffer.from(body)), label, body);
  }
});

test("a body that is no JSON object, or a label that is no text, is refused with 40024", () => {
  for (const body of ["{", "[]", "1", '{"label":1}']) {
    assert.throws(() => parseTokenLabel(Buffer.from(body)), { ntfyCode: 40024 }, body);
  }
});
