import { posix } from "node:path";
import { parseAllDocuments } from "yaml";
import { isTested } from "./tested-blocks.ts";
import type { CodeBlock } from "./code-blocks.ts";
import type { KnownNames } from "./known-names.ts";
import { parseJsonValues } from "./parse-json-values.ts";
import { callsServer, findUnknownPrograms } from "./shell.ts";

/** Reads a file of the repository by its path from the root. */
type ReadText = (path: string) => string;

const HOW_TO_FIX = [
  "Write ```LANGUAGE run if this check can run the block.",
  "Write ```LANGUAGE run=path/of/a.test.ts if a test runs it.",
  'Write ```LANGUAGE shown="the reason" if nothing can run it.',
].join(" ");

/** Returns why a code block is unchecked or wrong; an empty list for a good block. */
export function checkCodeBlock(
  block: CodeBlock,
  { knownNames, read }: { readonly knownNames: KnownNames; readonly read: ReadText },
): readonly string[] {
  const { attributes } = block;
  // With `run=PATH`, further words may tell the test which block to run.
  if (attributes.unknown.length > 0 && typeof attributes.run !== "string") {
    return [
      `unknown attribute "${attributes.unknown.join(" ")}"; the attributes are run, answer, request and shown`,
    ];
  }
  if (attributes.uncheckedReason !== null) {
    return /\w+ \w+/u.test(attributes.uncheckedReason)
      ? []
      : ['the attribute shown needs a reason of several words: shown="why nothing can check it"'];
  }
  if (attributes.run === true)
    return RUNNABLE_LANGUAGES.has(block.language)
      ? []
      : [`this check cannot run the language ${block.language}`];
  if (attributes.run !== null) return checkNamedTest(block, attributes.run, { knownNames, read });
  return isTested(block, knownNames.testedBlocks) ? [] : checkUnmarked(block, knownNames);
}

/** The languages of the blocks that `scripts/snippets.test.ts` runs. */
const RUNNABLE_LANGUAGES: ReadonlySet<string> = new Set(["sh", "js", "python"]);

function checkUnmarked(block: CodeBlock, knownNames: KnownNames): readonly string[] {
  const help = HELP_COMMAND.exec(block.text);
  if (help !== null) return checkHelp(block, help, knownNames);
  switch (block.language) {
    case "json":
      return checkJson(block);
    case "yaml":
    case "yml":
      return parseAllDocuments(block.text).flatMap((document) =>
        document.errors.map(({ message }) => `this is not valid YAML: ${message.split("\n")[0]}`),
      );
    case "ini":
    case "env":
    case "dotenv":
    case "properties":
      return checkSettingsFile(block.text);
    case "sh":
    case "bash":
    case "shell":
    case "console":
      return checkShell(block.text);
    default:
      return [`nothing checks this block. ${HOW_TO_FIX}`];
  }
}

/** Matches a help command that begins a block; the rest of the block is its output. */
const HELP_COMMAND =
  /^\$ (?:npx |npm run --silent )?tocsin(?: --(?= ))?(?: ([a-z][a-z -]*?))? --help\n/u;

function checkHelp(
  block: CodeBlock,
  help: RegExpExecArray,
  knownNames: KnownNames,
): readonly string[] {
  const [first, command = ""] = help;
  if (command !== "" && !knownNames.commands.includes(command))
    return [`tocsin has no command ${command}`];
  const documentedLines = block.text.slice(first.length).trim().split("\n");
  const actualLines = knownNames.getHelp(command).trim().split("\n");
  const differingIndex = actualLines.findIndex((line, index) => line !== documentedLines[index]);
  if (differingIndex === -1 && documentedLines.length === actualLines.length) return [];
  const index = differingIndex === -1 ? actualLines.length : differingIndex;
  return [
    `line ${index + 1} of the help differs from the real output: ${actualLines[index] ?? "(no such line)"}`,
  ];
}

function checkJson({ text, attributes }: CodeBlock): readonly string[] {
  const values = parseJsonValues(text);
  if (values === null) return ["this is not valid JSON"];
  if (attributes.answer || attributes.request !== null) return [];
  const isResponse = values.some((value) => isObject(value) && "success" in value);
  if (!isResponse) return [];
  return [
    "this looks like a response of the server: place it below the block that gets it, which has the attribute run, and write ```json answer",
  ];
}

/** Returns the lines that are invalid in a settings file, such as a systemd unit or a `.env` file. */
function checkSettingsFile(text: string): readonly string[] {
  const validLine = /^\s*(?:[#;].*|\[[^\]]+\]|(?:export )?[\w.@-]+\s*[=:].*|.*\\)?$/u;
  const lines = text.split("\n");
  return lines
    .filter((line, index) => !validLine.test(line) && !(lines[index - 1] ?? "").endsWith("\\"))
    .map((line) => `"${line}" is not a setting, a section or a comment`);
}

function checkShell(text: string): readonly string[] {
  if (callsServer(text)) return [`this calls a server, so this check can run it. ${HOW_TO_FIX}`];
  const unknownPrograms = findUnknownPrograms(text);
  return unknownPrograms.length === 0
    ? []
    : [`nothing checks ${unknownPrograms.join(", ")}. ${HOW_TO_FIX}`];
}

/** Checks that the test named by a block exists, and that it names the block's document or folder. */
function checkNamedTest(
  { file }: CodeBlock,
  test: string,
  { knownNames, read }: { readonly knownNames: KnownNames; readonly read: ReadText },
): readonly string[] {
  if (!/\.(?:test|fault|journey|campaigns)\.ts$/u.test(test) || !knownNames.files.includes(test)) {
    return [`the attribute run names a test that does not exist: ${test}`];
  }
  const text = read(test);
  // A test may run all pages of a folder.
  if (text.includes(file) || text.includes(`${posix.dirname(file)}"`)) return [];
  return [`${test} does not name ${file}, so it cannot run this block`];
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
