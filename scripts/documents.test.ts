import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { ROOT } from "./files.ts";
import { readManifests } from "./packages.ts";
import { parseFences, parseInlineCode, type Fence } from "./snippets/fences.ts";
import { checkFence } from "./snippets/judge.ts";
import { readKnownNames } from "./snippets/known.ts";
import { fileProblems, nameProblems, settingProblems } from "./snippets/names.ts";

const known = readKnownNames();
const deployment = known.files.filter((file) =>
  /^(?:deploy\/.*|compose.*\.yaml|Dockerfile)$/.test(file),
);
const documents = known.files.filter((file) => file.endsWith(".md"));

/** Settings of earlier versions. Only documents about versions may name them. */
const RETIRED = ["TOCSIN_HTTP2_CLIENT"];
const ABOUT_VERSIONS = ["CHANGELOG.md", "docs/upgrade.md"];

test("every block of the documents is run, checked, or has a reason for neither", (t) => {
  const fences = documents.flatMap((file) => parseFences(file, read(file)));
  const problems = fences.flatMap((fence) =>
    withLocation(fence, checkFence(fence, { known, read })),
  );
  assert.deepEqual(problems, [], `\n${problems.join("\n")}`);
  assert.ok(fences.length > 20);
  for (const { file, line, attributes } of fences) {
    if (attributes.uncheckedReason !== null)
      t.diagnostic(`${file}:${line} is only shown: ${attributes.uncheckedReason}`);
  }
});

test("every setting and metric named in documents and deployment files exists", () => {
  const variables = new Set([...known.variables, ...RETIRED]);
  const problems = [...documents, ...deployment].flatMap((file) => {
    const names = ABOUT_VERSIONS.includes(file) ? { ...known, variables } : known;
    return read(file)
      .split("\n")
      .flatMap((text, index) =>
        withLocation({ file, line: index + 1 }, settingProblems(text, names)),
      );
  });
  assert.deepEqual(problems, [], `\n${problems.join("\n")}`);
});

test("every command, script, option and API path that the documents name exists", () => {
  const problems = documents.flatMap((file) => {
    const text = read(file);
    const inlineCode = parseInlineCode(file, text);
    return [
      ...parseFences(file, text).flatMap(lineProblems),
      ...inlineCode.flatMap((code) => withLocation(code, nameProblems(code.text, known))),
      ...inlineCode.flatMap((code) => withLocation(code, fileProblems(code.text, file, known))),
    ];
  });
  assert.deepEqual(problems, [], `\n${problems.join("\n")}`);
});

test("every setting of the server is in docs/configuration.md", () => {
  const named = new Set(read("docs/configuration.md").match(/\bTOCSIN_[A-Z0-9_]*[A-Z0-9]\b/g));
  const missing = [...known.settings].filter((name) => !named.has(name));
  assert.deepEqual(missing, []);
});

test("the image runs the Node that the repository names", () => {
  const { node } = readManifests()["package.json"]?.devDependencies ?? {};
  const images = Array.from(read("Dockerfile").matchAll(/^FROM node:(\S+)/gm), ([, tag]) => tag);
  assert.deepEqual(images, [`${node}-slim`]);
});

/** A command may continue over several lines. */
function lineProblems(fence: Fence): readonly string[] {
  let line = fence.line;
  return fence.text.split(/(?<!\\)\n/u).flatMap((text) => {
    const at = line + 1;
    line += text.split("\n").length;
    const problems = nameProblems(text.replaceAll("\\\n", " "), known);
    return withLocation({ file: fence.file, line: at }, problems);
  });
}

function withLocation(
  { file, line }: { readonly file: string; readonly line: number },
  problems: readonly string[],
): readonly string[] {
  return problems.map((problem) => `${file}:${line}: ${problem}`);
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), "utf8");
}
