/** A fenced code block of a document. */
export interface CodeBlock {
  readonly file: string;
  /** The line of the opening fence, from 1. */
  readonly line: number;
  /** The first word after the fence; "" if there is none. */
  readonly language: string;
  /** The attributes after the language, such as `run` or `shown="needs a phone"`. */
  readonly attributes: CodeBlockAttributes;
  readonly text: string;
}

/** The attributes of a block, which say how it is checked. */
export interface CodeBlockAttributes {
  /** True if the check runs the block, or the path of the test that runs it. */
  readonly run: true | string | null;
  /** Whether the text is the response that the previous block must print. */
  readonly answer: boolean;
  /** The request whose body this JSON is, such as `POST /api/app/v1/devices`. */
  readonly request: string | null;
  /** The reason that nothing checks the block; null if it is checked. */
  readonly uncheckedReason: string | null;
  /** Unknown attributes. */
  readonly unknown: readonly string[];
}

/** An inline code span, such as a name or command. */
export interface InlineCode {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** Returns the fenced blocks of a document in order, including blocks in lists. */
export function parseCodeBlocks(file: string, markdown: string): readonly CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let openBlock: {
    fenceMark: string;
    indent: string;
    info: string;
    line: number;
    rows: string[];
  } | null = null;
  for (const [index, row] of markdown.split("\n").entries()) {
    const [, indent = "", fenceMark = "", info = ""] =
      /^(\s*)(`{3,}|~{3,})([^\n]*)$/u.exec(row) ?? [];
    if (openBlock === null) {
      if (fenceMark !== "")
        openBlock = { fenceMark, indent, info: info.trim(), line: index + 1, rows: [] };
    } else if (fenceMark.startsWith(openBlock.fenceMark) && info.trim() === "") {
      blocks.push(buildCodeBlock(file, openBlock));
      openBlock = null;
    } else {
      openBlock.rows.push(
        row.startsWith(openBlock.indent) ? row.slice(openBlock.indent.length) : row.trimStart(),
      );
    }
  }
  if (openBlock !== null) blocks.push(buildCodeBlock(file, openBlock));
  return blocks;
}

/** Returns the inline code outside of fenced blocks. */
export function parseInlineCode(file: string, markdown: string): readonly InlineCode[] {
  return listLinesOutsideCodeBlocks(markdown).flatMap(({ line, text }) =>
    [...text.matchAll(/(`{1,2})(.+?)\1(?!`)/gu)].map(([, , content = ""]) => ({
      file,
      line,
      text: content.trim(),
    })),
  );
}

function buildCodeBlock(
  file: string,
  open: { readonly info: string; readonly line: number; readonly rows: readonly string[] },
): CodeBlock {
  const { info, line, rows } = open;
  const language = /^[\w+-]*/u.exec(info)?.[0] ?? "";
  return {
    file,
    line,
    language,
    attributes: parseAttributes(info.slice(language.length)),
    text: rows.join("\n"),
  };
}

const ATTRIBUTE_PATTERN = /^(run|answer|request|shown)(?:=("[^"]*"|\S+))?$/u;

function parseAttributes(info: string): CodeBlockAttributes {
  const words = info.replace(/\[[^\]]*\]/u, "").match(/[\w-]+="[^"]*"|\S+/gu) ?? [];
  const values = new Map<string, true | string>();
  const unknownWords: string[] = [];
  for (const word of words) {
    const [, name, value] = ATTRIBUTE_PATTERN.exec(word) ?? [];
    if (name === undefined) unknownWords.push(word);
    else values.set(name, value === undefined ? true : value.replaceAll('"', ""));
  }
  const getText = (name: string) => {
    const value = values.get(name);
    return typeof value === "string" ? value : null;
  };
  return {
    run: values.get("run") ?? null,
    answer: values.has("answer"),
    request: getText("request"),
    uncheckedReason: values.has("shown") ? (getText("shown") ?? "") : null,
    unknown: unknownWords,
  };
}

function listLinesOutsideCodeBlocks(
  markdown: string,
): readonly { readonly line: number; readonly text: string }[] {
  let fenceMark: string | null = null;
  return markdown.split("\n").flatMap((text, index) => {
    const [, found = ""] = /^\s*(`{3,}|~{3,})/u.exec(text) ?? [];
    if (fenceMark === null && found !== "") fenceMark = found;
    else if (fenceMark !== null && found.startsWith(fenceMark)) fenceMark = null;
    else if (fenceMark === null) return [{ line: index + 1, text }];
    return [];
  });
}
