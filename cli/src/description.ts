/** An option of a command, for `parseArgs`, `--help` and shell completion. */
export type Option =
  | { readonly type: "boolean"; readonly about: string }
  | {
      readonly type: "string";
      /** The placeholder for the value in `--help`, in capitals. */
      readonly value: string;
      readonly about: string;
      /** All allowed values, if there are few. */
      readonly values?: readonly string[];
    };

/** The operand of a command, if a shell can complete it. */
export type Operand =
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "folder" };

/** The single description of a command: the source of its parser, `--help`, shell completion and documentation. */
export interface CommandDescription {
  /** One word, or two. */
  readonly name: string;
  /** A phrase for the list in `tocsin --help`. */
  readonly summary: string;
  /** The arguments after the name. */
  readonly usage: string;
  /** Paragraphs. A paragraph that begins with two spaces is an example. */
  readonly about: readonly string[];
  readonly options: Readonly<Record<string, Option>>;
  /** Paragraphs below the options. */
  readonly notes?: readonly string[];
  /** The meaning of the command's exit codes. */
  readonly exits: string;
  readonly operand?: Operand;
}

/** Returns the `--help` of a command, with its paragraphs and options wrapped at `COLUMNS`. */
export function formatHelp(description: CommandDescription): string {
  const { name, usage, about, notes = [], exits, options } = description;
  const blocks = [
    `Usage: tocsin ${name} ${usage}`.trim(),
    ...about.map(formatParagraph),
    formatOptions(options),
    ...notes.map(formatParagraph),
    wrapText(`Exit codes: ${exits}.`, 0),
  ];
  return blocks.filter((block) => block !== "").join("\n\n");
}

/** Returns an option as it is typed, with the placeholder for its value. */
export function formatOptionSyntax(name: string, option: Option): string {
  return option.type === "string" ? `--${name} ${option.value}` : `--${name}`;
}

const COLUMNS = 80;
const MARGIN = "  ";
const GAP_WIDTH = 3;

function formatOptions(options: CommandDescription["options"]): string {
  const lines = Object.entries(options).map(([name, option]) => ({
    syntax: formatOptionSyntax(name, option),
    about: option.about,
  }));
  const syntaxWidth = Math.max(...lines.map(({ syntax }) => syntax.length), 0);
  const indent = MARGIN.length + syntaxWidth + GAP_WIDTH;
  return lines
    .map(({ syntax, about }) => `${MARGIN}${syntax}`.padEnd(indent) + wrapText(about, indent))
    .join("\n");
}

function formatParagraph(text: string): string {
  return text.startsWith("  ") ? text : wrapText(text, 0);
}

/** Wraps a text at `COLUMNS`, and indents every line but the first. */
function wrapText(text: string, indent: number): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longerLine = line === "" ? word : `${line} ${word}`;
    if (line !== "" && longerLine.length > COLUMNS - indent) {
      lines.push(line);
      line = word;
    } else line = longerLine;
  }
  return [...lines, line].join(`\n${" ".repeat(indent)}`);
}
