import { parseSync, Visitor } from "rolldown/utils";
import type { ReadText } from "./text-checks.ts";

/** A TypeScript or JavaScript file, parsed for the checks of words and rooms. */
export interface Source {
  readonly path: string;
  readonly comments: readonly Comment[];
  readonly titles: readonly TestTitle[];
  /** The text with comments replaced by spaces, so that positions stay the same. */
  readonly code: string;
  readonly names: readonly Name[];
  /** The names of the file's top-level interfaces, classes and types, exported or not. */
  readonly types: readonly string[];
  /** The specifiers of all imports, including type imports and dynamic imports. */
  readonly imports: readonly string[];
}

/** A block comment, or consecutive line comments without code. */
export interface Comment {
  /** The text without comment markers; lines are joined by a space. */
  readonly text: string;
  /** The line on which the comment begins, from 1. */
  readonly line: number;
}

/** The title of a test, up to its first interpolation. */
export interface TestTitle {
  readonly text: string;
  readonly line: number;
}

/** An identifier and the line of its first occurrence. */
export interface Name {
  readonly name: string;
  readonly line: number;
}

/** Parses the TypeScript and JavaScript files among `files`, and skips all others. */
export function readSources(files: readonly string[], read: ReadText): readonly Source[] {
  const paths = files.filter((path) => /\.(?:ts|tsx|mjs)$/u.test(path));
  return paths.map((path) => readSource(path, read(path)));
}

/** Parses a source; throws if it is not valid. */
export function readSource(path: string, text: string): Source {
  const { program, comments, errors } = parseSync(path, text);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${path} cannot be parsed: ${error.message}`);
  const collected: CollectedSource = { names: new Map(), titles: [], imports: [] };
  createVisitor(collected).visit(program);
  const findLine = createLineFinder(text);
  return {
    path,
    comments: joinLineComments(comments, text).map((span) => ({
      text: stripMarkers(text.slice(span.start, span.end)),
      line: findLine(span.start),
    })),
    titles: collected.titles.map(({ text, start }) => ({ text, line: findLine(start) })),
    code: blankSpans(text, comments),
    names: Array.from(collected.names, ([name, offset]) => ({ name, line: findLine(offset) })),
    types: program.body.flatMap(listDefinedTypes),
    imports: collected.imports,
  };
}

/** A range of offsets in a text. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** The parts of a source that the visitor collects. */
interface CollectedSource {
  /** The offset of the first occurrence, by name. */
  readonly names: Map<string, number>;
  readonly titles: { readonly text: string; readonly start: number }[];
  readonly imports: string[];
}

function createVisitor({ names, titles, imports }: CollectedSource): Visitor {
  const addName = ({ name, start }: { name: string; start: number }) => {
    if (!names.has(name)) names.set(name, start);
  };
  const addImport = ({ source }: { source: object | null }) => {
    // A dynamic import may have any expression; module names are strings.
    if (source !== null && "value" in source && typeof source.value === "string") {
      imports.push(source.value);
    }
  };
  return new Visitor({
    Identifier: addName,
    PrivateIdentifier: addName,
    CallExpression: (call) => {
      const text = readTitle(call);
      if (text !== null) titles.push({ text, start: call.arguments[0]?.start ?? call.start });
    },
    ImportDeclaration: addImport,
    ExportNamedDeclaration: addImport,
    ExportAllDeclaration: addImport,
    ImportExpression: addImport,
    TSImportType: addImport,
  });
}

type Call = Parameters<NonNullable<ConstructorParameters<typeof Visitor>[0]["CallExpression"]>>[0];

/** Returns the title in a call of `test`, `t.test` or similar; null for other calls, including `test` of a RegExp. */
function readTitle({ callee, arguments: [title, ...furtherArgs] }: Call): string | null {
  const names = callee.type === "MemberExpression" ? [callee.object, callee.property] : [callee];
  const isTest = names.some((part) => part.type === "Identifier" && part.name === "test");
  if (!isTest || furtherArgs.length === 0) return null;
  if (title?.type === "TemplateLiteral") return title.quasis[0]?.value.cooked ?? null;
  return title?.type === "Literal" && typeof title.value === "string" ? title.value : null;
}

type Statement = ReturnType<typeof parseSync>["program"]["body"][number];

function listDefinedTypes(statement: Statement): readonly string[] {
  if (statement.type === "ExportNamedDeclaration") {
    return statement.declaration === null ? [] : listDefinedTypes(statement.declaration);
  }
  const isTypeDeclaration =
    statement.type === "TSInterfaceDeclaration" ||
    statement.type === "TSTypeAliasDeclaration" ||
    statement.type === "ClassDeclaration";
  return isTypeDeclaration && statement.id !== null ? [statement.id.name] : [];
}

/** Joins consecutive line comments that have no code on their lines. */
function joinLineComments(
  comments: readonly (Span & { readonly type: "Line" | "Block" })[],
  text: string,
): readonly Span[] {
  const spans: (Span & { readonly isLine: boolean })[] = [];
  for (const { type, start, end } of comments) {
    const isLine =
      type === "Line" && text.slice(text.lastIndexOf("\n", start) + 1, start).trim() === "";
    const previous = spans.at(-1);
    const continuesPrevious =
      isLine && previous?.isLine === true && /^\r?\n[ \t]*$/u.test(text.slice(previous.end, start));
    if (continuesPrevious) spans[spans.length - 1] = { start: previous.start, end, isLine };
    else spans.push({ start, end, isLine });
  }
  return spans;
}

function stripMarkers(comment: string): string {
  return comment
    .replace(/^\/\*+|\*\/$/gu, "")
    .split("\n")
    .map((line) => line.replace(/^\s*(?:\/\/+|\*)?/u, "").trim())
    .join(" ")
    .trim();
}

function blankSpans(text: string, spans: readonly Span[]): string {
  let code = "";
  let copiedUntil = 0;
  for (const { start, end } of spans) {
    code += text.slice(copiedUntil, start) + text.slice(start, end).replaceAll(/[^\n]/gu, " ");
    copiedUntil = end;
  }
  return code + text.slice(copiedUntil);
}

function createLineFinder(text: string): (offset: number) => number {
  const lineStarts = Array.from(text.matchAll(/\n/gu), ({ index }) => index + 1);
  return (offset) => {
    const nextLine = lineStarts.findIndex((start) => start > offset);
    return (nextLine === -1 ? lineStarts.length : nextLine) + 1;
  };
}
