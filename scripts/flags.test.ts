import assert from "node:assert/strict";
import test from "node:test";
import { countOf, valueOf } from "./flags.ts";

test("a flag's value follows its name, and the first flag wins", () => {
  const args = ["NAME", "--only=b", "--on=a=b", "--on=c"];
  assert.equal(valueOf("on", args), "a=b");
  assert.equal(valueOf("nodes", args), undefined);
});

test("a count is a whole number above 0, or the fallback if none is given", () => {
  const count = (...args: readonly string[]) => countOf("rounds", { args, fallback: 5 });
  assert.equal(count("--rounds=20", "--size=1"), 20);
  assert.equal(count("--size=1"), 5);
  for (const value of ["", "0", "-1", "1.5", "many"])
    assert.equal(count(`--rounds=${value}`), null);
});
