import type { CommandDescription } from "../description.ts";
import { listFirstWords, listOptions, type FirstWord } from "./candidates.ts";

/** Returns the completion script for bash 3.2 or later. */
export function createBashCompletion(descriptions: readonly CommandDescription[]): string {
  return `# bash completion for tocsin, made by: tocsin completion bash
_tocsin() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}"
  local command="\${COMP_WORDS[1]}" first=2 words="" folders="" index
  # bash makes three words of --option=value.
  if [[ $current == "=" ]]; then
    current=""
  elif [[ $previous == "=" ]]; then
    previous="\${COMP_WORDS[COMP_CWORD - 2]}"
  fi
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "${listFirstWords(descriptions)
      .map(({ word }) => word)
      .join(" ")}" -- "$current"))
    return
  fi
${listFirstWords(descriptions).flatMap(formatSecondWords).join("\n")}
  for ((index = first; index < COMP_CWORD; index++)); do
    # After --, nothing is an option.
    if [[ \${COMP_WORDS[index]} == "--" ]]; then return; fi
  done
  case "$command $previous" in
${descriptions.flatMap(formatValues).join("\n")}
    *)
      case "$command" in
${descriptions.map(formatCommand).join("\n")}
      esac
      ;;
  esac
  if [[ -n $folders && $current != -* ]]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -d -- "$current"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
}
complete -F _tocsin tocsin`;
}

function formatSecondWords({ word, secondWords }: FirstWord): readonly string[] {
  if (secondWords.length === 0) return [];
  const words = secondWords.map((second) => second.word).join(" ");
  return [
    `  if [[ $command == "${word}" ]]; then
    if ((COMP_CWORD == 2)); then
      COMPREPLY=($(compgen -W "${words}" -- "$current"))
      return
    fi
    command="${word} \${COMP_WORDS[2]}"
    first=3
  fi`,
  ];
}

function formatValues(description: CommandDescription): readonly string[] {
  return listOptions(description).flatMap(([name, option]) => {
    if (option.type === "boolean") return [];
    const words = option.values === undefined ? "return" : `words="${option.values.join(" ")}"`;
    return [`    "${description.name} --${name}") ${words} ;;`];
  });
}

function formatCommand(description: CommandDescription): string {
  const { name, operand } = description;
  const options = listOptions(description).map(([optionName]) => `--${optionName}`);
  const words = operand?.kind === "words" ? [...operand.words, ...options] : options;
  const folders = operand?.kind === "folder" ? " folders=1" : "";
  return `        "${name}") words="${words.join(" ")}"${folders} ;;`;
}
