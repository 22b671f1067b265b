import assert from "node:assert/strict";
import { test } from "node:test";
import { holds } from "./palette-words.ts";

test("each word has to stand somewhere in the text", () => {
  for (const query of ["", " ", "fox", "FIRE lin", "on  linux", "u\u0308ber"]) {
    assert.equal(holds("Firefox on Linux, Über", query), true, query);
  }
  for (const query of ["chrome", "fox chrome", "foxon"]) {
    assert.equal(holds("Firefox on Linux", query), false, query);
  }
});
