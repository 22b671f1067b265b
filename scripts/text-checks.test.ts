import assert from "node:assert/strict";
import { test } from "node:test";
import { findBrokenLinks, findMachinePaths, findMissingDocuments } from "./text-checks.ts";

function createRepository(texts: Readonly<Record<string, string>>) {
  return { files: Object.keys(texts), read: (path: string) => texts[path] ?? "" };
}

test("links to existing files, folders and headings are valid", () => {
  const { files, read } = createRepository({
    "README.md":
      "[a](docs/a.md) [b](docs/) [c](docs/a.md#two-words-it-s) [d](#here) [e](https://example.org/x)\n# Here\n",
    "docs/a.md": "## Two words: it-s!\n[up](../README.md 'title')",
  });
  assert.deepEqual(findBrokenLinks(files, read), []);
});

test("a link to a missing file or heading is reported", () => {
  const { files, read } = createRepository({
    "README.md": "[a](docs/b.md) [b](docs/a.md#nowhere)",
    "docs/a.md": "[c](README.md)",
  });
  assert.deepEqual(findBrokenLinks(files, read), [
    "README.md: nothing is at docs/b.md",
    "README.md: nothing is at docs/a.md#nowhere",
    "docs/a.md: nothing is at README.md",
  ]);
});

test("code that looks like a link is not a link", () => {
  const { files, read } = createRepository({ "a.md": "`[x](y.md)`\n```md\n[x](z.md)\n```\n" });
  assert.deepEqual(findBrokenLinks(files, read), []);
});

test("a folder of a developer's machine is reported with its line", () => {
  const path = ["", "work", "x"].join("/");
  const { files, read } = createRepository({
    "a.ts": `\nconst a = "${path}";`,
    "b.ts": "network/x",
  });
  const problems = findMachinePaths(files, read);
  assert.equal(problems.length, 1);
  assert.match(problems[0] ?? "", /^a\.ts:2 /u);
});

test("a missing standard document is reported", () => {
  assert.deepEqual(
    findMissingDocuments(["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "LICENSE"]),
    ["STYLE.md is missing."],
  );
});
