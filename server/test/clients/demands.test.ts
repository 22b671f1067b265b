import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { DEMANDS } from "./demands.ts";

const TESTS = join(import.meta.dirname, "..");
const DEMAND_COUNT = 28;
const TITLE = /^test\(\s*(?:"([^"]+)"|'([^']+)')/gmu;

/** The titles of the tests of a file that run: what is skipped proves nothing. */
function titlesOf(file: string): ReadonlySet<string> {
  const text = readFileSync(join(TESTS, file), "utf8");
  return new Set(Array.from(text.matchAll(TITLE), ([, double, single]) => double ?? single ?? ""));
}

test("every demand of existing clients is there", () => {
  const numbers = Object.keys(DEMANDS).map(Number);
  assert.deepEqual(
    numbers,
    Array.from({ length: DEMAND_COUNT }, (_, index) => index + 1),
  );
});

for (const [number, { says, tests }] of Object.entries(DEMANDS)) {
  test(`demand ${number} has its tests: ${says}`, () => {
    assert.ok(tests.length > 0);
    for (const name of tests) {
      const file = name.slice(0, name.indexOf(": "));
      assert.ok(titlesOf(file).has(name.slice(file.length + 2)), name);
    }
  });
}
