import assert from "node:assert/strict";
import { test } from "node:test";
import { findClosestWord } from "./closest-word.ts";
import { DESCRIPTIONS } from "./descriptions.ts";

const OPTIONS = [
  "channel",
  "sound",
  "link",
  "image",
  "time-sensitive",
  "ttl",
  "json",
  "key",
  "url",
];

test("a missing, extra, wrong or swapped letter still finds the word", () => {
  const cases: readonly (readonly [typed: string, meant: string])[] = [
    ["channell", "channel"],
    ["chanel", "channel"],
    ["chennel", "channel"],
    ["sonud", "sound"],
    ["JSON", "json"],
    ["timesensitive", "time-sensitive"],
    ["time_sensitive", "time-sensitive"],
    ["tll", "ttl"],
  ];
  for (const [typed, meant] of cases) assert.equal(findClosestWord(typed, OPTIONS), meant, typed);
});

test("a prefix finds a word only if no other word has the prefix", () => {
  assert.equal(findClosestWord("time", OPTIONS), "time-sensitive");
  assert.equal(findClosestWord("in", ["invite", "insert"]), null);
});

test("unrelated, empty and very long words match nothing", () => {
  for (const typed of ["frob", "", "-", "verbose", "channel".repeat(100)]) {
    assert.equal(findClosestWord(typed, OPTIONS), null, typed);
  }
});

test("every command is its own closest match", () => {
  const names = DESCRIPTIONS.map(({ name }) => name);
  for (const name of names) assert.equal(findClosestWord(name, names), name);
});
