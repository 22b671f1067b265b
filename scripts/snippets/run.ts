import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../child.mjs";
import { differences } from "./answers.ts";
import type { Fence } from "./fences.ts";
import { parseJson } from "./judge.ts";
import type { Fixture } from "./stage.ts";

/** Blocks that do the same in several languages, and the answer that they share. */
interface Example {
  readonly blocks: Fence[];
  /** Null if the document shows no answer. */
  answer: Fence | null;
}

const TIMEOUT_MS = 60_000;
/** URLs that stand for the reader's server in documents. */
const SERVERS = ["http://localhost:8080", "https://push.example.org"];

/** Programs that run a block, by its language. */
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  sh: ["bash", "-euo", "pipefail", "-c"],
  js: [process.execPath, "--input-type=module", "--eval"],
  python: ["python3", "-c"],
};

/** Runs the runnable blocks of a document, compares their output with the answers in the document, and returns the problems. */
export async function runFences(
  fences: readonly Fence[],
  fixture: Fixture,
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const example of groupExamples(fences))
    problems.push(...(await checkExample(example, fixture)));
  return problems;
}

function groupExamples(fences: readonly Fence[]): readonly Example[] {
  const examples: Example[] = [];
  for (const [index, fence] of fences.entries()) {
    const last = examples.at(-1);
    const isOpen = last !== undefined && last.answer === null;
    if (fence.attributes.answer) {
      if (isOpen) last.answer = fence;
      else examples.push({ blocks: [], answer: fence });
    } else if (isOpen && isAdjacent(fences[index - 1], fence)) last.blocks.push(fence);
    else examples.push({ blocks: [fence], answer: null });
  }
  return examples;
}

/** Returns whether two blocks are tabs of one group, with nothing between them. */
function isAdjacent(before: Fence | undefined, fence: Fence): boolean {
  if (before === undefined) return false;
  const end = before.line + before.text.split("\n").length + 1;
  return fence.line <= end + 2;
}

async function checkExample(
  { blocks, answer }: Example,
  fixture: Fixture,
): Promise<readonly string[]> {
  if (blocks.length === 0 && answer !== null) {
    return withLocation(answer, ["no block with run is before this answer"]);
  }
  const problems: string[] = [];
  for (const fence of blocks) {
    if (fence.attributes.request !== null) {
      problems.push(...withLocation(fence, await sendRequest(fence, fixture)));
      continue;
    }
    const result = await runBlock(fence, fixture);
    if (result.problem !== null) problems.push(...withLocation(fence, [result.problem]));
    else if (answer === null)
      problems.push(...withLocation(fence, refusalProblems(result.printed)));
    else problems.push(...withLocation(answer, compare(result.printed, { fence, answer })));
  }
  return problems;
}

function withLocation({ file, line }: Fence, problems: readonly string[]): readonly string[] {
  return problems.map((problem) => `${file}:${line}: ${problem}`);
}

/** The output of a block, and its problems. */
interface BlockResult {
  readonly printed: string;
  readonly problem: string | null;
}

async function runBlock(fence: Fence, fixture: Fixture): Promise<BlockResult> {
  const script = fillIn(fence.text, fixture);
  const [placeholder] = /<[A-Z][A-Z_]+>/u.exec(script) ?? [];
  if (placeholder !== undefined) {
    const placeholders = Object.keys(fixture.values).join(", ");
    return {
      printed: "",
      problem: `nothing stands for ${placeholder}; the placeholders are ${placeholders}`,
    };
  }
  const [program = "", ...args] = PROGRAMS[fence.language] ?? [];
  const folder = await mkdtemp(join(tmpdir(), "tocsin-snippet-"));
  try {
    const { code, output } = await run(program, [...args, silenceCurl(script)], {
      cwd: folder,
      env: { PATH: process.env["PATH"], HOME: folder, TOCSIN_URL: fixture.url },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: TIMEOUT_MS,
    });
    const problem = code === 0 ? null : `it ended with ${code}: ${output.trim()}`;
    return { printed: output, problem };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Turns off curl's progress bar. */
function silenceCurl(script: string): string {
  return script.replaceAll(/\bcurl (?=\S)/gu, "curl --silent --show-error ");
}

function fillIn(text: string, { url, values }: Fixture): string {
  const withServer = SERVERS.reduce((all, server) => all.replaceAll(server, url), text);
  return Object.entries(values).reduce(
    (all, [name, value]) => all.replaceAll(name, value),
    withServer,
  );
}

function compare(
  printed: string,
  { fence, answer }: { readonly fence: Fence; readonly answer: Fence },
): readonly string[] {
  const [actual] = parseJson(printed) ?? [];
  if (actual === undefined) return [`line ${fence.line} printed no JSON, but: ${printed.trim()}`];
  const [shown] = parseJson(answer.text) ?? [];
  return differences(shown, actual).map((text) => `really (line ${fence.line}), ${text}`);
}

/** Returns a problem if a block without an answer in the document was refused. */
function refusalProblems(printed: string): readonly string[] {
  const [actual] = parseJson(printed) ?? [];
  const isRefused =
    typeof actual === "object" && actual !== null && "success" in actual && !actual.success;
  return isRefused ? [`it is answered with ${JSON.stringify(actual)}`] : [];
}

async function sendRequest(fence: Fence, fixture: Fixture): Promise<readonly string[]> {
  const [method = "", path = ""] = (fence.attributes.request ?? "").split(" ");
  const bodies = parseJson(fillIn(fence.text, fixture)) ?? [];
  const answers = bodies.map(async (body) => {
    const answer = await fetch(fixture.url + fillIn(path, fixture), {
      method,
      headers: {
        "content-type": "application/json",
        "x-api-key": fixture.values["<API_KEY>"] ?? "",
        authorization: `Bearer ${fixture.values["<ACCESS_TOKEN>"]}`,
      },
      body: JSON.stringify(body),
    });
    return answer.ok ? [] : [`${method} ${path} is answered with ${await answer.text()}`];
  });
  return (await Promise.all(answers)).flat();
}
