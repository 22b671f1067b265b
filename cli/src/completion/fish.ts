import type { CommandDescription, Option } from "../description.ts";
import { listFirstWords, getHint, listOptions } from "./candidates.ts";

/** Returns the completion script for fish. */
export function createFishCompletion(descriptions: readonly CommandDescription[]): string {
  return [
    `# fish completion for tocsin, made by: tocsin completion fish
# Whether the command line begins with tocsin and these words.
function __tocsin_begins
  set -l words (commandline -opc)
  test (count $words) -gt (count $argv); or return
  for index in (seq (count $argv))
    test "$words[$(math $index + 1)]" = "$argv[$index]"; or return
  end
end
# Whether the command line has exactly these words so far.
function __tocsin_is
  test (count (commandline -opc)) -eq (math (count $argv) + 1); and __tocsin_begins $argv
end
complete -c tocsin -f`,
    ...listFirstWords(descriptions).flatMap(({ word, hint, secondWords }) => [
      `complete -c tocsin -n __fish_is_first_token -a ${word} -d ${quote(hint)}`,
      ...secondWords.map((second) => {
        const offer = `-a ${second.word} -d ${quote(second.hint)}`;
        return `complete -c tocsin -n '__tocsin_is ${word}' ${offer}`;
      }),
    ]),
    ...descriptions.flatMap(formatCommand),
  ].join("\n");
}

function formatCommand(description: CommandDescription): readonly string[] {
  const { name, operand } = description;
  const condition = `-n '__tocsin_begins ${name}'`;
  const lines = listOptions(description).map(([optionName, option]) => {
    return `complete -c tocsin ${condition} ${formatOption(optionName, option)}`;
  });
  const exactCondition = `-n '__tocsin_is ${name}'`;
  if (operand?.kind === "words") {
    lines.push(`complete -c tocsin ${exactCondition} -a ${quote(operand.words.join(" "))}`);
  }
  if (operand?.kind === "folder") {
    lines.push(`complete -c tocsin ${exactCondition} -a '(__fish_complete_directories)'`);
  }
  return lines;
}

function formatOption(name: string, option: Option): string {
  const definition = `-l ${name} -d ${quote(getHint(option.about))}`;
  if (option.type === "boolean") return definition;
  const values = option.values === undefined ? "" : ` -a ${quote(option.values.join(" "))}`;
  return `${definition} -x${values}`;
}

function quote(text: string): string {
  return `'${text.replaceAll(/[\\']/g, "\\$&")}'`;
}
