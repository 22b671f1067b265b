import assert from "node:assert/strict";
import { test } from "node:test";
import { isBlank } from "./display-title.ts";

test("a title without visible characters is blank", () => {
  for (const title of ["", " \n\t", "\u00A0\u2003", "\u200B\uFEFF\u200E\u202E", "\u00AD"]) {
    assert.equal(isBlank(title), true, JSON.stringify(title));
  }
  for (const title of ["a", " 0 ", "\u200B!", "👍"]) assert.equal(isBlank(title), false, title);
});
