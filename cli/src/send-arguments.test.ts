import assert from "node:assert/strict";
import { test } from "node:test";
import { createFullContent } from "../../server/test/support/full-content.ts";
import { OPTIONAL_FIELDS, toOptionName } from "./descriptions/content-options.ts";
import { parseSendArguments } from "./send-arguments.ts";

test("every field of a notification has an option", () => {
  const { title, body, ...optional } = createFullContent();
  const options = OPTIONAL_FIELDS.flatMap((name) => {
    const option = `--${toOptionName(name)}`;
    const value = optional[name];
    return typeof value === "string" ? [option, value] : [option];
  });
  const parsed = parseSendArguments([title, body, ...options]);
  assert.deepEqual([parsed.body, parsed.fields], [body, { title, ...optional }]);
});

test("a field without its option is null or false", () => {
  const { fields } = parseSendArguments(["Disk full"]);
  assert.ok(OPTIONAL_FIELDS.every((name) => fields[name] === null || fields[name] === false));
});
