import { parseSync, Visitor } from "rolldown/utils";

/** The name of the global function that instrumented code calls, with the place of the function that was entered. */
export const ENTERED = "__entered";

interface Insertion {
  readonly at: number;
  readonly text: string;
}

/**
 * Returns the source of a module with a call of the global `__entered` at the start of each of its functions. The call
 * passes the place as `path:line:column`. Lines stay where they were, so that stack traces stay true.
 */
export function instrument(path: string, source: string): string {
  const insertions: Insertion[] = [];
  const call = (offset: number) =>
    `${ENTERED}(${JSON.stringify(`${path}:${positionOf(source, offset)}`)})`;
  const enterBlock = ({ start, body }: WithBlock) => {
    if (body !== null) insertions.push({ at: body.start + 1, text: `${call(start)};` });
  };
  new Visitor({
    FunctionDeclaration: enterBlock,
    FunctionExpression: enterBlock,
    ArrowFunctionExpression: ({ start, body, expression }) => {
      if (!expression) enterBlock({ start, body });
      else {
        insertions.push({ at: body.start, text: `(${call(start)},` }, { at: body.end, text: ")" });
      }
    },
  }).visit(parse(path, source));
  return inserted(source, insertions);
}

interface WithBlock {
  readonly start: number;
  /** Null for the signature of an overload. */
  readonly body: { readonly start: number } | null;
}

function parse(path: string, source: string) {
  const { program, errors } = parseSync(path, source);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${path} cannot be parsed: ${error.message}`);
  return program;
}

/** Returns line and column, both from 1 on, as in `12:5`. */
function positionOf(source: string, offset: number): string {
  const before = source.slice(0, offset);
  const column = offset - before.lastIndexOf("\n");
  return `${before.split("\n").length}:${column}`;
}

function inserted(source: string, insertions: readonly Insertion[]): string {
  let text = "";
  let from = 0;
  for (const { at, text: added } of insertions.toSorted((a, b) => a.at - b.at)) {
    text += source.slice(from, at) + added;
    from = at;
  }
  return text + source.slice(from);
}
