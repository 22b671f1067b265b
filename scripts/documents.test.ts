import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { ROOT } from "./files.ts";
import { readManifests } from "./packages.ts";
import { parseCodeBlocks, parseInlineCode, type CodeBlock } from "./snippets/code-blocks.ts";
import { checkCodeBlock } from "./snippets/check-code-block.ts";
import { readKnownNames } from "./snippets/known-names.ts";
import { findFileProblems, findNameProblems, findSettingProblems } from "./snippets/names.ts";

const knownNames = readKnownNames();
const deploymentFiles = knownNames.files.filter((file) =>
  /^(?:deploy\/.*|compose.*\.yaml|Dockerfile)$/.test(file),
);
const documentFiles = knownNames.files.filter((file) => file.endsWith(".md"));

/** Settings of earlier versions. Only the changelog and the upgrade guide may name them. */
const RETIRED_SETTINGS = ["TOCSIN_HTTP2_CLIENT"];
const UPGRADE_DOCUMENTS = ["CHANGELOG.md", "docs/upgrade.md"];

test("every code block of the documents is run, checked, or has a reason for neither", (t) => {
  const blocks = documentFiles.flatMap((file) => parseCodeBlocks(file, readText(file)));
  const problems = blocks.flatMap((block) =>
    addLocation(block, checkCodeBlock(block, { knownNames, read: readText })),
  );
  assert.deepEqual(problems, [], `\n${problems.join("\n")}`);
  assert.ok(blocks.length > 20);
  for (const { file, line, attributes } of blocks) {
    if (attributes.uncheckedReason !== null)
      t.diagnostic(`${file}:${line} is not checked: ${attributes.uncheckedReason}`);
  }
});

test("every setting and metric named in documents and deployment files exists", () => {
  const variablesWithRetired = new Set([...knownNames.variables, ...RETIRED_SETTINGS]);
  const problems = [...documentFiles, ...deploymentFiles].flatMap((file) => {
    const names = UPGRADE_DOCUMENTS.includes(file)
      ? { ...knownNames, variables: variablesWithRetired }
      : knownNames;
    return readText(file)
      .split("\n")
      .flatMap((text, index) =>
        addLocation({ file, line: index + 1 }, findSettingProblems(text, names)),
      );
  });
  assert.deepEqual(problems, [], `\n${problems.join("\n")}`);
});

test("every command, script, option and API path that the documents name exists", () => {
  const problems = documentFiles.flatMap((file) => {
    const text = readText(file);
    const inlineCode = parseInlineCode(file, text);
    return [
      ...parseCodeBlocks(file, text).flatMap(findCommandProblems),
      ...inlineCode.flatMap((code) => addLocation(code, findNameProblems(code.text, knownNames))),
      ...inlineCode.flatMap((code) =>
        addLocation(code, findFileProblems(code.text, file, knownNames)),
      ),
    ];
  });
  assert.deepEqual(problems, [], `\n${problems.join("\n")}`);
});

test("every setting of the server is in docs/configuration.md", () => {
  const namedSettings = new Set(
    readText("docs/configuration.md").match(/\bTOCSIN_[A-Z0-9_]*[A-Z0-9]\b/g),
  );
  const missingSettings = [...knownNames.settings].filter((name) => !namedSettings.has(name));
  assert.deepEqual(missingSettings, []);
});

test("the Docker image uses the Node version that package.json pins", () => {
  const { node } = readManifests()["package.json"]?.devDependencies ?? {};
  const imageTags = Array.from(
    readText("Dockerfile").matchAll(/^FROM node:(\S+)/gm),
    ([, tag]) => tag,
  );
  assert.deepEqual(imageTags, [`${node}-slim`]);
});

/** Returns the problems with the commands of a block; a command may continue over several lines. */
function findCommandProblems(block: CodeBlock): readonly string[] {
  let line = block.line;
  return block.text.split(/(?<!\\)\n/u).flatMap((text) => {
    const commandLine = line + 1;
    line += text.split("\n").length;
    const problems = findNameProblems(text.replaceAll("\\\n", " "), knownNames);
    return addLocation({ file: block.file, line: commandLine }, problems);
  });
}

function addLocation(
  { file, line }: { readonly file: string; readonly line: number },
  problems: readonly string[],
): readonly string[] {
  return problems.map((problem) => `${file}:${line}: ${problem}`);
}

function readText(file: string): string {
  return readFileSync(join(ROOT, file), "utf8");
}
