import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { ROOT } from "./files.ts";
import { readManifests } from "./packages.ts";
import { fencesOf, spansOf, type Fence } from "./snippets/fences.ts";
import { judge } from "./snippets/judge.ts";
import { readKnown } from "./snippets/known.ts";
import { wrongFiles, wrongNames, wrongSettings } from "./snippets/names.ts";

const known = readKnown();
const deployment = known.files.filter((file) =>
  /^(?:deploy\/.*|compose.*\.yaml|Dockerfile)$/.test(file),
);
const documents = known.files.filter((file) => file.endsWith(".md"));

/** Settings that earlier versions read. Only documents about versions may name them. */
const RETIRED = ["TOCSIN_HTTP2_CLIENT"];
const ABOUT_VERSIONS = ["CHANGELOG.md", "docs/upgrade.md"];

test("every block of the documents is run, checked, or says why it is only shown", (t) => {
  const fences = documents.flatMap((file) => fencesOf(file, read(file)));
  const problems = fences.flatMap((fence) => tell(fence, judge(fence, { known, read })));
  assert.deepEqual(problems, [], `\n${problems.join("\n")}`);
  assert.ok(fences.length > 20);
  for (const { file, line, marks } of fences) {
    if (marks.shown !== null) t.diagnostic(`${file}:${line} is only shown: ${marks.shown}`);
  }
});

test("every setting and metric that the documents and the deployment name is read or measured", () => {
  const variables = new Set([...known.variables, ...RETIRED]);
  const problems = [...documents, ...deployment].flatMap((file) => {
    const names = ABOUT_VERSIONS.includes(file) ? { ...known, variables } : known;
    return read(file)
      .split("\n")
      .flatMap((text, index) => tell({ file, line: index + 1 }, wrongSettings(text, names)));
  });
  assert.deepEqual(problems, [], `\n${problems.join("\n")}`);
});

test("every command, script, option and address of ours that the documents name is there", () => {
  const problems = documents.flatMap((file) => {
    const text = read(file);
    const spans = spansOf(file, text);
    return [
      ...fencesOf(file, text).flatMap(wrongLines),
      ...spans.flatMap((span) => tell(span, wrongNames(span.text, known))),
      ...spans.flatMap((span) => tell(span, wrongFiles(span.text, file, known))),
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

/** A command may go on over several lines. */
function wrongLines(fence: Fence): readonly string[] {
  let line = fence.line;
  return fence.text.split(/(?<!\\)\n/u).flatMap((text) => {
    const at = line + 1;
    line += text.split("\n").length;
    const problems = wrongNames(text.replaceAll("\\\n", " "), known);
    return tell({ file: fence.file, line: at }, problems);
  });
}

function tell(
  { file, line }: { readonly file: string; readonly line: number },
  problems: readonly string[],
): readonly string[] {
  return problems.map((problem) => `${file}:${line}: ${problem}`);
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), "utf8");
}
