import assert from "node:assert/strict";
import { test } from "node:test";
import { containsWords } from "./contains-words.ts";

test("every word of the query must occur in the text", () => {
  for (const query of ["", " ", "fox", "FIRE lin", "on  linux", "u\u0308ber"]) {
    assert.equal(containsWords("Firefox on Linux, Über", query), true, query);
  }
  for (const query of ["chrome", "fox chrome", "foxon"]) {
    assert.equal(containsWords("Firefox on Linux", query), false, query);
  }
});
