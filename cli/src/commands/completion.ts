import { EXIT, parseOptions, usageError, type Command } from "../command.ts";
import { bashCompletion } from "../completion/bash.ts";
import { fishCompletion } from "../completion/fish.ts";
import { zshCompletion } from "../completion/zsh.ts";
import { DESCRIPTIONS } from "../descriptions.ts";
import { COMPLETION } from "../descriptions/callers.ts";

const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

/** `tocsin completion`. */
export const completion: Command = async (args, terminal) => {
  const { options, operand } = COMPLETION;
  const { positionals } = parseOptions({ args, options, allowPositionals: true });
  const [name, ...more] = positionals;
  const shell = operand.words.find((word) => word === name);
  if (shell === undefined || more.length > 0) {
    throw usageError(`Give one shell: ${operand.words.join(", ")}.`);
  }
  terminal.print(SCRIPTS[shell](DESCRIPTIONS));
  return EXIT.ok;
};
