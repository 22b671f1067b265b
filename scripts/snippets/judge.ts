import { posix } from "node:path";
import { parseAllDocuments } from "yaml";
import { isClaimed } from "./claims.ts";
import type { Fence } from "./fences.ts";
import type { KnownNames } from "./known.ts";
import { callsServer, unknownPrograms } from "./shell.ts";

/** Reads a file of the repository by its path from the root. */
type ReadText = (path: string) => string;

const HOW_TO_FIX =
  'Let the check run it (```LANG run), name the test that does (```LANG run=path/of/a.test.ts), or say why none can (```LANG shown="the reason")';

/** Returns the problems with how a block is checked; an empty list if something checks it. */
export function checkFence(
  fence: Fence,
  { known, read }: { readonly known: KnownNames; readonly read: ReadText },
): readonly string[] {
  const { attributes } = fence;
  // An unknown attribute is the name by which a test finds its block.
  if (attributes.unknown.length > 0 && typeof attributes.run !== "string") {
    return [
      `"${attributes.unknown.join(" ")}" means nothing; the marks are run, answer, request and shown`,
    ];
  }
  if (attributes.uncheckedReason !== null) {
    return /\w+ \w+/u.test(attributes.uncheckedReason)
      ? []
      : ['shown needs a reason: shown="why nothing can check it"'];
  }
  if (attributes.run === true)
    return RUNNABLE.has(fence.language) ? [] : [`nothing here runs ${fence.language}`];
  if (attributes.run !== null) return testProblems(fence, attributes.run, { known, read });
  return isClaimed(fence, known.claims) ? [] : unmarkedProblems(fence, known);
}

/** The languages that the check itself runs. */
const RUNNABLE: ReadonlySet<string> = new Set(["sh", "js", "python"]);

function unmarkedProblems(fence: Fence, known: KnownNames): readonly string[] {
  const help = HELP.exec(fence.text);
  if (help !== null) return helpProblems(fence, help, known);
  switch (fence.language) {
    case "json":
      return jsonProblems(fence);
    case "yaml":
    case "yml":
      return parseAllDocuments(fence.text).flatMap((document) =>
        document.errors.map(({ message }) => `this is no YAML: ${message.split("\n")[0]}`),
      );
    case "ini":
    case "env":
    case "dotenv":
    case "properties":
      return settingsFileProblems(fence.text);
    case "sh":
    case "bash":
    case "shell":
    case "console":
      return shellProblems(fence.text);
    default:
      return [`nothing checks this block. ${HOW_TO_FIX}`];
  }
}

/** A help command; its output follows. */
const HELP = /^\$ (?:npx |npm run --silent )?tocsin(?: --(?= ))?(?: ([a-z][a-z -]*?))? --help\n/u;

function helpProblems(fence: Fence, help: RegExpExecArray, known: KnownNames): readonly string[] {
  const [first, command = ""] = help;
  if (command !== "" && !known.commands.includes(command))
    return [`tocsin has no command ${command}`];
  const documented = fence.text.slice(first.length).trim().split("\n");
  const actual = known.helpOf(command).trim().split("\n");
  const index = actual.findIndex((line, at) => line !== documented[at]);
  if (index === -1 && documented.length === actual.length) return [];
  const at = index === -1 ? actual.length : index;
  return [`line ${at + 1} of the help is really: ${actual[at] ?? "(none)"}`];
}

function jsonProblems({ text, attributes }: Fence): readonly string[] {
  const values = parseJson(text);
  if (values === null) return ["this is no JSON"];
  if (attributes.answer || attributes.request !== null) return [];
  const isAnswer = values.some((value) => isObject(value) && "success" in value);
  if (!isAnswer) return [];
  return [
    "this looks like an answer of the server: mark it ```json answer below a block with run, whose answer it then has to be",
  ];
}

/** Parses one JSON value, or one per line; returns null for invalid JSON. */
export function parseJson(text: string): readonly unknown[] | null {
  for (const candidates of [[text], text.trim().split("\n")]) {
    try {
      return candidates.map((candidate) => JSON.parse(candidate) as unknown);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return null;
}

/** Checks the format of systemd, git and `.env` files. */
function settingsFileProblems(text: string): readonly string[] {
  const validLine = /^\s*(?:[#;].*|\[[^\]]+\]|(?:export )?[\w.@-]+\s*[=:].*|.*\\)?$/u;
  const lines = text.split("\n");
  return lines
    .filter((line, index) => !validLine.test(line) && !(lines[index - 1] ?? "").endsWith("\\"))
    .map((line) => `"${line}" is no setting, section or comment`);
}

function shellProblems(text: string): readonly string[] {
  if (callsServer(text))
    return [`this asks a server, so it can be run: \`\`\`sh run. ${HOW_TO_FIX}`];
  const unknown = unknownPrograms(text);
  return unknown.length === 0 ? [] : [`nothing checks ${unknown.join(", ")}. ${HOW_TO_FIX}`];
}

function testProblems(
  { file }: Fence,
  test: string,
  { known, read }: { readonly known: KnownNames; readonly read: ReadText },
): readonly string[] {
  if (!/\.(?:test|fault|journey|campaigns)\.ts$/u.test(test) || !known.files.includes(test)) {
    return [`run names no test: ${test}`];
  }
  const text = read(test);
  // A test may run all pages of a folder.
  if (text.includes(file) || text.includes(`${posix.dirname(file)}"`)) return [];
  return [`${test} does not name ${file}, so it cannot run a block of it`];
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
