import { parseSync, Visitor } from "rolldown/utils";
import type { ReadText } from "./texts.ts";

/** A file of TypeScript or JavaScript, as checks of words and of rooms see it. */
export interface Source {
  readonly path: string;
  readonly comments: readonly Comment[];
  readonly titles: readonly Title[];
  /** All but the comments; places stay where they were. */
  readonly code: string;
  readonly names: readonly Name[];
  /** Names of the interfaces, classes and types that it defines at its top level, exported or not. */
  readonly types: readonly string[];
  /** The specifiers of all imports, of types and dynamic ones as well. */
  readonly imports: readonly string[];
}

/** A block comment, or line comments that follow each other in whole lines. */
export interface Comment {
  /** Without the marks; lines are joined by a space. */
  readonly text: string;
  /** Where it begins; 1 is the first. */
  readonly line: number;
}

/** The title of a test, up to its first value. */
export interface Title {
  readonly text: string;
  readonly line: number;
}

/** An identifier, where it stands first. */
export interface Name {
  readonly name: string;
  readonly line: number;
}

/** Returns what is in those of the files that are sources. */
export function readSources(files: readonly string[], read: ReadText): readonly Source[] {
  const paths = files.filter((path) => /\.(?:ts|tsx|mjs)$/u.test(path));
  return paths.map((path) => readSource(path, read(path)));
}

/** Reads a source; throws where it cannot be parsed. */
export function readSource(path: string, text: string): Source {
  const { program, comments, errors } = parseSync(path, text);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${path} cannot be parsed: ${error.message}`);
  const found: Found = { names: new Map(), titles: [], imports: [] };
  visitorOf(found).visit(program);
  const lineOf = lineFinder(text);
  return {
    path,
    comments: joined(comments, text).map((span) => ({
      text: bare(text.slice(span.start, span.end)),
      line: lineOf(span.start),
    })),
    titles: found.titles.map(({ text, start }) => ({ text, line: lineOf(start) })),
    code: withoutSpans(text, comments),
    names: Array.from(found.names, ([name, at]) => ({ name, line: lineOf(at) })),
    types: program.body.flatMap(typeDefinedBy),
    imports: found.imports,
  };
}

interface Span {
  readonly start: number;
  readonly end: number;
}

interface Found {
  /** The offset of each. */
  readonly names: Map<string, number>;
  readonly titles: { readonly text: string; readonly start: number }[];
  readonly imports: string[];
}

function visitorOf({ names, titles, imports }: Found): Visitor {
  const take = ({ name, start }: { name: string; start: number }) => {
    if (!names.has(name)) names.set(name, start);
  };
  const takeImport = ({ source }: { source: object | null }) => {
    // A dynamic import may have any expression; names of modules are texts.
    if (source !== null && "value" in source && typeof source.value === "string") {
      imports.push(source.value);
    }
  };
  return new Visitor({
    Identifier: take,
    PrivateIdentifier: take,
    CallExpression: (call) => {
      const text = titleIn(call);
      if (text !== null) titles.push({ text, start: call.arguments[0]?.start ?? call.start });
    },
    ImportDeclaration: takeImport,
    ExportNamedDeclaration: takeImport,
    ExportAllDeclaration: takeImport,
    ImportExpression: takeImport,
    TSImportType: takeImport,
  });
}

type Call = Parameters<NonNullable<ConstructorParameters<typeof Visitor>[0]["CallExpression"]>>[0];

/** Returns the title that a call of `test`, `t.test` or the like gives; null for any other call, that of a RegExp's `test` too. */
function titleIn({ callee, arguments: [title, ...rest] }: Call): string | null {
  const names = callee.type === "MemberExpression" ? [callee.object, callee.property] : [callee];
  const isTest = names.some((part) => part.type === "Identifier" && part.name === "test");
  if (!isTest || rest.length === 0) return null;
  if (title?.type === "TemplateLiteral") return title.quasis[0]?.value.cooked ?? null;
  return title?.type === "Literal" && typeof title.value === "string" ? title.value : null;
}

type Statement = ReturnType<typeof parseSync>["program"]["body"][number];

function typeDefinedBy(statement: Statement): readonly string[] {
  if (statement.type === "ExportNamedDeclaration") {
    return statement.declaration === null ? [] : typeDefinedBy(statement.declaration);
  }
  const isType =
    statement.type === "TSInterfaceDeclaration" ||
    statement.type === "TSTypeAliasDeclaration" ||
    statement.type === "ClassDeclaration";
  return isType && statement.id !== null ? [statement.id.name] : [];
}

/** Joins line comments whose lines follow each other and hold nothing else. */
function joined(
  comments: readonly (Span & { readonly type: "Line" | "Block" })[],
  text: string,
): readonly Span[] {
  const spans: (Span & { readonly isLine: boolean })[] = [];
  for (const { type, start, end } of comments) {
    const isLine =
      type === "Line" && text.slice(text.lastIndexOf("\n", start) + 1, start).trim() === "";
    const last = spans.at(-1);
    const goesOn =
      isLine && last?.isLine === true && /^\r?\n[ \t]*$/u.test(text.slice(last.end, start));
    if (goesOn) spans[spans.length - 1] = { start: last.start, end, isLine };
    else spans.push({ start, end, isLine });
  }
  return spans;
}

function bare(comment: string): string {
  return comment
    .replace(/^\/\*+|\*\/$/gu, "")
    .split("\n")
    .map((line) => line.replace(/^\s*(?:\/\/+|\*)?/u, "").trim())
    .join(" ")
    .trim();
}

function withoutSpans(text: string, spans: readonly Span[]): string {
  let code = "";
  let from = 0;
  for (const { start, end } of spans) {
    code += text.slice(from, start) + text.slice(start, end).replaceAll(/[^\n]/gu, " ");
    from = end;
  }
  return code + text.slice(from);
}

function lineFinder(text: string): (offset: number) => number {
  const starts = Array.from(text.matchAll(/\n/gu), ({ index }) => index + 1);
  return (offset) => {
    const next = starts.findIndex((start) => start > offset);
    return (next === -1 ? starts.length : next) + 1;
  };
}
