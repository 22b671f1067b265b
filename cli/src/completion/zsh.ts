import type { CommandDescription, Option } from "../description.ts";
import { listFirstWords, getHint, listOptions, type FirstWord } from "./candidates.ts";

/** Returns the completion script for zsh. A user evaluates it after compinit, or stores it as `_tocsin` in `$fpath`. */
export function createZshCompletion(descriptions: readonly CommandDescription[]): string {
  const commands = listFirstWords(descriptions).map(
    ({ word, hint }) => `    ${describe(word, hint)}`,
  );
  return `#compdef tocsin
# zsh completion for tocsin, made by: tocsin completion zsh
_tocsin() {
  local command="$words[2]" first=2
  local -a commands
  commands=(
${commands.join("\n")}
  )
  if ((CURRENT == 2)); then
    _describe -t commands command commands
    return
  fi
${listFirstWords(descriptions).flatMap(formatSecondWords).join("\n")}
  # Drops the second word of a two-word command, so that the arguments follow one word.
  shift $((first - 1)) words
  ((CURRENT -= first - 1))
  case "$command" in
${descriptions.map(formatCommand).join("\n")}
  esac
}
if [[ "$funcstack[1]" == "_tocsin" ]]; then
  _tocsin "$@"
else
  compdef _tocsin tocsin
fi`;
}

function formatSecondWords({ word, secondWords }: FirstWord): readonly string[] {
  if (secondWords.length === 0) return [];
  return [
    `  if [[ $command == ${word} ]]; then
    if ((CURRENT == 3)); then
      commands=(${secondWords.map((second) => describe(second.word, second.hint)).join(" ")})
      _describe -t commands command commands
      return
    fi
    command="${word} $words[3]"
    first=3
  fi`,
  ];
}

function formatCommand(description: CommandDescription): string {
  const { name, operand } = description;
  const specifications = listOptions(description).map(([optionName, option]) =>
    formatOption(optionName, option),
  );
  if (operand?.kind === "words") specifications.push(`'1:value:(${operand.words.join(" ")})'`);
  if (operand?.kind === "folder") specifications.push("'1:folder:_files -/'");
  const lines = specifications.map((specification) => `        ${specification}`);
  return `    "${name}")
      _arguments -S \\
${lines.join(" \\\n")}
      ;;`;
}

function formatOption(name: string, option: Option): string {
  const hint = getHint(option.about).replaceAll(/[[\]\\:]/g, "\\$&");
  if (option.type === "boolean") return quote(`--${name}[${hint}]`);
  const values = option.values === undefined ? "( )" : `(${option.values.join(" ")})`;
  const action = option.values === undefined ? " " : values;
  return quote(`--${name}=[${hint}]:${option.value}:${action}`);
}

function describe(word: string, hint: string): string {
  return quote(`${word}:${hint.replaceAll(":", "\\:")}`);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
