import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { CLIENT_REQUIREMENTS } from "./requirements.ts";

const TESTS = join(import.meta.dirname, "..");
const REQUIREMENT_COUNT = 28;
const TITLE = /^test\(\s*(?:"([^"]+)"|'([^']+)')/gmu;

/** Returns the titles of a file's tests, without skipped ones. */
function readTitles(file: string): ReadonlySet<string> {
  const text = readFileSync(join(TESTS, file), "utf8");
  return new Set(Array.from(text.matchAll(TITLE), ([, double, single]) => double ?? single ?? ""));
}

test("every requirement of existing clients is listed", () => {
  const numbers = Object.keys(CLIENT_REQUIREMENTS).map(Number);
  assert.deepEqual(
    numbers,
    Array.from({ length: REQUIREMENT_COUNT }, (_, index) => index + 1),
  );
});

for (const [number, { requirement, tests }] of Object.entries(CLIENT_REQUIREMENTS)) {
  test(`requirement ${number} has tests: ${requirement}`, () => {
    assert.ok(tests.length > 0);
    for (const name of tests) {
      const file = name.slice(0, name.indexOf(": "));
      assert.ok(readTitles(file).has(name.slice(file.length + 2)), name);
    }
  });
}
