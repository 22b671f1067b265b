/** A fenced block of a document. */
export interface Fence {
  readonly file: string;
  /** Of its first mark; 1 is the first. */
  readonly line: number;
  /** The first word after the mark; "" where there is none. */
  readonly language: string;
  /** All after the language, as in `run` or `shown="needs a phone"`. */
  readonly marks: Marks;
  readonly text: string;
}

/** A block's marks: how it is checked. */
export interface Marks {
  /** True where the check runs it; a path where that test does. */
  readonly run: true | string | null;
  /** The real answer of the block before is to be this one. */
  readonly answer: boolean;
  /** The request that this JSON is the body of, as in `POST /api/app/v1/devices`. */
  readonly request: string | null;
  /** Why nothing checks it. */
  readonly shown: string | null;
  /** Words that mean nothing. */
  readonly unknown: readonly string[];
}

/** A name or command between backticks. */
export interface Span {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** Returns the fenced blocks of a document, in their order; those in lists too. */
export function fencesOf(file: string, markdown: string): readonly Fence[] {
  const found: Fence[] = [];
  let open: { mark: string; indent: string; info: string; line: number; rows: string[] } | null =
    null;
  for (const [index, row] of markdown.split("\n").entries()) {
    const [, indent = "", mark = "", info = ""] = /^(\s*)(`{3,}|~{3,})([^\n]*)$/u.exec(row) ?? [];
    if (open === null) {
      if (mark !== "") open = { mark, indent, info: info.trim(), line: index + 1, rows: [] };
    } else if (mark.startsWith(open.mark) && info.trim() === "") {
      found.push(fence(file, open));
      open = null;
    } else {
      open.rows.push(row.startsWith(open.indent) ? row.slice(open.indent.length) : row.trimStart());
    }
  }
  if (open !== null) found.push(fence(file, open));
  return found;
}

/** Returns what stands between single or double backticks outside of fences. */
export function spansOf(file: string, markdown: string): readonly Span[] {
  return linesOutside(markdown).flatMap(({ line, text }) =>
    [...text.matchAll(/(`{1,2})(.+?)\1(?!`)/gu)].map(([, , inside = ""]) => ({
      file,
      line,
      text: inside.trim(),
    })),
  );
}

function fence(
  file: string,
  open: { readonly info: string; readonly line: number; readonly rows: readonly string[] },
): Fence {
  const { info, line, rows } = open;
  const language = /^[\w+-]*/u.exec(info)?.[0] ?? "";
  return {
    file,
    line,
    language,
    marks: marksOf(info.slice(language.length)),
    text: rows.join("\n"),
  };
}

const MARK = /^(run|answer|request|shown)(?:=("[^"]*"|\S+))?$/u;

function marksOf(info: string): Marks {
  const words = info.replace(/\[[^\]]*\]/u, "").match(/[\w-]+="[^"]*"|\S+/gu) ?? [];
  const given = new Map<string, true | string>();
  const unknown: string[] = [];
  for (const word of words) {
    const [, name, value] = MARK.exec(word) ?? [];
    if (name === undefined) unknown.push(word);
    else given.set(name, value === undefined ? true : value.replaceAll('"', ""));
  }
  const text = (name: string) => {
    const value = given.get(name);
    return typeof value === "string" ? value : null;
  };
  return {
    run: given.get("run") ?? null,
    answer: given.has("answer"),
    request: text("request"),
    shown: given.has("shown") ? (text("shown") ?? "") : null,
    unknown,
  };
}

function linesOutside(
  markdown: string,
): readonly { readonly line: number; readonly text: string }[] {
  let mark: string | null = null;
  return markdown.split("\n").flatMap((text, index) => {
    const [, found = ""] = /^\s*(`{3,}|~{3,})/u.exec(text) ?? [];
    if (mark === null && found !== "") mark = found;
    else if (mark !== null && found.startsWith(mark)) mark = null;
    else if (mark === null) return [{ line: index + 1, text }];
    return [];
  });
}
