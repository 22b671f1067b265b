import { posix } from "node:path";
import { parseAllDocuments } from "yaml";
import { isClaimed } from "./claims.ts";
import type { Fence } from "./fences.ts";
import type { Known } from "./known.ts";
import { callsServer, foreignPrograms } from "./shell.ts";

/** Reads a file of the repository by its path from the root. */
type ReadText = (path: string) => string;

const MEND =
  'Let the check run it (```LANG run), name the test that does (```LANG run=path/of/a.test.ts), or say why none can (```LANG shown="the reason")';

/** Returns what is wrong with how a block is checked; an empty list where something does check it. */
export function judge(
  fence: Fence,
  { known, read }: { readonly known: Known; readonly read: ReadText },
): readonly string[] {
  const { marks } = fence;
  // A name by which a test finds its block is for that test alone.
  if (marks.unknown.length > 0 && typeof marks.run !== "string") {
    return [
      `"${marks.unknown.join(" ")}" means nothing; the marks are run, answer, request and shown`,
    ];
  }
  if (marks.shown !== null) {
    return /\w+ \w+/u.test(marks.shown)
      ? []
      : ['shown needs a reason: shown="why nothing can check it"'];
  }
  if (marks.run === true)
    return RUNNABLE.has(fence.language) ? [] : [`nothing here runs ${fence.language}`];
  if (marks.run !== null) return wrongTest(fence, marks.run, { known, read });
  return isClaimed(fence, known.claims) ? [] : unmarked(fence, known);
}

/** Languages that the check itself runs. */
const RUNNABLE: ReadonlySet<string> = new Set(["sh", "js", "python"]);

function unmarked(fence: Fence, known: Known): readonly string[] {
  const help = HELP.exec(fence.text);
  if (help !== null) return wrongHelp(fence, help, known);
  switch (fence.language) {
    case "json":
      return wrongJson(fence);
    case "yaml":
    case "yml":
      return parseAllDocuments(fence.text).flatMap((document) =>
        document.errors.map(({ message }) => `this is no YAML: ${message.split("\n")[0]}`),
      );
    case "ini":
    case "env":
    case "dotenv":
    case "properties":
      return wrongSettingsFile(fence.text);
    case "sh":
    case "bash":
    case "shell":
    case "console":
      return wrongShell(fence.text);
    default:
      return [`nothing checks this block. ${MEND}`];
  }
}

/** A command that asks for help, and what it prints. */
const HELP = /^\$ (?:npx |npm run --silent )?tocsin(?: --(?= ))?(?: ([a-z][a-z -]*?))? --help\n/u;

function wrongHelp(fence: Fence, help: RegExpExecArray, known: Known): readonly string[] {
  const [first, command = ""] = help;
  if (command !== "" && !known.commands.includes(command))
    return [`tocsin has no command ${command}`];
  const shown = fence.text.slice(first.length).trim().split("\n");
  const real = known.helpOf(command).trim().split("\n");
  const index = real.findIndex((line, at) => line !== shown[at]);
  if (index === -1 && shown.length === real.length) return [];
  const at = index === -1 ? real.length : index;
  return [`line ${at + 1} of the help is really: ${real[at] ?? "(none)"}`];
}

function wrongJson({ text, marks }: Fence): readonly string[] {
  const values = parseJson(text);
  if (values === null) return ["this is no JSON"];
  if (marks.answer || marks.request !== null) return [];
  const isAnswer = values.some((value) => isObject(value) && "success" in value);
  if (!isAnswer) return [];
  return [
    "this looks like an answer of the server: mark it ```json answer below a block with run, whose answer it then has to be",
  ];
}

/** Returns one value, or one of every line; null for what is no JSON. */
export function parseJson(text: string): readonly unknown[] | null {
  for (const parts of [[text], text.trim().split("\n")]) {
    try {
      return parts.map((part) => JSON.parse(part) as unknown);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return null;
}

/** As systemd, git and `.env` files have it. */
function wrongSettingsFile(text: string): readonly string[] {
  const form = /^\s*(?:[#;].*|\[[^\]]+\]|(?:export )?[\w.@-]+\s*[=:].*|.*\\)?$/u;
  const lines = text.split("\n");
  return lines
    .filter((line, index) => !form.test(line) && !(lines[index - 1] ?? "").endsWith("\\"))
    .map((line) => `"${line}" is no setting, section or comment`);
}

function wrongShell(text: string): readonly string[] {
  if (callsServer(text)) return [`this asks a server, so it can be run: \`\`\`sh run. ${MEND}`];
  const foreign = foreignPrograms(text);
  return foreign.length === 0 ? [] : [`nothing checks ${foreign.join(", ")}. ${MEND}`];
}

function wrongTest(
  { file }: Fence,
  test: string,
  { known, read }: { readonly known: Known; readonly read: ReadText },
): readonly string[] {
  if (!/\.(?:test|fault|journey|campaigns)\.ts$/u.test(test) || !known.files.includes(test)) {
    return [`run names no test: ${test}`];
  }
  const text = read(test);
  // A test may take all pages of a folder.
  if (text.includes(file) || text.includes(`${posix.dirname(file)}"`)) return [];
  return [`${test} does not name ${file}, so it cannot run a block of it`];
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
