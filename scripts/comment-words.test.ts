import assert from "node:assert/strict";
import test from "node:test";
import { findWordProblems } from "./comment-words.ts";
import { readSource } from "./source.ts";

const findProblemsIn = (path: string, text: string) => findWordProblems([readSource(path, text)]);

test("a comment that begins with a pronoun is reported with its line", () => {
  const text = [
    "/** What is sent. */",
    "const a = 1; // Who sends it",
    "",
    "// Whoever asks,",
    "// and whose turn it is.",
    "/**",
    " * Those of a team.",
    " */",
    "const b = `// What`; // The one who asks.",
    "// What's more, and Whosoever.",
    "",
    "/* Whatsoever */",
  ];
  assert.deepEqual(
    findProblemsIn("cli/a.tsx", text.join("\n")).map((line) => line.replace(/": .*/u, '"')),
    [
      'cli/a.tsx:1 begins with "What"',
      'cli/a.tsx:2 begins with "Who"',
      'cli/a.tsx:4 begins with "Whoever"',
      'cli/a.tsx:6 begins with "Those"',
      'cli/a.tsx:10 begins with "What\'s"',
    ],
  );
});

test("a test title that begins with a pronoun is reported with its line", () => {
  const text = [
    'test("what is sent arrives", async (t) => {',
    '  await t.test("Those of a team", () => {});',
    "  test.skip(`whoever ${name}`, SKIP, () => {});",
    "  await t.test(",
    "    'whose device it was',",
    "    () => {},",
    "  );",
    '  assert.ok(/w/u.test("who"));',
    '  test("a person who asks", () => {});',
    '  test("whoso", () => say("what is sent", 1));',
    "});",
  ];
  assert.deepEqual(
    findProblemsIn("cli/a.test.ts", text.join("\n")).map((line) => line.replace(/": .*/u, '"')),
    [
      'cli/a.test.ts:1 begins with "what"',
      'cli/a.test.ts:2 begins with "Those"',
      'cli/a.test.ts:3 begins with "whoever"',
      'cli/a.test.ts:5 begins with "whose"',
    ],
  );
});

test("a word with a standard replacement is reported in comments and names", () => {
  const text = [
    "// The service is nudged: a come-back",
    "const nudgeMax = CROWD_MAX;",
    "class Some { #lookAgain = 1; }",
    "// It is set back, and we look again for very",
    "// many devices.",
    'const index = { send_job_nudge: "nudge" };',
  ];
  assert.deepEqual(findProblemsIn("server/src/a.ts", text.join("\n")), [
    'server/src/a.ts:2 says "nudge": write "half-open probe"',
    'server/src/a.ts:1 says "nudged": write "half-open probe"',
    'server/src/a.ts:2 says "crowd": write "bulk"',
    'server/src/a.ts:4 says "very many": write "bulk"',
    'server/src/a.ts:3 says "look again": write "reconcile"',
  ]);
});

test("a word is reported in file names, and only in the word's folder", () => {
  assert.deepEqual(findProblemsIn("server/bench/support/crowd.ts", ""), [
    'server/bench/support/crowd.ts:1 says "crowd": write "bulk"',
  ]);
  assert.deepEqual(findProblemsIn("console/src/nudge.ts", "// A crowd.\nconst patience = 1;"), []);
});
