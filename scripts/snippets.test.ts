import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { formatCurlCommand } from "../docs/.vitepress/theme/curl-command.ts";
import { ROOT, listSourceFiles } from "./files.ts";
import { findDifferences } from "./snippets/find-differences.ts";
import { parseCodeBlocks, type CodeBlock } from "./snippets/code-blocks.ts";
import { runCodeBlocks } from "./snippets/run.ts";
import { createFixture, startServer } from "./snippets/document-fixture.ts";

const readText = (path: string) => readFileSync(join(ROOT, path), "utf8");

test("every runnable code block of the documents runs, and the responses match the documents", async (t) => {
  const app = await startServer(t);
  const documents = listSourceFiles()
    .filter((file) => file.endsWith(".md"))
    .map((file) => parseCodeBlocks(file, readText(file)).filter(isRunOrCompared))
    .filter((blocks) => blocks.some(isExecuted));
  const problems: string[] = [];
  for (const [index, blocks] of documents.entries()) {
    problems.push(...(await runCodeBlocks(blocks, await createFixture(app, `Ann${index}`))));
  }
  assert.deepEqual(problems, [], `\n${problems.join("\n")}`);
  t.diagnostic(
    `${documents.flat().filter(isExecuted).length} blocks of ${documents.length} documents`,
  );
});

test("the commands that the site's form builds send quotes, shell syntax and line breaks unchanged", async (t) => {
  const fixture = await createFixture(await startServer(t), "Ann");
  const key = fixture.values["<API_KEY>"] ?? "";
  const hostileText = `it's "5 > 4" & $HOME \`id\` \\ !! ü\n%0a`;
  const fields = {
    server: `${fixture.url}/`,
    key,
    title: hostileText,
    body: hostileText,
    channel: "",
    sound: "",
  };
  const blocks = [
    formatCurlCommand({ ...fields, isAsync: false }),
    formatCurlCommand({ ...fields, channel: "a-1", sound: "pop", isAsync: true }),
  ].map((text, index) => createBlock("sh", index, text));
  assert.deepEqual(await runCodeBlocks(blocks, fixture), []);
  const response = await fetch(`${fixture.url}/api/app/v1/feed`, {
    headers: { authorization: `Bearer ${fixture.values["<ACCESS_TOKEN>"]}` },
  });
  const { items } = (await response.json()) as {
    readonly items: readonly { readonly body: string }[];
  };
  assert.deepEqual(
    items.map(({ body }) => body),
    [hostileText, hostileText, "of all"],
  );
});

test("a response that differs in a word, a field or an element is reported", async (t) => {
  const documented = {
    success: true,
    at: "2026-11-22T10:00:00.000Z",
    id: "<id>",
    list: [{ a: 1 }],
  };
  const actual = { ...documented, at: "2027-01-01T00:00:00.000Z", id: "x" };
  assert.deepEqual(findDifferences(documented, actual), []);
  assert.deepEqual(findDifferences(documented, { ...actual, success: false }), [
    "success is false, not true",
  ]);
  assert.deepEqual(findDifferences(documented, { ...actual, more: 1 }), [
    "more is only in the real response",
  ]);
  assert.deepEqual(findDifferences(documented, { ...actual, list: [] }), [
    "list has 0 elements, not 1",
  ]);
  const { id: _, ...incomplete } = actual;
  assert.deepEqual(findDifferences(documented, incomplete), ["id is only in the document"]);
  assert.deepEqual(findDifferences(documented, { ...actual, list: [{ a: 2 }] }), [
    "list[0].a is 2, not 1",
  ]);

  const fixture = await createFixture(await startServer(t), "Bo");
  const blocks = [
    createBlock("sh", 0, `curl ${fixture.url}/healthz`),
    createResponseBlock(9, "{}"),
  ];
  assert.match(
    (await runCodeBlocks(blocks, fixture)).join("\n"),
    /a\.md:9: the real response to line 0 differs: /,
  );
});

function isRunOrCompared({ attributes }: CodeBlock): boolean {
  return attributes.run === true || attributes.answer || attributes.request !== null;
}

function isExecuted({ attributes }: CodeBlock): boolean {
  return attributes.run === true || attributes.request !== null;
}

/** Creates a block with the attribute `run`. */
function createBlock(language: string, line: number, text: string): CodeBlock {
  const attributes = { ...NO_ATTRIBUTES, run: true as const };
  return { file: "a.md", line, language, attributes, text };
}

/** Creates a block with the attribute `answer`: a documented response. */
function createResponseBlock(line: number, text: string): CodeBlock {
  return {
    file: "a.md",
    line,
    language: "json",
    attributes: { ...NO_ATTRIBUTES, answer: true },
    text,
  };
}

const NO_ATTRIBUTES = {
  run: null,
  answer: false,
  request: null,
  uncheckedReason: null,
  unknown: [],
};
