import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../child.mjs";
import { differences } from "./answers.ts";
import type { Fence } from "./fences.ts";
import { parseJson } from "./judge.ts";
import type { Stage } from "./stage.ts";

/** Blocks that say the same in several languages, and what they are all answered with. */
interface Scene {
  readonly asks: Fence[];
  /** Null where the document shows none. */
  answer: Fence | null;
}

const TIMEOUT_MS = 60_000;
/** Addresses that documents give to the reader's own server. */
const SERVERS = ["http://localhost:8080", "https://push.example.org"];

/** Programs that run a block, by its language. */
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  sh: ["bash", "-euo", "pipefail", "-c"],
  js: [process.execPath, "--input-type=module", "--eval"],
  python: ["python3", "-c"],
};

/** Runs all blocks of a document that say so, and compares what they get with the answers it shows; returns what is wrong. */
export async function runFences(
  fences: readonly Fence[],
  stage: Stage,
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const scene of scenesOf(fences)) problems.push(...(await play(scene, stage)));
  return problems;
}

function scenesOf(fences: readonly Fence[]): readonly Scene[] {
  const scenes: Scene[] = [];
  for (const [index, fence] of fences.entries()) {
    const last = scenes.at(-1);
    const isOpen = last !== undefined && last.answer === null;
    if (fence.marks.answer) {
      if (isOpen) last.answer = fence;
      else scenes.push({ asks: [], answer: fence });
    } else if (isOpen && isBeside(fences[index - 1], fence)) last.asks.push(fence);
    else scenes.push({ asks: [fence], answer: null });
  }
  return scenes;
}

/** Tabs of one group follow each other with nothing between them. */
function isBeside(before: Fence | undefined, fence: Fence): boolean {
  if (before === undefined) return false;
  const end = before.line + before.text.split("\n").length + 1;
  return fence.line <= end + 2;
}

async function play({ asks, answer }: Scene, stage: Stage): Promise<readonly string[]> {
  if (asks.length === 0 && answer !== null) {
    return tell(answer, ["no block with run is before this answer"]);
  }
  const problems: string[] = [];
  for (const fence of asks) {
    if (fence.marks.request !== null) {
      problems.push(...tell(fence, await sendRequest(fence, stage)));
      continue;
    }
    const ran = await perform(fence, stage);
    if (ran.problem !== null) problems.push(...tell(fence, [ran.problem]));
    else if (answer === null) problems.push(...tell(fence, refusals(ran.printed)));
    else problems.push(...tell(answer, compare(ran.printed, { fence, answer })));
  }
  return problems;
}

function tell({ file, line }: Fence, problems: readonly string[]): readonly string[] {
  return problems.map((problem) => `${file}:${line}: ${problem}`);
}

/** The output of a block, and its problems. */
interface Ran {
  readonly printed: string;
  readonly problem: string | null;
}

async function perform(fence: Fence, stage: Stage): Promise<Ran> {
  const script = filledIn(fence.text, stage);
  const [left] = /<[A-Z][A-Z_]+>/u.exec(script) ?? [];
  if (left !== undefined) {
    const known = Object.keys(stage.values).join(", ");
    return { printed: "", problem: `nothing stands for ${left}; the placeholders are ${known}` };
  }
  const [program = "", ...args] = PROGRAMS[fence.language] ?? [];
  const folder = await mkdtemp(join(tmpdir(), "tocsin-snippet-"));
  try {
    const { code, output } = await run(program, [...args, quiet(script)], {
      cwd: folder,
      env: { PATH: process.env["PATH"], HOME: folder, TOCSIN_URL: stage.url },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: TIMEOUT_MS,
    });
    const problem = code === 0 ? null : `it ended with ${code}: ${output.trim()}`;
    return { printed: output, problem };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Without the bar that curl draws for people. */
function quiet(script: string): string {
  return script.replaceAll(/\bcurl (?=\S)/gu, "curl --silent --show-error ");
}

function filledIn(text: string, { url, values }: Stage): string {
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
  const [real] = parseJson(printed) ?? [];
  if (real === undefined) return [`line ${fence.line} printed no JSON, but: ${printed.trim()}`];
  const [shown] = parseJson(answer.text) ?? [];
  return differences(shown, real).map((text) => `really (line ${fence.line}), ${text}`);
}

/** A block without a shown answer must succeed. */
function refusals(printed: string): readonly string[] {
  const [real] = parseJson(printed) ?? [];
  const isRefused = typeof real === "object" && real !== null && "success" in real && !real.success;
  return isRefused ? [`it is answered with ${JSON.stringify(real)}`] : [];
}

async function sendRequest(fence: Fence, stage: Stage): Promise<readonly string[]> {
  const [method = "", path = ""] = (fence.marks.request ?? "").split(" ");
  const bodies = parseJson(filledIn(fence.text, stage)) ?? [];
  const answers = bodies.map(async (body) => {
    const answer = await fetch(stage.url + filledIn(path, stage), {
      method,
      headers: {
        "content-type": "application/json",
        "x-api-key": stage.values["<API_KEY>"] ?? "",
        authorization: `Bearer ${stage.values["<ACCESS_TOKEN>"]}`,
      },
      body: JSON.stringify(body),
    });
    return answer.ok ? [] : [`${method} ${path} is answered with ${await answer.text()}`];
  });
  return (await Promise.all(answers)).flat();
}
