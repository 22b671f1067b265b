import assert from "node:assert/strict";
import test from "node:test";
import { findUnknownFlag, parseCountFlag, findFlagValue } from "./flags.ts";

test("a flag's value follows its name, and the first flag wins", () => {
  const args = ["NAME", "--only=b", "--on=a=b", "--on=c"];
  assert.equal(findFlagValue("on", args), "a=b");
  assert.equal(findFlagValue("nodes", args), undefined);
});

test("a count flag is a positive integer; it defaults to the fallback, and is null if invalid", () => {
  const parseRounds = (...args: readonly string[]) =>
    parseCountFlag("rounds", { args, fallback: 5 });
  assert.equal(parseRounds("--rounds=20", "--size=1"), 20);
  assert.equal(parseRounds("--size=1"), 5);
  for (const value of ["", "0", "-1", "1.5", "many"])
    assert.equal(parseRounds(`--rounds=${value}`), null);
});

test("an unknown flag is found by its name, and other arguments are not flags", () => {
  assert.equal(findUnknownFlag(["P1", "--rounds=3", "--json"], ["rounds", "json"]), undefined);
  for (const flag of ["--round=3", "--help", "-h"])
    assert.equal(findUnknownFlag(["P1", "--json", flag], ["rounds", "json"]), flag);
});
