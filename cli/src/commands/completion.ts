import { EXIT, parseOptions, usageError, type Command } from "../command.ts";
import { createBashCompletion } from "../completion/bash.ts";
import { createFishCompletion } from "../completion/fish.ts";
import { createZshCompletion } from "../completion/zsh.ts";
import { DESCRIPTIONS } from "../descriptions.ts";
import { COMPLETION } from "../descriptions/completion.ts";

const SCRIPT_CREATORS = {
  bash: createBashCompletion,
  zsh: createZshCompletion,
  fish: createFishCompletion,
};

/** Prints a completion script for one shell: `tocsin completion`. */
export const completionCommand: Command = async (args, terminal) => {
  const { options, operand } = COMPLETION;
  const { positionals } = parseOptions({ args, options, allowPositionals: true });
  const [shellName, ...extraOperands] = positionals;
  const shell = operand.words.find((word) => word === shellName);
  if (shell === undefined || extraOperands.length > 0) {
    throw usageError(`Give one shell: ${operand.words.join(", ")}.`);
  }
  terminal.print(SCRIPT_CREATORS[shell](DESCRIPTIONS));
  return EXIT.ok;
};
