import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { ROOT } from "./files.ts";
import { readSource } from "./source.ts";

const readComments = (text: string, path = "a.ts") => readSource(path, text).comments;

test("a string, template or regex that looks like a comment is not a comment", () => {
  const texts = [
    'const a = "→ http://one"; // one',
    "const b = `http://${`// ${1 /* two */}`} /* no */`;",
    "const c = /[/*]\\/\\/ \"/.test('//') ? /* three */ 1 / 2 : 3 / 4; // four",
    "const d = a < 1 / 2 && '/*' > b;",
  ];
  assert.deepEqual(
    readComments(texts.join("\n")).map(({ text, line }) => `${line} ${text}`),
    ["1 one", "2 two", "3 three", "3 four"],
  );
});

test("consecutive line comments are one comment; a comment next to code is separate", () => {
  const text =
    "// One\n  // goes on.\n\n// Two\nconst a = 1; // three\n// four\n/** Five\n * goes on. */\n";
  assert.deepEqual(readComments(text), [
    { text: "One goes on.", line: 1 },
    { text: "Two", line: 4 },
    { text: "three", line: 5 },
    { text: "four", line: 6 },
    { text: "Five goes on.", line: 7 },
  ]);
});

test("a comment between JSX elements is found, and JSX text is not a comment", () => {
  const text = "const a = <p>// text {/* One */} http://b</p>;";
  assert.deepEqual(readComments(text, "a.tsx"), [{ text: "One", line: 1 }]);
});

test("comments are found in files that confuse simple tokenizers", () => {
  for (const [path, count, last] of [
    [
      "scripts/command-line-page.ts",
      4,
      "Matches a fenced block of text that begins with a call of help.",
    ],
    [
      "scripts/snippets/shell.ts",
      4,
      "Returns the commands of a script, without quoted texts and here-documents, which may contain anything.",
    ],
  ] as const) {
    const comments = readComments(readFileSync(join(ROOT, path), "utf8"));
    assert.equal(comments.length, count, path);
    assert.equal(comments.at(-1)?.text, last);
  }
});

test("code without its comments keeps its positions", () => {
  const { code } = readSource("a.ts", 'const a = "/*"; /* one\n two */ const b = 1; // three');
  assert.equal(code, 'const a = "/*";       \n        const b = 1;         ');
});

test("types, names and imports are read from the code", () => {
  const source = readSource(
    "a.ts",
    `import { type A } from "./b.ts";
export * from "#c/d.ts";
type T = import("./e.ts").E;
export interface I { readonly field: string }
export class C { #own = await import("node:fs"); }
declare module "fastify" { interface Merged { a: 1 } }
function local() { type Inner = T; return import(name) as Inner; }`,
  );
  assert.deepEqual(source.types, ["T", "I", "C"]);
  assert.deepEqual(source.imports.toSorted(), ["#c/d.ts", "./b.ts", "./e.ts", "node:fs"]);
  const lines = new Map(source.names.map(({ name, line }) => [name, line]));
  assert.deepEqual(
    ["A", "E", "field", "own", "Inner"].map((name) => lines.get(name)),
    [1, 3, 4, 5, 7],
  );
});

test("the error for an unparsable source names the file", () => {
  assert.throws(() => readSource("a.ts", "const = 1;"), /^Error: a\.ts cannot be parsed/u);
});
