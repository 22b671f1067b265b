import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { formatHelp } from "../cli/src/description.ts";
import { DESCRIPTIONS } from "../cli/src/descriptions.ts";
import { HELP } from "../cli/src/help.ts";
import { ROOT } from "./files.ts";

/** The page on the command line. Its help blocks are generated from the commands. */
export const COMMAND_LINE_PAGE = "docs/command-line.md";

/** Returns the up-to-date page: its own text with the current output of each `--help`. */
export async function renderCommandLinePage(): Promise<string> {
  return updateHelpBlocks(await readFile(join(ROOT, COMMAND_LINE_PAGE), "utf8"), HELP_BY_COMMAND);
}

/**
 * Returns the page with each block replaced by the current help. Throws if a command has no block, or a block has no
 * command.
 */
export function updateHelpBlocks(page: string, helpByCommand: ReadonlyMap<string, string>): string {
  const documented = new Set<string>();
  const filled = page.replaceAll(HELP_BLOCK, (_block, line: string) => {
    const help = helpByCommand.get(line);
    if (help === undefined)
      throw new Error(`${COMMAND_LINE_PAGE} shows "${line}", which is not a command.`);
    documented.add(line);
    return `\`\`\`text\n$ ${line}\n${help}\n\`\`\``;
  });
  const missingCommands = [...helpByCommand.keys()].filter((line) => !documented.has(line));
  if (missingCommands.length === 0) return filled;
  throw new Error(`${COMMAND_LINE_PAGE} lacks a block with: ${missingCommands.join(", ")}.`);
}

const HELP_BY_COMMAND: ReadonlyMap<string, string> = new Map([
  ["tocsin --help", HELP],
  ...DESCRIPTIONS.map(
    (description) => [`tocsin ${description.name} --help`, formatHelp(description)] as const,
  ),
]);

/** Matches a fenced block of text that begins with a call of help. */
const HELP_BLOCK = /^```text\n\$ (tocsin [a-z ]*--help)\n[^`]*^```$/gm;
