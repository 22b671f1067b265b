import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../child.mjs";
import { findDifferences } from "./find-differences.ts";
import type { CodeBlock } from "./code-blocks.ts";
import { parseJsonValues } from "./parse-json-values.ts";
import type { DocumentFixture } from "./document-fixture.ts";

/** Blocks that do the same in several languages, and the response that they share. */
interface Example {
  readonly blocks: CodeBlock[];
  /** The block with the response; null if the document shows none. */
  expected: CodeBlock | null;
}

const BLOCK_TIMEOUT_MS = 60_000;
/** URLs that stand for the reader's server in documents. */
const SERVER_URLS = ["http://localhost:8080", "https://push.example.org"];

/** Programs that run a block, by its language. */
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  sh: ["bash", "-euo", "pipefail", "-c"],
  js: [process.execPath, "--input-type=module", "--eval"],
  python: ["python3", "-c"],
};

/**
 * Runs the runnable blocks of a document, compares their output with the responses in the document, and returns the
 * problems.
 */
export async function runCodeBlocks(
  blocks: readonly CodeBlock[],
  fixture: DocumentFixture,
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const example of groupExamples(blocks))
    problems.push(...(await checkExample(example, fixture)));
  return problems;
}

function groupExamples(blocks: readonly CodeBlock[]): readonly Example[] {
  const examples: Example[] = [];
  for (const [index, block] of blocks.entries()) {
    const currentExample = examples.at(-1);
    const isOpen = currentExample !== undefined && currentExample.expected === null;
    if (block.attributes.answer) {
      if (isOpen) currentExample.expected = block;
      else examples.push({ blocks: [], expected: block });
    } else if (isOpen && isAdjacent(blocks[index - 1], block)) currentExample.blocks.push(block);
    else examples.push({ blocks: [block], expected: null });
  }
  return examples;
}

/** Returns whether two blocks are tabs of one group, with nothing between them. */
function isAdjacent(before: CodeBlock | undefined, block: CodeBlock): boolean {
  if (before === undefined) return false;
  const closingFenceLine = before.line + before.text.split("\n").length + 1;
  // At most one empty line is between tabs.
  return block.line <= closingFenceLine + 2;
}

async function checkExample(
  { blocks, expected }: Example,
  fixture: DocumentFixture,
): Promise<readonly string[]> {
  if (blocks.length === 0 && expected !== null) {
    return addLocation(expected, ["no block with the attribute run precedes this response"]);
  }
  const problems: string[] = [];
  for (const block of blocks) {
    if (block.attributes.request !== null) {
      problems.push(...addLocation(block, await sendRequest(block, fixture)));
      continue;
    }
    const result = await runBlock(block, fixture);
    if (result.problem !== null) problems.push(...addLocation(block, [result.problem]));
    else if (expected === null) problems.push(...addLocation(block, findRefusal(result.output)));
    else
      problems.push(...addLocation(expected, compareResponses(result.output, { block, expected })));
  }
  return problems;
}

function addLocation({ file, line }: CodeBlock, problems: readonly string[]): readonly string[] {
  return problems.map((problem) => `${file}:${line}: ${problem}`);
}

/** The output of a block, and its problem; null if it ended with 0. */
interface BlockResult {
  readonly output: string;
  readonly problem: string | null;
}

async function runBlock(block: CodeBlock, fixture: DocumentFixture): Promise<BlockResult> {
  const script = fillInPlaceholders(block.text, fixture);
  const [placeholder] = /<[A-Z][A-Z_]+>/u.exec(script) ?? [];
  if (placeholder !== undefined) {
    const placeholders = Object.keys(fixture.values).join(", ");
    return {
      output: "",
      problem: `${placeholder} has no value; the known placeholders are ${placeholders}`,
    };
  }
  const [program = "", ...args] = PROGRAMS[block.language] ?? [];
  const folder = await mkdtemp(join(tmpdir(), "tocsin-snippet-"));
  try {
    const { code, output } = await run(program, [...args, silenceCurl(script)], {
      cwd: folder,
      env: { PATH: process.env["PATH"], HOME: folder, TOCSIN_URL: fixture.url },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: BLOCK_TIMEOUT_MS,
    });
    const problem = code === 0 ? null : `it exited with code ${code}: ${output.trim()}`;
    return { output, problem };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Turns off curl's progress bar. */
function silenceCurl(script: string): string {
  return script.replaceAll(/\bcurl (?=\S)/gu, "curl --silent --show-error ");
}

function fillInPlaceholders(text: string, { url, values }: DocumentFixture): string {
  const textWithServerUrl = SERVER_URLS.reduce(
    (filledText, server) => filledText.replaceAll(server, url),
    text,
  );
  return Object.entries(values).reduce(
    (filledText, [name, value]) => filledText.replaceAll(name, value),
    textWithServerUrl,
  );
}

function compareResponses(
  output: string,
  { block, expected }: { readonly block: CodeBlock; readonly expected: CodeBlock },
): readonly string[] {
  const [actual] = parseJsonValues(output) ?? [];
  if (actual === undefined)
    return [`line ${block.line} printed this instead of JSON: ${output.trim()}`];
  const [documented] = parseJsonValues(expected.text) ?? [];
  return findDifferences(documented, actual).map(
    (text) => `the real response to line ${block.line} differs: ${text}`,
  );
}

/** Returns a problem if the server refused the request of a block without a response in the document. */
function findRefusal(output: string): readonly string[] {
  const [actual] = parseJsonValues(output) ?? [];
  const isRefused =
    typeof actual === "object" && actual !== null && "success" in actual && !actual.success;
  return isRefused ? [`the server refuses it with ${JSON.stringify(actual)}`] : [];
}

async function sendRequest(block: CodeBlock, fixture: DocumentFixture): Promise<readonly string[]> {
  const [method = "", path = ""] = (block.attributes.request ?? "").split(" ");
  const bodies = parseJsonValues(fillInPlaceholders(block.text, fixture)) ?? [];
  const checks = bodies.map(async (body) => {
    const response = await fetch(fixture.url + fillInPlaceholders(path, fixture), {
      method,
      headers: {
        "content-type": "application/json",
        "x-api-key": fixture.values["<API_KEY>"] ?? "",
        authorization: `Bearer ${fixture.values["<ACCESS_TOKEN>"]}`,
      },
      body: JSON.stringify(body),
    });
    return response.ok ? [] : [`${method} ${path} is answered with ${await response.text()}`];
  });
  return (await Promise.all(checks)).flat();
}
