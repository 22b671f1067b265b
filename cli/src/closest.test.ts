import assert from "node:assert/strict";
import { test } from "node:test";
import { closest } from "./closest.ts";
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

test("a word with few typos is found: a letter missing, added, wrong, or two swapped", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["channell", "channel"],
    ["chanel", "channel"],
    ["chennel", "channel"],
    ["sonud", "sound"],
    ["JSON", "json"],
    ["timesensitive", "time-sensitive"],
    ["time_sensitive", "time-sensitive"],
    ["tll", "ttl"],
  ];
  for (const [typed, meant] of cases) assert.equal(closest(typed, OPTIONS), meant, typed);
});

test("a prefix finds its word if it is the only one, and none otherwise", () => {
  assert.equal(closest("time", OPTIONS), "time-sensitive");
  assert.equal(closest("in", ["invite", "insert"]), null);
});

test("a different word, an empty one, and a long one match nothing", () => {
  for (const typed of ["frob", "", "-", "verbose", "channel".repeat(100)]) {
    assert.equal(closest(typed, OPTIONS), null, typed);
  }
});

test("every command is its own closest match", () => {
  const names = DESCRIPTIONS.map(({ name }) => name);
  for (const name of names) assert.equal(closest(name, names), name);
});
