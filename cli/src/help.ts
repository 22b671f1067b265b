import { EXIT, EXIT_MEANINGS } from "./command.ts";
import { DESCRIPTIONS } from "./descriptions.ts";
import { VARIABLES } from "./environment.ts";

/** The width of the first column, also in the line for exit code 130. */
const FIRST_COLUMN_WIDTH_MIN = 16;

/** The text of `tocsin --help`. */
export const HELP = `Usage: tocsin COMMAND [options]

${formatColumns(DESCRIPTIONS.map(({ name, summary }) => [name, summary]))}

  tocsin COMMAND --help   how to use a command, with an example
  tocsin --version        the version

Exit codes:

${formatColumns(Object.entries(EXIT_MEANINGS).map(([name, meaning]) => [getExitCode(name), meaning]))}
  130             ended by Ctrl-C, except serve and watch, which then exit with 0

Variables of the commands that ask a server; a .env file is not read for them:

${formatColumns(Object.entries(VARIABLES))}

Commands for operators read the settings of the server: see tocsin serve --help.`;

function formatColumns(rows: readonly (readonly [name: string, text: string])[]): string {
  const width = Math.max(FIRST_COLUMN_WIDTH_MIN, ...rows.map(([name]) => name.length + 2));
  return rows.map(([name, text]) => `  ${name.padEnd(width)}${text}`).join("\n");
}

/** Returns the exit code with this name. `EXIT` and `EXIT_MEANINGS` have the same keys. */
function getExitCode(name: string): string {
  return String(EXIT[name as keyof typeof EXIT]);
}
