import assert from "node:assert/strict";
import test from "node:test";
import { findDeadNames } from "./dead-names.ts";
import { readSource } from "./source.ts";

const SOURCES: Readonly<Record<string, string>> = {
  "a.ts":
    'export function readKey() {}\n\n/** Ends what `readKey` and `readKeys()` began. */\nconst a = "oldName";\n',
  "b.tsx":
    "// As `Reader.readAll` does, over `tcp_close` and `word`.\nreadKey(); // `oldName` is a text.\n",
};

test("a comment that names a missing identifier is reported with its line", () => {
  assert.deepEqual(
    findDeadNames(Object.entries(SOURCES).map(([path, text]) => readSource(path, text))),
    ["a.ts:3 names `readKeys`, which no code has", "b.tsx:1 names `readAll`, which no code has"],
  );
});
